import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAudit } from '../../src/audit/audit.service.ts'
import { appendEvents } from '../../src/events/outbox.store.ts'
import { createPassportReminders } from '../../src/reminders/passports.worker.ts'
import { createTestApp, testClock } from '../support/harness.ts'
import { expectNoDeadlocks } from './applicant-races.ts'
import { concurrentRound, createMergeFixture, roundTrip } from './merge-races.ts'

/** `npm run test:model` runs many more. */
const ROUNDS = 6

describe('a merge and its undo', async () => {
  const app = await createTestApp()
  const fixture = await createMergeFixture(app)

  it('give back both records, with everything that belongs to them', async () => {
    for (let round = 0; round < ROUNDS; round++)
      await roundTrip(fixture, { prefix: `U${round}`, seed: 7_919 * round + 1 })
  })

  it('beside writers of both records lose nothing, double nothing, and never deadlock', async () => {
    const sum = { merged: 0, undone: 0 }
    for (let round = 0; round < ROUNDS; round++) {
      const { merged, undone } = await concurrentRound(fixture, {
        prefix: `C${round}`,
        seed: 104_729 * round + 3,
      })
      sum.merged += merged
      sum.undone += undone
    }
    // Both happened, and not one of them always.
    assert.ok(sum.merged >= ROUNDS && sum.undone > 0 && sum.undone < sum.merged, JSON.stringify(sum))
    await expectNoDeadlocks(app)
  })
})

describe('a merge', async () => {
  const clock = testClock(new Date('2026-03-02T10:00:00.000Z'))
  const app = await createTestApp({ clock, config: { tokenTtl: 60 * 86_400 } })
  const { good, caseBody } = await createMergeFixture(app)
  const person = (number: string | null, more: object = {}) => ({
    primaryApplicant: { employeeNumber: number, firstName: 'Anna', lastName: 'Schmidt', ...more },
  })
  const create = async (number: string | null, more: object = {}) =>
    (await good('POST', '/v2/applicant', person(number, more))).primaryApplicant.applicantId as string
  const eventsAfter = async (seq: string) =>
    app.db.sql<
      { type: string; data: object }[]
    >`select type, data from events where seq > ${seq} order by seq`
  const lastEvent = async () => {
    const [row] = await app.db.sql<[{ seq: string }]>`select coalesce(max(seq), 0) as seq from events`
    return row.seq
  }

  it('marks what moves as updated, and emits one event of the merge', async () => {
    const [target, source] = [await create('M-1'), await create('M-2')]
    const { caseId } = await good('POST', '/v2/case', caseBody({ employeeNumber: 'M-2' }))
    await good('POST', `/admin/v1/cases/${caseId}/notes`, { content: 'Hello' })
    clock.advance(3 * 86_400)
    const seq = await lastEvent()
    const { mergeId } = await good('POST', `/admin/v1/applicants/${target}/merge`, { from: source })
    const today = clock.now().toISOString().slice(0, 10)
    const range = `startDate=${today}&endDate=${today}&maxRecords=1000&offset=`
    for (const list of [`steps?${range}`, `notes?${range}&type=updated`]) {
      const { records } = await good('GET', `/v2/cases/applicants/${list}`)
      assert.ok(records.length > 0)
      for (const one of records)
        assert.deepEqual([one.caseId, one.applicantId, one.employeeNumber], [caseId, target, 'M-1'])
    }
    const data = { applicantId: target, employeeNumber: 'M-1' }
    assert.deepEqual(
      [...(await eventsAfter(seq))],
      [
        {
          type: 'applicant.merged',
          data: { ...data, absorbedApplicantId: source, retiredEmployeeNumber: 'M-2' },
        },
      ],
    )
    clock.advance(3 * 86_400)
    const again = await lastEvent()
    await good('POST', `/admin/v1/merges/${mergeId}/undo`, { reason: 'Two people' })
    assert.deepEqual(
      [...(await eventsAfter(again))],
      [{ type: 'applicant.unmerged', data: { ...data, restoredApplicantId: source } }],
    )
    const back = await good('GET', `/v2/case/${caseId}`)
    assert.deepEqual([back.applicantId, back.updatedAt], [source, clock.now().toISOString()])
  })

  it('audits both records, with what changed and the id of the other one', async () => {
    const [target, source] = [
      await create('M-3', { jobTitle: null }),
      await create('M-4', { jobTitle: 'Boss' }),
    ]
    const { mergeId } = await good('POST', `/admin/v1/applicants/${target}/merge`, { from: source })
    const entries = await app.db.sql<{ record: string; changes: { pointer: string; after: unknown }[] }[]>`
      select record_id as record, changes from audit where action = 'applicant.merge'
        and record_id = any(${[target, source]})`
    const changes = new Map(
      entries.map(({ record, changes }) => [record, new Map(changes.map(one => [one.pointer, one.after]))]),
    )
    assert.equal(changes.get(target)?.get('/absorbedApplicantId'), source)
    assert.equal(changes.get(target)?.get('/jobTitle'), 'Boss')
    assert.equal(changes.get(target)?.get('/mergeId'), mergeId)
    assert.equal(changes.get(source)?.get('/mergedInto'), target)
  })

  it('moves the reminders of passports, and an undo moves them back', async () => {
    const expiring = (passportNumber: string) => ({
      passports: [{ passportNumber, country: 'DE', expiryDate: '2026-05-20' }],
    })
    const [target, source] = [
      await create('M-20', expiring('C01X00T47')),
      await create('M-21', { ...expiring('C01X00T48'), sendingCompany: 'Acme' }),
    ]
    const { sql } = app.db
    const recorders = { audit: createAudit({ sql, clock }).append, emit: appendEvents }
    const reminders = createPassportReminders({
      db: app.db,
      clock,
      recorders,
      days: [90, 30],
      mail: undefined,
    })
    const owners = async () => {
      const rows = await sql<{ owner: string; rung: string }[]>`
        select n.applicant_id as owner, n.rung from notifications n join applicants a using (applicant_id)
        where n.applicant_id = any(${[target, source]}) and n.company_set_id is not distinct from a.company_set_id
        order by n.seq`
      return rows.map(({ owner, rung }) => [owner === source ? 'source' : 'target', rung])
    }
    await reminders.find()
    const byOwner = (list: string[][]) => list.toSorted((a, b) => `${a}`.localeCompare(`${b}`))
    const before = [
      ['source', '90 days'],
      ['target', '90 days'],
    ]
    assert.deepEqual(byOwner(await owners()), before)
    const { mergeId } = await good('POST', `/admin/v1/applicants/${target}/merge`, { from: source })
    assert.deepEqual(await owners(), [
      ['target', '90 days'],
      ['target', '90 days'],
    ])
    const { records } = await good('GET', `/admin/v1/applicants/${target}/timeline`)
    const shown = records.map((one: { action: string; record: { id: string } }) => [
      one.action,
      one.record.id,
    ])
    assert.deepEqual(
      shown.filter(([action]: string[]) => action === 'passport.remind'),
      [
        ['passport.remind', target],
        ['passport.remind', target],
      ],
    )
    // What happened to the absorbed record before the merge.
    assert.ok(
      shown.some(([action, id]: string[]) => action === 'applicant.create' && id === source),
      `${shown}`,
    )
    clock.advance(45 * 86_400)
    await reminders.find()
    assert.equal((await owners()).length, 4)
    await good('POST', `/admin/v1/merges/${mergeId}/undo`, {})
    assert.deepEqual(byOwner(await owners()), [
      ['source', '30 days'],
      ['source', '90 days'],
      ['target', '30 days'],
      ['target', '90 days'],
    ])
    clock.advance(-45 * 86_400)
  })

  it('waits for a case that is being created for the absorbed record, and moves it', async () => {
    const [target, source] = [await create('M-5'), await create('M-6')]
    const cases = Array.from({ length: 8 }, () =>
      good('POST', '/v2/case', caseBody({ employeeNumber: 'M-6' })),
    )
    const merging = good('POST', `/admin/v1/applicants/${target}/merge`, {
      from: source,
      employeeNumber: 'source',
    })
    const created = (await Promise.all(cases)).map(({ caseId }) => caseId as string)
    await merging
    const found = await good('GET', `/v2/cases/applicant/id/${target}`)
    assert.deepEqual(found.map(({ caseId }: { caseId: string }) => caseId).toSorted(), created.toSorted())
  })

  it('follows merges of the record that absorbed it, and undoes the latest first', async () => {
    const [a, b, c] = [await create('M-7'), await create('M-8'), await create('M-9')]
    const first = await good('POST', `/admin/v1/applicants/${b}/merge`, { from: a })
    const second = await good('POST', `/admin/v1/applicants/${c}/merge`, { from: b })
    for (const url of [
      `/v2/applicant/${a}`,
      '/v2/applicant/employeenumber/M-7',
      `/v2/cases/applicant/id/${a}`,
    ]) {
      const { status, body } = await app.call({ url })
      assert.deepEqual([status, body.mergedInto], [404, c])
    }
    const early = await app.call({ method: 'POST', url: `/admin/v1/merges/${first.mergeId}/undo`, body: {} })
    assert.deepEqual([early.status, early.body.code], [409, 'changed-since-merge'])
    await good('POST', `/admin/v1/merges/${second.mergeId}/undo`, {})
    await good('POST', `/admin/v1/merges/${first.mergeId}/undo`, {})
    for (const [id, number] of [
      [a, 'M-7'],
      [b, 'M-8'],
      [c, 'M-9'],
    ])
      assert.equal((await good('GET', `/v2/applicant/${id}`)).employeeNumber, number)
  })
})
