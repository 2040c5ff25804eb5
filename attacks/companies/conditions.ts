// Conditional requests: with the ETags that the records of others really have, with wrong ones and with `*`. None may tell
// that the record exists, or which version it has.
import type { Caller } from './callers.ts'
import { differenceOf, headerOf, type Received } from './exchange.ts'
import type { Fixture } from './fixture.ts'
import { type Attacked, refusalOf, requestOf } from './operations.ts'
import { unknownLike } from './records.ts'

const CONDITIONS = ['If-Match', 'If-None-Match']
const conditionsOf = ({ operation }: Attacked) =>
  CONDITIONS.filter(condition => operation.parameters.some(({ name }) => name === condition))

let requests = 0

export async function conditionalRequests(fixture: Fixture): Promise<string> {
  const { attacked, callers, attempt, findings, foreign, context } = fixture
  const real = await realEtags(fixture)
  if (real.length < 5) findings.push(`only ${real.length} kinds of records have an ETag`)
  let tried = 0
  for (const one of attacked.filter(each => conditionsOf(each).length > 0)) {
    const able = callers.filter(caller => !refusalOf(one, caller))
    for (const caller of context.quick ? able.slice(-2) : able)
      for (const condition of conditionsOf(one))
        for (const value of [real.join(', '), '"wrong"', '*']) {
          // Without a record this one is met, and the record is created.
          if (one.entry.kind === 'creates' && condition === 'If-None-Match') continue
          tried += 1
          const unknown = unknownLike(foreign.ids)
          const headers = { [condition]: value, 'x-request-id': `condition-${++requests}` }
          const name = `${one.operation.operationId} as ${caller.name} with ${condition}: ${value.slice(0, 20)}`
          const send = (ids: typeof unknown) => attempt(name, requestOf(one, ids, { headers, as: caller }))
          const pair: [Received, Received] = [await send(foreign.ids), await send(unknown)]
          const difference = differenceOf(pair, [Object.values(foreign.ids), Object.values(unknown)])
          if (difference) findings.push(`${name}: differs from an id that no record has: ${difference}`)
        }
  }
  return `${tried} conditional requests`
}

/** As the caller of that company reads them. */
async function realEtags({ attacked, exchange, foreign, target }: Fixture): Promise<string[]> {
  const operator: Caller = { ...foreign.client, headers: { authorization: `Bearer ${target.token}` } }
  const etags = new Set<string>()
  for (const one of attacked.filter(({ operation }) => operation.method === 'GET')) {
    if (conditionsOf(one).length === 0) continue
    const etag = headerOf(await exchange(requestOf(one, foreign.ids, { as: operator })), 'etag')
    if (etag) etags.add(etag)
  }
  return [...etags]
}
