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
})
