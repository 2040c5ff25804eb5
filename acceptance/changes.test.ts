// Changes and exports: order, cursors, waiting, server-sent events, scopes and companies.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { companies, newCase, company as newCompany } from './case-factories.ts'
import { baseUrl, observe, tokenFor } from './client.ts'
import { limitedTo } from './company-factories.ts'
import {
  byId,
  expectInvalid,
  expectOk,
  expectProblem,
  type Fields,
  family,
  get,
  patch,
  person,
} from './people.ts'

const CHANGES = '/v2/changes'
const READ = ['applicants:read', 'cases:read', 'documents:read']

const page = (query: Record<string, string>, rest: object = {}) =>
  expectOk(get(`${CHANGES}?${new URLSearchParams(query)}`, rest))
const now = async (rest: object = {}): Promise<string> => (await page({ after: 'now' }, rest))['nextCursor']

/** All changes after the cursor that concern this person. Other tests write at the same time. */
async function changesOf(applicantId: string, after: string, query: Record<string, string> = {}, rest = {}) {
  const found: Fields[] = []
  let cursor = after
  for (;;) {
    const { records, nextCursor, more } = await page({ ...query, after: cursor }, rest)
    found.push(...records.filter((change: Fields) => change['applicantId'] === applicantId))
    if (!more) return { found, nextCursor: nextCursor as string }
    cursor = nextCursor
  }
}

const typesOf = (changes: Fields[]) => changes.map(({ type }) => type)

describe('GET /v2/changes', () => {
  it('returns each change once, in order, with the fields of its event', async () => {
    const start = await now()
    const { id, number } = await family(person())
    await expectOk(patch(byId(id), { primaryApplicant: { jobTitle: 'Baker' } }))
    // A write that changes nothing has no event.
    await expectOk(patch(byId(id), { primaryApplicant: { jobTitle: 'Baker' } }))
    const { found, nextCursor } = await changesOf(id, start)
    assert.deepEqual(typesOf(found), ['applicant.created', 'applicant.updated'])
    for (const change of found) {
      assert.match(change['id'], /^evt_/)
      assert.match(change['at'], /^\d{4}-\d{2}-\d{2}T.*Z$/)
      assert.equal(change['employeeNumber'], number)
    }
    assert.deepEqual((await changesOf(id, nextCursor)).found, [])
    assert.deepEqual((await changesOf(id, start, { maxRecords: '1' })).found, found)
  })

  it('gives a cursor on every page, also at the end, and the same page again for the same cursor', async () => {
    const start = await now()
    const { id } = await family(person())
    const first = await changesOf(id, start)
    const again = await changesOf(id, start)
    assert.deepEqual(again.found, first.found)
    const { nextCursor, records, more } = await page({ after: await now() })
    assert.equal(typeof nextCursor, 'string')
    assert.ok(Array.isArray(records))
    assert.equal(more, false)
  })

  it('starts at the oldest change without a cursor', async () => {
    await family(person())
    for (const query of [{}, { after: '' }]) {
      const { records } = await page({ ...query, maxRecords: '1' })
      assert.equal(records.length, 1)
    }
  })

  it('returns only the types that are asked for', async () => {
    const start = await now()
    const made = await newCase()
    const { applicantId, caseId } = made
    const { found } = await changesOf(applicantId, start, { types: 'case.created, document.created' })
    assert.deepEqual(
      found.map(({ type, caseId: id }) => [type, id]),
      [['case.created', caseId]],
    )
  })

  it('waits for the next change, and responds when it is there', async () => {
    const start = await now()
    const waiting = page({ after: start, wait: '20', types: 'applicant.created' })
    const began = performance.now()
    const { id } = await family(person())
    const { records } = await waiting
    assert.ok(records.length > 0)
    assert.ok(performance.now() - began < 15_000)
    const { found } = await changesOf(id, start)
    assert.equal(found.length, 1)
  })

  it('responds with an empty page and a cursor when nothing changes while it waits', async () => {
    const began = performance.now()
    const { records, nextCursor, more } = await page({
      after: await now(),
      wait: '1',
      types: 'passport.renewal_due',
    })
    assert.ok(performance.now() - began >= 990)
    assert.deepEqual([records, more], [[], false])
    assert.equal(typeof nextCursor, 'string')
  })

  it('filters by the scopes of the caller', async () => {
    const start = await now()
    const { applicantId } = await newCase()
    const seen = async (scopes: string[]) => {
      const { found } = await changesOf(applicantId, start, {}, { scopes })
      return [...new Set(found.map(({ type }) => type.split('.')[0]))]
    }
    assert.deepEqual(await seen(['applicants:read']), ['applicant'])
    assert.deepEqual(await seen(['cases:read']), ['case'])
    assert.deepEqual(await seen(['documents:read']), [])
    assert.deepEqual((await seen(READ)).sort(), ['applicant', 'case'])
  })

  it('rejects a caller without any read scope, and a type that the scopes do not open', async () => {
    await expectProblem(get(CHANGES, { scopes: ['applicants:write'] }), 403, 'insufficient-scope')
    const path = `${CHANGES}?types=case.created`
    await expectProblem(get(path, { scopes: ['applicants:read'] }), 403, 'insufficient-scope')
    await expectProblem(get(CHANGES, { scopes: null }), 401, 'token-required')
  })

  it('rejects malformed parameters, and names them', async () => {
    for (const [query, pointer] of [
      ['wait=31', '/wait'],
      ['wait=-1', '/wait'],
      ['wait=soon', '/wait'],
      ['maxRecords=0', '/maxRecords'],
      ['maxRecords=1001', '/maxRecords'],
      ['types=', '/types'],
      ['types=case.create', '/types'],
      ['since=now', '/since'],
    ] as const)
      await expectInvalid(get(`${CHANGES}?${query}`), pointer)
    const { body } = await get(`${CHANGES}?types=case.create`)
    assert.match(body.errors[0].detail, /Did you mean case\.created\?/)
  })

  it('rejects a cursor that was altered, of another list, or of another client', async () => {
    const cursor = await now()
    const altered = `${cursor.slice(0, -2)}${cursor.endsWith('AA') ? 'BB' : 'AA'}`
    for (const after of [altered, 'x', 'NOW', cursor.slice(4), `${cursor}=`])
      await expectProblem(get(`${CHANGES}?${new URLSearchParams({ after })}`), 400, 'invalid-cursor')
    const [company] = await companies()
    const other = await limitedTo(company)
    const foreign = get(`${CHANGES}?after=${cursor}`, { token: other.token })
    const { detail } = await expectProblem(foreign, 400, 'invalid-cursor')
    assert.match(detail, /valid only for the client or person that got it/)
  })

  it('shows a limited caller the changes of its companies only', async () => {
    const [own, foreign] = [await newCompany(), await newCompany()]
    const caller = await limitedTo(own)
    const token = { token: caller.token }
    const start = await now(token)
    const seen = await family(person({ sendingCompany: own.name }))
    const unseen = await family(person({ sendingCompany: foreign.name }))
    const { found, nextCursor } = await changesOf(seen.id, start, {}, token)
    assert.deepEqual(typesOf(found), ['applicant.created'])
    assert.deepEqual((await changesOf(unseen.id, start, {}, token)).found, [])
    // The position moves on past what the caller does not see.
    await family(person({ sendingCompany: foreign.name }))
    assert.deepEqual((await page({ after: nextCursor }, token))['records'], [])
    const { records } = await page({}, token)
    assert.ok(records.every((change: Fields) => change['applicantId'] === seen.id))
  })
})

interface ServerSentEvent {
  /** The cursor after it. */
  id: string
  /** Undefined for an event that only moves the cursor. */
  data: Fields | undefined
}

interface Reading {
  /** Whether these are enough. */
  until: (events: ServerSentEvent[]) => boolean
  headers?: Record<string, string>
  token?: string
  /** What is done once the stream is open. */
  during?: () => Promise<unknown>
}

/** Reads server-sent events, for twenty seconds at most. */
async function readEvents(query: Record<string, string>, { until, headers, token, during }: Reading) {
  const client = new AbortController()
  const response = await fetch(`${baseUrl}${CHANGES}?${new URLSearchParams(query)}`, {
    headers: {
      authorization: `Bearer ${token ?? (await tokenFor())}`,
      accept: 'text/event-stream',
      ...headers,
    },
    signal: AbortSignal.any([client.signal, AbortSignal.timeout(20_000)]),
  })
  const { status } = response
  observe({ method: 'GET', path: CHANGES, status, headers: response.headers, body: undefined })
  const events: ServerSentEvent[] = []
  let working: Promise<unknown> | undefined
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const fieldOf = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
      const data = fieldOf('data')
      events.push({ id: fieldOf('id') ?? '', data: data === undefined ? undefined : JSON.parse(data) })
    }
    working ??= during?.()
    await working
    if (until(events)) break
  }
  client.abort()
  return { response, events }
}

const isOf = (id: string) => (event: ServerSentEvent) => event.data?.['applicantId'] === id

describe('GET /v2/changes as server-sent events', () => {
  it('sends its position at once, then each change with the cursor after it', async () => {
    const start = await now()
    let id = ''
    const { response, events } = await readEvents(
      { after: start, types: 'applicant.created' },
      {
        until: received => received.some(isOf(id)),
        async during() {
          id = (await family(person())).id
        },
      },
    )
    assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/)
    assert.equal(response.headers.get('x-accel-buffering'), 'no')
    assert.match(events[0]?.id ?? '', /./)
    const change = events.find(isOf(id))
    const { found } = await changesOf(id, start)
    assert.deepEqual([change?.data], found)
    assert.deepEqual((await changesOf(id, change?.id ?? '')).found, [])
  })

  it('goes on after Last-Event-ID, which overrides the cursor of the query', async () => {
    const start = await now()
    const first = await family(person())
    const second = await family(person())
    const until = (received: ServerSentEvent[]) => received.some(isOf(second.id))
    const { events } = await readEvents({ after: start }, { until })
    const headers = { 'last-event-id': events.find(isOf(first.id))?.id ?? '' }
    const rest = await readEvents({ after: start }, { until, headers })
    assert.equal(rest.events.some(isOf(first.id)), false)
  })

  it('has the changes of a limited caller only, also those after its begin', async () => {
    const [own, foreign] = [await newCompany(), await newCompany()]
    const { token } = await limitedTo(own)
    const ids: string[] = []
    const { events } = await readEvents(
      { after: await now({ token }) },
      {
        token,
        until: received => received.filter(({ data }) => data).length >= 2,
        async during() {
          for (const { name } of [own, foreign, own])
            ids.push((await family(person({ sendingCompany: name }))).id)
        },
      },
    )
    const seen = events.flatMap(({ data }) => data?.['applicantId'] ?? [])
    assert.deepEqual(seen, [ids[0], ids[2]])
  })

  it('rejects an invalid Last-Event-ID with a problem document', async () => {
    const headers = { accept: 'text/event-stream', 'last-event-id': 'x' }
    await expectProblem(get(CHANGES, { headers }), 400, 'invalid-cursor')
  })
})

/** The lines of an export; the last is the cursor. */
async function exported(kind: string, rest: object = {}) {
  const { status, bytes, headers } = await get(`/v2/export?kind=${kind}`, rest)
  assert.equal(status, 200)
  assert.match(headers.get('content-type') ?? '', /^application\/x-ndjson/)
  const lines = bytes.toString().trimEnd().split('\n')
  const { cursor } = JSON.parse(lines.pop() ?? '') as { cursor: string }
  return { records: lines.map(line => JSON.parse(line) as Fields), cursor }
}

describe('GET /v2/export', () => {
  it('returns people, cases and documents as their reads do, and a cursor to go on from', async () => {
    const documents = [{ name: 'Permit', expiryDate: '2031-01-01' }]
    const created = await family(person({ documents }), [])
    const { caseId } = await newCase()
    const people = await exported('applicants')
    const found = people.records.find(({ primaryApplicant }) => primaryApplicant.applicantId === created.id)
    assert.deepEqual(found, {
      primaryApplicant: await expectOk(get(byId(created.id))),
      dependents: [],
    })
    const cases = await exported('cases')
    assert.deepEqual(
      cases.records.find(record => record['caseId'] === caseId),
      await expectOk(get(`/v2/case/${caseId}`)),
    )
    const [document] = (await expectOk(get(byId(created.id))))['documents']
    assert.deepEqual(
      (await exported('documents')).records.find(record => record['documentId'] === document.documentId),
      await expectOk(get(`/v2/document/${document.documentId}`)),
    )
    await expectOk(patch(byId(created.id), { primaryApplicant: { jobTitle: 'Baker' } }))
    const { found: changes } = await changesOf(created.id, people.cursor)
    assert.equal(changes.at(-1)?.['type'], 'applicant.updated')
  })

  it('has the records of a limited caller only', async () => {
    const [own, foreign] = [await newCompany(), await newCompany()]
    const { token } = await limitedTo(own)
    const seen = await family(person({ sendingCompany: own.name }))
    await family(person({ sendingCompany: foreign.name }))
    await now({ token })
    const { records, cursor } = await exported('applicants', { token })
    assert.deepEqual(
      records.map(({ primaryApplicant }) => primaryApplicant.applicantId),
      [seen.id],
    )
    assert.deepEqual((await exported('cases', { token })).records, [])
    assert.deepEqual((await exported('documents', { token })).records, [])
    assert.deepEqual((await changesOf(seen.id, cursor, {}, { token })).found, [])
  })

  it('needs the read scope of the kind', async () => {
    for (const kind of ['applicants', 'cases', 'documents']) {
      const others = READ.filter(scope => scope !== `${kind}:read`)
      await expectProblem(get(`/v2/export?kind=${kind}`, { scopes: others }), 403, 'insufficient-scope')
    }
    await expectProblem(get('/v2/export?kind=cases', { scopes: null }), 401, 'token-required')
  })

  it('rejects a missing or unknown kind, and other parameters', async () => {
    await expectInvalid(get('/v2/export'), '/kind')
    await expectInvalid(get('/v2/export?kind=steps'), '/kind')
    await expectInvalid(get('/v2/export?kind=cases&after=now'), '/after')
  })

  it('has no body on HEAD, nor do changes', async () => {
    for (const path of ['/v2/export?kind=cases', `${CHANGES}?wait=30&after=now`]) {
      const headers = { authorization: `Bearer ${await tokenFor()}` }
      const response = await fetch(baseUrl + path, { method: 'HEAD', headers })
      assert.equal(response.status, 200)
      assert.equal((await response.arrayBuffer()).byteLength, 0)
    }
  })
})
