// Idempotency keys: those of a client of another company, and keys that were used before the companies of the caller
// changed. Neither may return what was stored, nor tell that the key was used by others.
import { type Caller, createClientOf, createPersonOf } from './callers.ts'
import { differenceOf, headerOf, type Received } from './exchange.ts'
import type { Fixture } from './fixture.ts'
import { type Attacked, refusalOf, requestOf } from './operations.ts'

/** Setup is rejected for limited callers before keys matter. */
const takesKey = ({ operation, entry }: Attacked) =>
  entry.control !== 403 && operation.parameters.some(({ name }) => name === 'Idempotency-Key')

const byRank = (a: Attacked, b: Attacked) => (a.entry.rank ?? 0) - (b.entry.rank ?? 0)

export async function replays(fixture: Fixture): Promise<string> {
  const keys = await keysOfOthers(fixture)
  const lost = await afterCompaniesChanged(fixture)
  return `${keys} keys of others and ${lost} keys from before a company was taken away`
}

/** Others used the key: the response is that to a key that nobody used. */
async function keysOfOthers(fixture: Fixture): Promise<number> {
  const { attacked, callers, attempt, exchange, findings, foreign } = fixture
  // Records for this check alone: its requests change them.
  const { ids, client } = fixture.spare.foreign ?? (await fixture.createMore(foreign.company))
  let tried = 0
  for (const one of attacked.filter(takesKey).sort(byRank))
    for (const caller of callers.filter(each => !refusalOf(one, each))) {
      tried += 1
      const [used, fresh] = [`used-${tried}`, `fresh-${tried}`]
      await exchange(requestOf(one, ids, { as: client, headers: { 'idempotency-key': used } }))
      const name = `${one.operation.operationId} as ${caller.name} with a key of another client`
      const send = (key: string) =>
        attempt(
          name,
          requestOf(one, ids, {
            as: caller,
            headers: { 'idempotency-key': key, 'x-request-id': `key-${tried}` },
          }),
        )
      const pair: [Received, Received] = [await send(used), await send(fresh)]
      const difference = differenceOf(pair, [createdIn(pair[0]), createdIn(pair[1])])
      if (difference) findings.push(`${name}: differs from a key that nobody used: ${difference}`)
      if (headerOf(pair[0], 'idempotent-replayed'))
        findings.push(`${name}: got the response of another client`)
    }
  return tried
}

const OWN_VALUES = ['importId', 'webhookId', 'secret', 'url', 'createdAt', 'updatedAt']

/** What the request creates has an id, a secret, an address and times of its own. */
const createdIn = ({ status, body }: Received): string[] =>
  status === 201 || status === 202 ? OWN_VALUES.flatMap(name => body?.[name] ?? []) : []

/** Where it depends on the moment whether a request succeeds, several statuses are expected. */
const mayFail = ({ entry: { control } }: Attacked, { status }: Received) =>
  Array.isArray(control) && control.includes(status)

/** The caller had both companies when it used the key, and has lost the one that the record belongs to. */
async function afterCompaniesChanged(fixture: Fixture): Promise<number> {
  const { target, attacked, attempt, exchange, findings, own, foreign } = fixture
  const companies = [own.company.companyId, foreign.company.companyId]
  const grant = { role: 'admin', companies, mark: own.company.mark }
  const callers: Caller[] = [await createClientOf(target, grant)]
  if (!fixture.context.quick) callers.push(await createPersonOf(target, grant))
  let tried = 0
  for (const caller of callers) {
    const records = await fixture.createMore(foreign.company)
    const ordered = attacked.filter(one => takesKey(one) && !refusalOf(one, caller)).sort(byRank)
    const repeated: { one: Attacked; again: () => Promise<Received> }[] = []
    // Records of the company that is taken away, new ones too.
    const ids = { ...records.ids, ownCompanyId: foreign.company.companyId }
    for (const [index, one] of ordered.entries()) {
      const headers = { 'idempotency-key': `lost-${caller.kind}-${index}` }
      const isNew = one.entry.kind === 'creates'
      const named = {
        ...ids,
        ...(isNew && {
          employeeNumber: `${records.company.mark}-${caller.kind}-${index}`,
          clientId: `${records.company.mark}-${caller.kind}-${index}`,
          userEmail: `${records.company.mark}-${caller.kind}-${index}@example.com`,
        }),
      }
      const sent = requestOf(one, named, { as: caller, headers })
      const first = await exchange(sent)
      if (first.status >= 300 && !mayFail(one, first))
        findings.push(
          `${one.operation.operationId} of both companies: ${first.status} ${first.text.slice(0, 200)}`,
        )
      const name = `${one.operation.operationId} as ${caller.name} with a key from before`
      repeated.push({ one, again: () => attempt(name, sent) })
    }
    const at = caller.kind === 'client' ? 'clients' : 'users'
    const path = `/admin/v1/${at}/${encodeURIComponent(caller.ownId)}`
    const changed = await target.call('PATCH', path, { companies: [own.company.companyId] })
    if (changed.status !== 200) findings.push(`PATCH ${path}: ${changed.status}`)
    for (const { one, again } of repeated) {
      tried += 1
      const response = await again()
      const name = `${one.operation.operationId} as ${caller.name} with a key from before`
      // A file is not stored for a case that the caller does not see, whatever the key.
      const isRejected = response.body?.code === 'idempotency-key-reused' || response.status === 404
      if (!isRejected) findings.push(`${name}: ${response.status} ${response.body?.code}`)
      if (headerOf(response, 'idempotent-replayed')) findings.push(`${name}: the response was replayed`)
    }
  }
  return tried
}
