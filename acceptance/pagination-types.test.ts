// The parameter `type`: the date by which a list is filtered and sorted.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  addNote,
  adminNote,
  adminStep,
  caseOfSteps,
  dayAfter,
  dayFromNow,
  idsOf,
  type List,
  newCase,
  ownDay,
  page,
  type Query,
} from './case-factories.ts'
import { expectOk, type Fields, patch } from './people.ts'

const AROUND_TODAY = { startDate: dayFromNow(-1), endDate: dayFromNow(1) }

/** The last thousand records of a list. */
async function tail(list: List, query: Query): Promise<Fields[]> {
  const { prevCursor } = await page(list, { ...query, offset: 100_000_000 })
  return (await page(list, { ...query, maxRecords: 1000, prevCursor: prevCursor ?? '' })).records
}

const assertSorted = (records: Fields[], field: string) => {
  const dates = records.map(record => record[field])
  assert.deepEqual(dates, [...dates].sort())
}

describe('GET /v2/cases/applicants/steps: type', () => {
  it('started and completed select by those dates, and omit steps without one', async () => {
    const { caseId, steps } = await caseOfSteps(4)
    const day = ownDay()
    const later = dayAfter(day, 10)
    const [, second, third, fourth] = steps.map(step => step['stepId'] as string)
    await expectOk(patch(adminStep(caseId, third ?? ''), { startDate: day, completionDate: later }))
    await expectOk(
      patch(adminStep(caseId, second ?? ''), { startDate: dayAfter(day), completionDate: dayAfter(day) }),
    )
    await expectOk(patch(adminStep(caseId, fourth ?? ''), { startDate: later }))
    const ids = async (type: string, startDate: string, endDate: string) =>
      idsOf((await page('steps', { startDate, endDate, type, offset: '' })).records)
    assert.deepEqual(await ids('started', day, later), [third, second, fourth])
    assert.deepEqual(await ids('completed', day, later), [second, third])
    assert.deepEqual(await ids('started', dayAfter(day), dayAfter(later, -1)), [second])
    assert.deepEqual(await ids('completed', later, later), [third])
    assert.deepEqual(await ids('created', day, later), [])
    assert.deepEqual(await ids('updated', day, later), [])

    await expectOk(patch(adminStep(caseId, third ?? ''), { startDate: null, completionDate: null }))
    assert.deepEqual(await ids('started', day, later), [second, fourth])
    assert.deepEqual(await ids('completed', day, later), [second])
  })

  it('is the last update by default, so that a changed step is last', async () => {
    const { caseId, steps } = await caseOfSteps(3)
    const ids = idsOf(steps)
    const own = (records: Fields[]) => idsOf(records.filter(record => record['caseId'] === caseId))
    for (const query of [
      AROUND_TODAY,
      { ...AROUND_TODAY, type: 'updated' },
      { ...AROUND_TODAY, type: 'created' },
    ])
      assert.deepEqual(own(await tail('steps', query)), ids)
    await new Promise(resolve => setTimeout(resolve, 5))
    await expectOk(patch(adminStep(caseId, ids[0] ?? ''), { status: 'completed' }))
    const moved = [ids[1], ids[2], ids[0]]
    for (const query of [AROUND_TODAY, { ...AROUND_TODAY, type: 'updated' }]) {
      const records = await tail('steps', query)
      assertSorted(records, 'updatedAt')
      assert.deepEqual(own(records), moved)
    }
    const created = await tail('steps', { ...AROUND_TODAY, type: 'created' })
    assertSorted(created, 'createdAt')
    assert.deepEqual(own(created), ids)
  })
})

describe('GET /v2/cases/applicants/notes: type', () => {
  it('is the creation by default; by update, a corrected note is last', async () => {
    const { caseId } = await newCase()
    const ids = []
    for (const content of ['one', 'two', 'three']) ids.push((await addNote(caseId, content))['noteId'])
    await new Promise(resolve => setTimeout(resolve, 5))
    await expectOk(patch(adminNote(caseId, ids[0]), { content: 'one, corrected' }))
    const own = (records: Fields[]) => idsOf(records.filter(record => record['caseId'] === caseId))
    for (const query of [AROUND_TODAY, { ...AROUND_TODAY, type: 'created' }]) {
      const records = await tail('notes', query)
      assertSorted(records, 'createdAt')
      assert.deepEqual(own(records), ids)
    }
    const updated = await tail('notes', { ...AROUND_TODAY, type: 'updated' })
    assertSorted(updated, 'updatedAt')
    assert.deepEqual(own(updated), [ids[1], ids[2], ids[0]])
  })

  it('returns a record as the case returns it', async () => {
    const { caseId } = await newCase()
    const note = await addNote(caseId, 'The same wherever it is read.')
    const found = (await tail('notes', AROUND_TODAY)).find(record => record['noteId'] === note['noteId'])
    assert.deepEqual(found, note)
  })
})
