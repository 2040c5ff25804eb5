import { describe, it } from 'node:test'
import fc from 'fast-check'
import { expectInvariants } from '../applicants/applicant-races.ts'
import { createTestApp, registerClient, type TestApp } from '../support/harness.ts'
import { judge, type Response } from './model-judge.ts'
import { emptyState, type Json, type Person, type State } from './model-state.ts'
import { eventProblems, expectNoOtherRows, lastEvent } from './model-trace.ts'
import type { Fixture } from './operation-refs.ts'
import type { Request } from './operation-requests.ts'
import { sequence, stepsOf, sweepOf } from './operation-sequences.ts'
import { progress } from './progress.ts'

const sequences = Number(process.env['LONG_SEQUENCES'])
const seed = Number(process.env['LONG_SEED'])
/** Number of concurrent sequences. Each uses its own numbers and ids. */
const CONCURRENCY = 8
const LONGEST = 30

let addresses = 0

/** Failed identity checks are limited per client, so each sequence registers its own client. */
async function clientOf({ app, db }: TestApp): Promise<Record<string, string>> {
  const { clientId, clientSecret, apiKey } = await registerClient(db)
  const response = await app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    }).toString(),
  })
  return { authorization: `Bearer ${response.json().access_token}`, 'x-api-key': apiKey }
}

async function send(
  { app, clock }: TestApp,
  { method, url, body, headers }: Request,
  client: Record<string, string>,
): Promise<Response> {
  addresses += 1
  // A changed record must get a later time.
  clock.advance(0.001)
  const response = await app.inject({
    method,
    url,
    headers: { ...client, ...headers },
    // Failed identity checks are limited per address, too.
    remoteAddress: `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`,
    ...(body !== undefined && { payload: body }),
  })
  return {
    status: response.statusCode,
    etag: response.headers.etag as string | undefined,
    location: response.headers.location as string | undefined,
    body: response.body ? response.json() : undefined,
  }
}

const counts = new Map<string, number>()
let requests = 0
let prefixes = 0

const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1)

const contents = ({ etag: _, outdated: __, updatedAt: ___, changedAfter: ____, ...rest }: Person) =>
  JSON.stringify(rest)

/** People whose records differ. */
const changes = (before: State, after: State): string[] =>
  [...after.people.values()].flatMap(person => {
    const old = before.people.get(person.id)
    if (old && contents(old) === contents(person)) return []
    return [`should not have changed: ${old ? contents(old) : 'no record'}\nis now ${contents(person)}`]
  })

async function play(app: TestApp, operations: Json[]): Promise<void> {
  prefixes += 1
  const fixture: Fixture = { state: emptyState(), prefix: `S${prefixes}`, sent: [] }
  const client = await clientOf(app)
  const step = async (request: Request): Promise<Response> => {
    const before = fixture.state
    const since = request.method === 'GET' ? undefined : await lastEvent(app)
    const response = await send(app, request, client)
    requests += 1
    count(`${request.kind} ${response.status}`)
    try {
      const state = judge(before, request.expected, response)
      fixture.state = state
      const problems = since ? await eventProblems(app, since, { before, after: state }) : []
      if (request.unchanged && response.status !== 200) problems.push('expected 200')
      if (request.unchanged) problems.push(...changes(before, state))
      if (problems.length > 0) throw new Error(problems.join('\n'))
    } catch (error) {
      const { method, url, body, headers } = request
      throw new Error(
        `${method} ${url} ${JSON.stringify(headers ?? {})} ${JSON.stringify(body)}\nreturned ${JSON.stringify(response)}\n${(error as Error).message}`,
      )
    }
    return response
  }
  for (const operation of operations) {
    const steps = stepsOf(fixture, operation)
    let next = steps.next()
    while (!next.done) next = steps.next(await step(next.value))
  }
  for (const request of sweepOf(fixture)) await step(request)
  await expectInvariants(app, fixture.prefix)
  await expectNoOtherRows(app, fixture.state)
}

describe(`random sequences of operations against a model, seed ${seed}`, () => {
  it(`${sequences} sequences of up to ${LONGEST} operations`, async () => {
    const app = await createTestApp()
    const tell = progress(`sequences (seed ${seed})`, sequences)
    let done = 0
    let failed: unknown
    let shrinking = false
    const property = fc.asyncProperty(sequence(LONGEST), async operations => {
      if (failed) return
      await play(app, operations).catch(error => {
        // Shrinking takes minutes; the first failure is told at once.
        if (!shrinking) process.stderr.write(`failed, shrinking: ${error.message}\n`)
        shrinking = true
        throw error
      })
      done += 1
      tell(done, `, ${requests} requests`)
    })
    const share = (index: number) => Math.floor((sequences + index) / CONCURRENCY)
    await Promise.all(
      Array.from({ length: CONCURRENCY }, (_, index) =>
        fc.assert(property, { numRuns: share(index), seed: seed + index }).catch(error => {
          failed ??= error
        }),
      ),
    )
    if (failed) throw failed
    for (const [outcome, times] of [...counts].sort())
      process.stderr.write(`${String(times).padStart(8)}  ${outcome}\n`)
  })
})
