// Walks by cursor during concurrent writes: a record that did not change meanwhile is seen exactly once and in its place,
// forwards and backwards, whatever is inserted and updated beside it.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  addNote,
  addStep,
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
  pagesFrom,
  type Query,
} from './case-factories.ts'
import { expectOk, type Fields, patch } from './people.ts'

const RECORDS = 150
const WRITES = 80
const AROUND_TODAY = { startDate: dayFromNow(-1), endDate: dayFromNow(1) }

/** Numbers that look random and are the same in every run, so that a failure can be had again. */
function dice(seed: number) {
  let state = seed
  return (sides: number) => {
    state = (state * 48_271) % 2_147_483_647
    return Math.floor((state / 2_147_483_647) * sides)
  }
}

interface Field {
  list: List
  range: Query
  /** Its records that stay as they are, in the order of the list. */
  still: string[]
  /** Inserts a record, or changes one that is not to stay as it is. */
  disturb(): Promise<unknown>
  owns(record: Fields): boolean
}

/** Steps on three days of their own; some move from day to day, and new ones come between them. */
async function fieldOfDays(seed: number): Promise<Field> {
  const roll = dice(seed)
  const day = ownDay()
  const anyDay = () => dayAfter(day, roll(3))
  const cases = await Promise.all([1, 2, 3].map(() => caseOfSteps(RECORDS / 3)))
  const steps = cases.flatMap(one => one.steps)
  const begin = ({ caseId, stepId }: Fields) => patch(adminStep(caseId, stepId), { startDate: anyDay() })
  await Promise.all(steps.map(step => expectOk(begin(step))))
  const restless = steps.filter((_, index) => index % 4 === 0)
  const range = { startDate: day, endDate: dayAfter(day, 2), type: 'started' }
  const { records } = await page('steps', { ...range, offset: '', maxRecords: 1000 })
  assert.equal(records.length, RECORDS)
  const moving = new Set(idsOf(restless))
  const caseIds = new Set(cases.map(({ caseId }) => caseId))
  return {
    list: 'steps',
    range,
    still: idsOf(records).filter(id => !moving.has(id)),
    owns: record => caseIds.has(record['caseId']),
    async disturb() {
      if (roll(2)) return expectOk(begin(restless[roll(restless.length)] as Fields))
      return expectOk(begin(await addStep(cases[roll(3)]?.caseId ?? '')))
    },
  }
}

/** Steps or notes among those of everybody; some are changed, and new ones are added. */
async function fieldOfToday(list: List, type: string, seed: number): Promise<Field> {
  const roll = dice(seed)
  const { caseId, steps } = await caseOfSteps(list === 'steps' ? RECORDS : 1)
  const made = list === 'steps' ? steps : await notesOf(caseId)
  const restless = made.filter((_, index) => index % 4 === 0)
  const moving = new Set(idsOf(restless))
  const range = { ...AROUND_TODAY, type }
  const pages = await pagesFrom(list, { ...range, offset: '', maxRecords: 1000 })
  const ids = idsOf(pages.flatMap(({ records }) => records).filter(record => record['caseId'] === caseId))
  assert.equal(ids.length, made.length)
  return {
    list,
    range,
    still: ids.filter(id => !moving.has(id)),
    owns: record => record['caseId'] === caseId,
    async disturb() {
      const { stepId, noteId } = restless[roll(restless.length)] as Fields
      const text = `Changed ${roll(1_000_000)}`
      if (list === 'steps')
        return roll(2) ? expectOk(patch(adminStep(caseId, stepId), { name: text })) : addStep(caseId)
      return roll(2) ? expectOk(patch(adminNote(caseId, noteId), { content: text })) : addNote(caseId, text)
    },
  }
}

async function notesOf(caseId: string): Promise<Fields[]> {
  const others = await newCase()
  const made = []
  for (let left = RECORDS; left > 0; left -= 10) {
    const ten = Array.from({ length: 10 }, (_, index) => addNote(caseId, `Note ${left} ${index}`))
    made.push(...(await Promise.all([...ten, addNote(others.caseId, 'Between')])).slice(0, 10))
  }
  return made
}

/** A cursor of a place before the first record of the field, or nothing where there is none. */
async function cursorBefore({ list, range, owns }: Field): Promise<Query> {
  const pages = await pagesFrom(list, { ...range, offset: '', maxRecords: 1000 })
  const first = pages.flatMap(({ records }) => records).findIndex(owns)
  for (let offset = first - 1; offset >= 0; offset -= 10) {
    // Others may have moved records from before to behind ours since.
    const { records, nextCursor } = await page(list, { ...range, offset, maxRecords: 1 })
    if (records[0] && !owns(records[0]) && nextCursor) return { nextCursor }
  }
  return { offset: '' }
}

async function cursorBehind({ list, range }: Field): Promise<Query> {
  const { prevCursor } = await page(list, { ...range, offset: 100_000_000 })
  return { prevCursor: prevCursor ?? '' }
}

/** The ids that a walk sees, in the order in which it sees them, with small pages and much going on meanwhile. */
async function walk(field: Field, way: 'nextCursor' | 'prevCursor', seed: number): Promise<string[]> {
  const roll = dice(seed)
  const { list, range, still, disturb } = field
  const unseen = new Set(still)
  const seen: string[] = []
  let query = way === 'nextCursor' ? await cursorBefore(field) : await cursorBehind(field)
  let writes = 0
  let walking = true
  const write = async () => {
    while (walking && writes++ < WRITES) await disturb()
  }
  const writers = [write(), write()]
  // A little further than the last of ours, to see whether any comes twice.
  let pages = 0
  for (let further = 20; further > 0; ) {
    assert.ok(pages++ < 3_000, 'The walk does not end.')
    const found = await page(list, { ...range, ...query, maxRecords: 1 + roll(9) })
    const ids = idsOf(found.records)
    seen.push(...(way === 'nextCursor' ? ids : ids.reverse()))
    for (const id of ids) unseen.delete(id)
    if (unseen.size === 0) further--
    const cursor = found[way]
    if (!cursor) break
    query = { [way]: cursor }
  }
  walking = false
  await Promise.all(writers)
  return seen
}

const FIELDS: Record<string, (seed: number) => Promise<Field>> = {
  'steps by the day they began': fieldOfDays,
  'steps by creation': seed => fieldOfToday('steps', 'created', seed),
  'steps by last update': seed => fieldOfToday('steps', 'updated', seed),
  'notes by creation': seed => fieldOfToday('notes', 'created', seed),
  'notes by last update': seed => fieldOfToday('notes', 'updated', seed),
}

describe('walks by cursor during concurrent writes', () => {
  for (const [name, prepare] of Object.entries(FIELDS))
    for (const way of ['nextCursor', 'prevCursor'] as const)
      it(`${name}, ${way === 'nextCursor' ? 'forwards' : 'backwards'}`, async () => {
        const field = await prepare(7)
        const seen = await walk(field, way, 11)
        const still = new Set(field.still)
        assert.deepEqual(
          seen.filter(id => still.has(id)),
          way === 'nextCursor' ? field.still : field.still.toReversed(),
        )
      })

  it('sees every record once where nothing changes, there and back', async () => {
    const { list, range, still, owns } = await fieldOfDays(3)
    const pages = await pagesFrom(list, { ...range, offset: '', maxRecords: 7 })
    const all = pages.flatMap(({ records }) => records)
    assert.ok(all.every(owns))
    assert.deepEqual(
      idsOf(all).filter(id => still.includes(id)),
      still,
    )
    assert.equal(new Set(idsOf(all)).size, RECORDS)
    const query = { ...range, maxRecords: 4, offset: 100_000_000 }
    const back = await pagesFrom(list, query, { way: 'prevCursor' })
    assert.deepEqual(idsOf(back.toReversed().flatMap(({ records }) => records)), idsOf(all))
  })
})
