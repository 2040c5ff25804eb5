import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, credentials } from './client.ts'

interface Entry {
  action: string
  clientId: string
  requestId: string
}

describe('GET /admin/v1/audit', () => {
  const today = new Date().toISOString().slice(0, 10)
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  const body = { primaryApplicant: { firstName: 'Ada', lastName: 'Audit' } }
  const list = (query: Record<string, string>) =>
    call({
      path: `/admin/v1/audit?${new URLSearchParams({ startDate: today, endDate: tomorrow, ...query })}`,
    })

  it('lists which client changed and read a record, and in which request', async () => {
    const made = await call({ method: 'POST', path: '/v2/applicant', body })
    const recordId = made.body.primaryApplicant.applicantId
    const read = await call({ path: `/v2/applicant/${recordId}` })

    let entries: Entry[] = []
    for (let tries = 0; tries < 20 && entries.length < 2; tries++) {
      entries = (await list({ recordId })).body.records
      if (entries.length < 2) await sleep(100)
    }
    assert.deepEqual(
      entries.map(({ action, clientId, requestId }) => [action, clientId, requestId]),
      [
        ['applicant.create', credentials.clientId, made.headers.get('x-request-id')],
        ['applicant.read', credentials.clientId, read.headers.get('x-request-id')],
      ],
    )
    assert.equal((await list({ recordId, action: 'applicant.read' })).body.records.length, 1)
    assert.equal((await list({ recordId, clientId: 'another-client' })).body.records.length, 0)
  })

  it('is listed newest first with sort=-at, and paged both ways', async () => {
    const made = await call({ method: 'POST', path: '/v2/applicant', body })
    const recordId: string = made.body.primaryApplicant.applicantId
    for (const jobTitle of ['Buyer', 'Pilot', 'Baker']) {
      const path = `/v2/applicant/${encodeURIComponent(recordId)}`
      await call({ method: 'PATCH', path, body: { primaryApplicant: { jobTitle } } })
    }
    const page = async (query: Record<string, string>) => {
      const { status, body: found } = await list({ recordId, sort: '-at', maxRecords: '2', ...query })
      assert.equal(status, 200)
      return { ...found, numbers: found.records.map(({ seq }: { seq: number }) => seq) }
    }
    const ascending = (await list({ recordId })).body.records.map(({ seq }: { seq: number }) => seq)
    assert.equal(ascending.length, 4)
    const first = await page({})
    assert.equal(first.prevCursor, null)
    const second = await page({ nextCursor: first.nextCursor })
    assert.deepEqual([...first.numbers, ...second.numbers], ascending.toReversed())
    assert.equal(second.nextCursor, null)
    const back = await page({ prevCursor: second.prevCursor })
    assert.deepEqual(back.numbers, first.numbers)
    assert.equal(back.prevCursor, null)
    // A cursor belongs to its order.
    assert.equal((await list({ recordId, maxRecords: '2', nextCursor: first.nextCursor })).status, 400)
  })

  it('is paged by cursor, forwards and back, within the same filters only', async () => {
    const made = await call({ method: 'POST', path: '/v2/applicant', body })
    const recordId: string = made.body.primaryApplicant.applicantId
    for (const jobTitle of ['Buyer', 'Pilot']) {
      const change = { primaryApplicant: { jobTitle } }
      const path = `/v2/applicant/${encodeURIComponent(recordId)}`
      assert.equal((await call({ method: 'PATCH', path, body: change })).status, 200)
    }
    const all = (await list({ recordId })).body
    assert.equal(all.records.length, 3)
    assert.deepEqual([all.nextCursor, all.prevCursor], [null, null])

    const page = async (query: Record<string, string>) => {
      const { status, body: found } = await list({ recordId, maxRecords: '1', ...query })
      assert.equal(status, 200)
      return found
    }
    const first = await page({})
    const second = await page({ nextCursor: first.nextCursor })
    const third = await page({ nextCursor: second.nextCursor })
    assert.deepEqual(
      [first, second, third].flatMap(({ records }) => records),
      all.records,
    )
    assert.deepEqual([first.prevCursor, third.nextCursor], [null, null])
    assert.deepEqual((await page({ prevCursor: third.prevCursor })).records, second.records)
    for (const other of [{ action: 'applicant.create' }, { clientId: credentials.clientId }, {}]) {
      const { status, body: problem } = await list({ ...other, nextCursor: first.nextCursor })
      assert.deepEqual([status, problem.code], [400, 'invalid-cursor'])
    }
  })

  it('has the fields that a change has changed, with their values before and after', async () => {
    const made = await call({ method: 'POST', path: '/v2/applicant', body })
    const recordId: string = made.body.primaryApplicant.applicantId
    for (const jobTitle of ['Buyer', 'Pilot'])
      await call({
        method: 'PATCH',
        path: `/v2/applicant/${encodeURIComponent(recordId)}`,
        body: { primaryApplicant: { jobTitle } },
      })
    const { records } = (await list({ recordId, action: 'applicant.write' })).body
    assert.deepEqual(
      records.map((entry: { changes: unknown }) => entry.changes),
      [
        [{ pointer: '/jobTitle', before: null, after: 'Buyer' }],
        [{ pointer: '/jobTitle', before: 'Buyer', after: 'Pilot' }],
      ],
    )
    assert.deepEqual([records[0].method, records[0].outcome, records[0].status], ['PATCH', 'ok', 200])
    assert.ok(records[0].address)
  })

  it('has what was changed about a client', async () => {
    const path = '/admin/v1/clients'
    const made = await call({ method: 'POST', path, body: { name: 'Feed', scopes: ['applicants:read'] } })
    const recordId: string = made.body.clientId
    await call({ method: 'PATCH', path: `${path}/${recordId}`, body: { scopes: ['cases:read'] } })
    const { records } = (await list({ recordId, action: 'client.write' })).body
    assert.deepEqual(records[0].changes, [
      { pointer: '/scopes', before: ['applicants:read'], after: ['cases:read'] },
    ])
  })

  it('has calls that were refused, and finds them by outcome, address and time', async () => {
    const made = await call({ method: 'POST', path: '/v2/applicant', body })
    const recordId: string = made.body.primaryApplicant.applicantId
    const path = `/v2/applicant/${encodeURIComponent(recordId)}`
    const from = new Date(Date.now() - 60_000).toISOString()
    const refused = await call({ path, scopes: ['cases:read'] })
    assert.equal(refused.status, 403)
    const to = new Date(Date.now() + 60_000).toISOString()
    const entries = (await list({ recordId, outcome: 'refused', from, to })).body.records
    assert.deepEqual(
      entries.map((entry: Entry & { code: string; status: number }) => [
        entry.requestId,
        entry.clientId,
        entry.status,
        entry.code,
      ]),
      [[refused.headers.get('x-request-id'), credentials.clientId, 403, 'insufficient-scope']],
    )
    const { address } = entries[0]
    assert.equal((await list({ recordId, outcome: 'refused', address })).body.records.length, 1)
    assert.equal((await list({ recordId, outcome: 'refused', address: '192.0.2.1' })).body.records.length, 0)
    assert.equal((await list({ recordId, outcome: 'failed' })).body.records.length, 0)
    assert.equal((await list({ recordId, userId: 'nobody' })).body.records.length, 0)
    assert.equal((await list({ recordId, to: from })).body.records.length, 0)
  })

  it('finds the read of a list by each of its records, page by page', async () => {
    const family = {
      ...body,
      dependents: [1, 2, 3].map(each => ({
        firstName: `Child ${each}`,
        lastName: 'Audit',
        relationship: 'Child',
      })),
    }
    const made = await call({ method: 'POST', path: '/v2/applicant', body: family })
    const { applicantId } = made.body.primaryApplicant
    const path = `/v2/applicant/${encodeURIComponent(applicantId)}/dependents`
    const reads = [await call({ path }), await call({ path })]
    const ids: string[] = reads[0]?.body.map((record: { applicantId: string }) => record.applicantId)
    assert.equal(ids.length, 3)
    for (const recordId of ids) {
      const found: (Entry & { recordIds: string[] })[] = []
      let nextCursor = ''
      do {
        const page = (await list({ recordId, maxRecords: '1', nextCursor })).body
        found.push(...page.records)
        nextCursor = page.nextCursor ?? ''
      } while (nextCursor)
      assert.deepEqual(
        found.map(({ action, requestId }) => [action, requestId]),
        [
          ['applicant.create', made.headers.get('x-request-id')],
          ...reads.map(read => ['applicant.read', read.headers.get('x-request-id')]),
        ],
      )
      assert.deepEqual(found[1]?.recordIds, ids)
    }
  })

  it('has a rejected token request, and reads of the audit itself', async () => {
    const form = new URLSearchParams({ grant_type: 'password' })
    const basic = Buffer.from(`${credentials.clientId}:${credentials.clientSecret}`).toString('base64')
    const token = await call({
      method: 'POST',
      path: '/oauth/token',
      body: form,
      scopes: null,
      headers: { authorization: `Basic ${basic}` },
    })
    assert.equal(token.status, 400)
    const seen = await list({ maxRecords: '1' })
    const requestIds = async (filter: Record<string, string>) => {
      const from = new Date(Date.now() - 30_000).toISOString()
      const { records } = (await list({ ...filter, from, maxRecords: '1000' })).body
      return records.map((entry: Entry) => entry.requestId)
    }
    const refused = await requestIds({ action: 'token.issue', outcome: 'refused' })
    assert.ok(refused.includes(token.headers.get('x-request-id')))
    const lists = await requestIds({ action: 'audit.list' })
    assert.ok(lists.includes(seen.headers.get('x-request-id')))
  })

  it('rejects an impossible time and an unknown outcome, and names them', async () => {
    const { status, body: problem } = await list({ from: '2026-02-30', to: 'now', outcome: 'good' })
    assert.equal(status, 400)
    assert.deepEqual(problem.errors.map(({ pointer }: { pointer: string }) => pointer).sort(), [
      '/from',
      '/outcome',
      '/to',
    ])
  })
})

describe('GET /admin/v1/audit/export', () => {
  const exportOf = (from: string, to: string) => `/admin/v1/audit/export?${new URLSearchParams({ from, to })}`

  it('streams all entries of a range as lines of JSON, in order of time', async () => {
    const from = new Date(Date.now() - 1_000).toISOString()
    const body = { primaryApplicant: { firstName: 'Ada', lastName: 'Export' } }
    const made = await call({ method: 'POST', path: '/v2/applicant', body })
    const { applicantId } = made.body.primaryApplicant
    const path = `/v2/applicant/${encodeURIComponent(applicantId)}`
    const reads: Awaited<ReturnType<typeof call>>[] = []
    // More than a page of the export; few enough at a time that none is rejected.
    for (let round = 0; round < 7; round++)
      reads.push(...(await Promise.all(Array.from({ length: 100 }, () => call({ path })))))
    assert.ok(reads.every(({ status }) => status === 200))
    const response = await call({ path: exportOf(from, new Date(Date.now() + 1_000).toISOString()) })
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type') ?? '', /^application\/x-ndjson/)
    const lines = response.bytes.toString().trim().split('\n')
    const entries = lines.map(line => JSON.parse(line) as Entry & { at: string; seq: number })
    const found = new Map(entries.map(entry => [entry.requestId, entry]))
    for (const { headers } of [made, ...reads])
      assert.ok(found.has(headers.get('x-request-id') ?? ''), 'an entry is missing')
    const order = entries.map(({ at, seq }) => `${at} ${String(seq).padStart(15, '0')}`)
    assert.deepEqual(order, order.toSorted())
    assert.equal(new Set(entries.map(({ seq }) => seq)).size, entries.length)
  })

  it('is empty for an empty range, and rejects one that ends before it begins', async () => {
    const day = '2020-01-01'
    const empty = await call({ path: exportOf(day, day) })
    assert.deepEqual([empty.status, empty.bytes.length], [200, 0])
    const reversed = await call({ path: exportOf(day, '2019-12-31') })
    assert.deepEqual([reversed.status, reversed.body.errors[0].pointer], [400, '/to'])
  })
})
