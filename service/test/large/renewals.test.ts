import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setUpReminders } from '../reminders/reminders-setup.ts'

describe('renewals of ten thousand documents', () => {
  it('are recorded once each by three concurrent workers in less than 30 seconds', async t => {
    const { renewals, sql, events } = await setUpReminders({ today: '2026-03-01' })
    await sql`
      insert into documents (document_id, applicant_id, name, expiry_date, remind_about_renewal, created_at, updated_at)
      select 'doc-' || n, 'anna', 'Visa', date '2026-03-20' + n % 10, true, now(), now() from generate_series(1, 10000) n`
    await sql`
      insert into documents (document_id, applicant_id, name, expiry_date, remind_about_renewal, created_at, updated_at)
      select 'far-' || n, 'anna', 'Visa', date '2030-01-01' + n % 999, true, now(), now() from generate_series(1, 10000) n`
    const begin = performance.now()
    await Promise.all([renewals(), renewals(), renewals()].map(worker => worker.find()))
    const seconds = (performance.now() - begin) / 1000
    const [row] = await sql<[{ count: number }]>`select count(*)::int as count from notifications`
    assert.equal(row.count, 10_000)
    assert.equal(await events(), 10_000)
    const again = performance.now()
    await renewals().find()
    t.diagnostic(`${seconds.toFixed(2)} s; with nothing due ${(performance.now() - again).toFixed(1)} ms`)
    assert.ok(seconds < 30, `${seconds} s`)
  })
})
