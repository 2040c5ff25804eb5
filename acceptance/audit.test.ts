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
  const list = (query: Record<string, string>) =>
    call({
      path: `/admin/v1/audit?${new URLSearchParams({ startDate: today, endDate: tomorrow, ...query })}`,
    })

  it('tells who changed and who read a record, by which request', async () => {
    const body = { primaryApplicant: { firstName: 'Ada', lastName: 'Audit' } }
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
    assert.equal((await list({ recordId, clientId: 'somebody-else' })).body.records.length, 0)
  })

  it('is walked by cursor, within the same filters only', async () => {
    const page = await list({ maxRecords: '1', action: 'applicant.create' })
    assert.equal(page.body.records.length, 1)
    const next = await list({
      maxRecords: '1',
      action: 'applicant.create',
      nextCursor: page.body.nextCursor ?? 'none',
    })
    if (page.body.nextCursor) assert.equal(next.status, 200)
    const elsewhere = await list({ action: 'applicant.read', nextCursor: page.body.nextCursor ?? 'none' })
    assert.equal(elsewhere.body.code, 'invalid-cursor')
  })
})
