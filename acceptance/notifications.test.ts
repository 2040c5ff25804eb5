// The renewal notifications that operators list.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { dayFromNow } from './case-factories.ts'
import { call } from './client.ts'
import { expectInvalid, expectOk, expectProblem, type Fields, person, post } from './people.ts'

const STATES = ['pending', 'sent', 'recorded', 'failed']

const list = (query: Record<string, string> = {}) => {
  const all = { startDate: dayFromNow(-1), endDate: dayFromNow(1), maxRecords: '1000', ...query }
  return call({ path: `/admin/v1/notifications?${new URLSearchParams(all)}` })
}

describe('GET /admin/v1/notifications', () => {
  const expiryDate = dayFromNow(20)
  const permit = (name: string) => ({ name, expiryDate, remindAboutRenewal: true, expiryReminder: 30 })
  let applicantId = ''
  let documentIds: string[] = []
  /** The notifications of these two documents, in the order of the list. */
  let own: Fields[] = []
  const ownIn = async (query: Record<string, string>): Promise<Fields[]> =>
    (await expectOk(list(query)))['records'].filter((one: Fields) => documentIds.includes(one['documentId']))

  before(async () => {
    const documents = [permit('Work permit'), permit('Residence permit')]
    const { primaryApplicant } = await expectOk(
      post('/v2/applicant', { primaryApplicant: person({ documents }) }),
    )
    applicantId = primaryApplicant.applicantId
    documentIds = primaryApplicant.documents.map((one: Fields) => one['documentId'])
    // The service checks for due reminders once a minute.
    for (let tries = 0; tries < 90 && own.length < 2; tries++) {
      own = await ownIn({})
      if (own.length < 2) await sleep(1_000)
    }
  })

  it('lists one notification for each document that is due', () => {
    assert.deepEqual(own.map(one => one['documentId']).sort(), documentIds.toSorted())
    for (const one of own) {
      assert.deepEqual(
        [one['applicantId'], one['expiryDate'], one['rung'], one['dueOn']],
        [applicantId, expiryDate, '30 days', dayFromNow(-10)],
      )
      assert.match(one['createdAt'], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    }
  })

  it('filters by state and by date range', async () => {
    const found = await Promise.all(STATES.map(state => ownIn({ state })))
    for (const [index, records] of found.entries())
      assert.ok(records.every(one => one['state'] === STATES[index]))
    assert.equal(found.flat().length, 2)
    await expectInvalid(list({ state: 'unknown' }), '/state')
    assert.deepEqual(await ownIn({ startDate: dayFromNow(2), endDate: dayFromNow(3) }), [])
  })

  it('has its notifications in the timeline of the person, with the names of the documents', async () => {
    const path = `/admin/v1/applicants/${encodeURIComponent(applicantId)}/timeline`
    const { records } = await expectOk(call({ path }))
    const reminders = records.filter(({ kind }: Fields) => kind === 'reminder')
    assert.deepEqual(reminders.map(({ record }: Fields) => record.name).sort(), [
      'Residence permit',
      'Work permit',
    ])
  })

  it('is paged by cursor', async () => {
    const first = await expectOk(list({ maxRecords: '1' }))
    assert.equal(first['records'].length, 1)
    const second = await expectOk(list({ maxRecords: '1', nextCursor: first['nextCursor'] }))
    assert.equal(second['records'].length, 1)
    assert.notEqual(second['records'][0].notificationId, first['records'][0].notificationId)
    const back = await expectOk(list({ maxRecords: '1', prevCursor: second['prevCursor'] }))
    assert.deepEqual(back['records'], first['records'])
  })

  it('rejects a range that ends before it begins, and a cursor that it did not issue', async () => {
    await expectInvalid(list({ startDate: dayFromNow(1), endDate: dayFromNow(0) }), '/endDate')
    await expectProblem(list({ nextCursor: 'AAAA' }), 400, 'invalid-cursor')
  })
})
