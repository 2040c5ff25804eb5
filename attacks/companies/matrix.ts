// Every operation by every caller: with records of another company and of no company, with ids that no record has, and with
// ids of both mixed. The response to a record of others must be that to an id that no record has, byte for byte.
import { type Caller, NOBODY, signIn } from './callers.ts'
import { differenceOf, type Received, type Sent } from './exchange.ts'
import type { Fixture } from './fixture.ts'
import { type Attacked, refusalOf, requestOf } from './operations.ts'
import { type Ids, unknownLike } from './records.ts'

/** Two sets of ids for the same request: one has a record of others, the other has none in its place. */
interface Pair {
  what: string
  foreign: Ids
  unknown: Ids
}

function pairsOf({ own, foreign, crossed, nobodys, context }: Fixture, { names, entry }: Attacked): Pair[] {
  const isOfOthers = entry.kind === 'record'
  const pairs: Pair[] = [
    { what: 'a record of another company', foreign: foreign.ids, unknown: unknownLike(foreign.ids) },
  ]
  if (!context.quick && isOfOthers)
    pairs.push({ what: 'a record of no company', foreign: nobodys, unknown: unknownLike(nobodys) })
  if (names.some(name => name === 'caseId' || name === 'documentId') || entry.multipart)
    pairs.push({
      what: 'a case of others about an own person',
      foreign: crossed,
      unknown: unknownLike(crossed),
    })
  if (names.length < 2 || !isOfOthers) return pairs
  const parent = names[0] as string
  const child = names.at(-1) as string
  const mixed = (what: string, base: Ids, name: string) => {
    const id = foreign.ids[name] ?? ''
    const unknown = { ...base, [name]: unknownLike({ id })['id'] ?? '' }
    pairs.push({ what, foreign: { ...base, [name]: id }, unknown })
  }
  mixed('a child of another company under an own record', own.ids, child)
  mixed('an own child under a record of another company', own.ids, parent)
  return pairs
}

/** Both requests have the same id, which is part of the response. */
let requests = 0
const sameRequestId = () => ({ 'x-request-id': `attack-${++requests}` })

export async function everyOperation(fixture: Fixture): Promise<string> {
  const { attacked, callers, context, exchange } = fixture
  const all = [...callers, NOBODY]
  const ordered = [...attacked].sort((a, b) => (a.entry.rank ?? 0) - (b.entry.rank ?? 0))
  let done = 0
  for (const one of ordered) {
    const isPublic = one.entry.kind === 'public'
    await Promise.all(
      all
        .filter(({ kind }) => !isPublic || kind === 'nobody')
        .map(async caller => {
          await attackOne(fixture, one, caller)
          if (one.entry.endsSession && caller.kind === 'person') await signIn(exchange, caller)
        }),
    )
    context.progress(++done, ordered.length)
  }
  return `${attacked.length} operations × ${all.length} callers`
}

async function attackOne(fixture: Fixture, attacked: Attacked, caller: Caller): Promise<void> {
  const { entry, operation } = attacked
  const { attempt, findings, foreign, context } = fixture
  const refusal = refusalOf(attacked, caller)
  const name = `${operation.operationId} as ${caller.name}`
  const methods = operation.method === 'GET' && !context.quick ? ['GET', 'HEAD'] : [operation.method]
  const send = (ids: Ids, details: Omit<Parameters<typeof requestOf>[2], 'as'>) =>
    attempt(name, requestOf(attacked, ids, { ...details, as: caller }))

  if (refusal || entry.kind === 'own' || entry.kind === 'audit') {
    // The log has the calls of this attack too: audit-log.ts reads it.
    if (!refusal && entry.kind === 'audit') return
    const response = await send(foreign.ids, {})
    if (!refusal) return
    expect(findings, { name, response, expected: refusal })
    if (attacked.names.length > 0) {
      const headers = sameRequestId()
      const unknown = unknownLike(foreign.ids)
      const pair: [Received, Received] = [
        await send(foreign.ids, { headers }),
        await send(unknown, { headers }),
      ]
      compare(findings, { name, pair, ids: [foreign.ids, unknown] })
    }
    return
  }
  if (entry.kind === 'list') return attackList(fixture, attacked, caller)
  // What belongs to an own record need not be visible.
  if (operation.method === 'GET' && entry.kind === 'record' && !attacked.sessionOnly) {
    const { status } = await send(fixture.own.ids, {})
    if (status !== 200) findings.push(`${name}: ${status} for an own record`)
  }
  for (const { what, foreign: ids, unknown } of pairsOf(fixture, attacked))
    for (const method of methods) {
      const headers = sameRequestId()
      const response = await send(ids, { headers, method })
      const expected = entry.expected ?? { status: 404, code: undefined }
      if (entry.kind !== 'public')
        expect(findings, { name: `${name}, ${what}`, response, expected, isHead: method === 'HEAD' })
      const namesNothing = entry.kind === 'public' && !entry.body && !entry.form
      if (entry.kind === 'creates' || namesNothing) continue
      const missing = await send(unknown, { headers, method })
      compare(findings, { name: `${name}, ${what}`, pair: [response, missing], ids: [ids, unknown] })
    }
}

/** Queries that name records of others must return what queries return that name nothing. */
async function attackList({ attempt, findings, foreign }: Fixture, attacked: Attacked, caller: Caller) {
  const name = `${attacked.operation.operationId} as ${caller.name}`
  const unknown = unknownLike(foreign.ids)
  const queries = attacked.entry.queries ?? (() => [{}])
  const others = queries(unknown)
  for (const [index, query] of queries(foreign.ids).entries()) {
    const headers = sameRequestId()
    const send = (ids: Ids, one: Record<string, string> | undefined) =>
      attempt(name, requestOf(attacked, ids, { headers, as: caller, ...(one && { query: one }) }))
    const response = await send(foreign.ids, query)
    if (response.status !== 200) findings.push(`${name}: ${response.status} ${response.body?.code}`)
    const missing = await send(unknown, others[index])
    compare(findings, {
      name: `${name} with ${JSON.stringify(query)}`,
      pair: [response, missing],
      ids: [foreign.ids, unknown],
    })
  }
}

interface Expectation {
  name: string
  response: Received
  expected: { status: number; code: string | undefined }
  isHead?: boolean
}

function expect(findings: string[], { name, response, expected, isHead = false }: Expectation): void {
  const code = response.body?.code
  if (response.status === expected.status && (isHead || !expected.code || code === expected.code)) return
  findings.push(
    `${name}: ${response.status} ${code ?? ''} instead of ${expected.status} ${expected.code ?? ''}`,
  )
}

interface Comparison {
  name: string
  pair: [Received, Received]
  ids: [Ids, Ids]
}

function compare(findings: string[], { name, pair, ids: [foreign, unknown] }: Comparison): void {
  const difference = differenceOf(pair, [Object.values(foreign), Object.values(unknown)])
  if (difference) findings.push(`${name}: differs from an id that no record has: ${difference}`)
}

/**
 * The same requests by a caller of the company itself must succeed. Otherwise the requests above would be rejected for
 * another reason, and prove nothing.
 */
export async function control(fixture: Fixture): Promise<string> {
  const { attacked, exchange, findings, callers, own } = fixture
  const records = fixture.spare.own ?? (await fixture.createMore(own.company))
  const admin = callers.find(({ role, kind }) => role === 'admin' && kind === 'client') as Caller
  const ordered = attacked
    .filter(({ entry }) => ['record', 'creates', 'list', 'audit'].includes(entry.kind))
    .sort((a, b) => (a.entry.rank ?? 0) - (b.entry.rank ?? 0))
  let succeeded = 0
  for (const one of ordered) {
    // Sessions and passkeys belong to one person.
    const caller = one.sessionOnly ? records.person : admin
    const sent: Sent = requestOf(one, records.ids, { as: caller })
    const { status, text } = await exchange(sent)
    const { control: expected } = one.entry
    const isExpected = expected ? [expected].flat().includes(status) : status < 300
    if (isExpected) succeeded += 1
    else
      findings.push(
        `${one.operation.operationId} of the own company: ${status} ${text.slice(0, 200)} (the request of this attack is wrong)`,
      )
  }
  return `${succeeded} requests for own records as a control`
}
