// Walks by cursor during concurrent writes. A record that does not change is returned exactly once and in order, forwards
// and backwards, whatever is inserted and updated around it.
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

/** A seeded pseudo-random generator, so that failures can be reproduced. */
function seededRandom(seed: number) {
  let state = seed
  return (sides: number) => {
    state = (state * 48_271) % 2_147_483_647
    return Math.floor((state / 2_147_483_647) * sides)
  }
}

interface Dataset {
  list: List
  range: Query
  /** Ids of the records that never change, in the order of the list. */
  stable: string[]
  /** Inserts a record, or changes one that is not stable. */
  writeRandomly(): Promise<unknown>
  owns(record: Fields): boolean
}

/** Steps on three days that no other test uses. Some move between the days, and new ones are inserted. */
async function stepsByDay(seed: number): Promise<Dataset> {
  const roll = seededRandom(seed)
  const day = ownDay()
  const anyDay = () => dayAfter(day, roll(3))
  const cases = await Promise.all([1, 2, 3].map(() => caseOfSteps(RECORDS / 3)))
  const steps = cases.flatMap(one => one.steps)
  const begin = ({ caseId, stepId }: Fields) => patch(adminStep(caseId, stepId), { startDate: anyDay() })
  await Promise.all(steps.map(step => expectOk(begin(step))))
  const changing = steps.filter((_, index) => index % 4 === 0)
  const range = { startDate: day, endDate: dayAfter(day, 2), type: 'started' }
  const { records } = await page('steps', { ...range, offset: '', maxRecords: 1000 })
  assert.equal(records.length, RECORDS)
  const changingIds = new Set(idsOf(changing))
  const caseIds = new Set(cases.map(({ caseId }) => caseId))
  return {
    list: 'steps',
    range,
    stable: idsOf(records).filter(id => !changingIds.has(id)),
    owns: record => caseIds.has(record['caseId']),
    async writeRandomly() {
      if (roll(2)) return expectOk(begin(changing[roll(changing.length)] as Fields))
      return expectOk(begin(await addStep(cases[roll(3)]?.caseId ?? '')))
    },
  }
}

/** Steps or notes among those of other tests. Some are changed, and new ones are added. */
async function recordsOfToday(list: List, type: string, seed: number): Promise<Dataset> {
  const roll = seededRandom(seed)
  const { caseId, steps } = await caseOfSteps(list === 'steps' ? RECORDS : 1)
  const made = list === 'steps' ? steps : await notesOf(caseId)
  const changing = made.filter((_, index) => index % 4 === 0)
  const changingIds = new Set(idsOf(changing))
  const range = { ...AROUND_TODAY, type }
  const pages = await pagesFrom(list, { ...range, offset: '', maxRecords: 1000 })
  const ids = idsOf(pages.flatMap(({ records }) => records).filter(record => record['caseId'] === caseId))
  assert.equal(ids.length, made.length)
  return {
    list,
    range,
    stable: ids.filter(id => !changingIds.has(id)),
    owns: record => record['caseId'] === caseId,
    async writeRandomly() {
      const { stepId, noteId } = changing[roll(changing.length)] as Fields
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

/** A cursor before the first record of the dataset, or an empty offset if there is none. */
async function cursorBefore({ list, range, owns }: Dataset): Promise<Query> {
  const pages = await pagesFrom(list, { ...range, offset: '', maxRecords: 1000 })
  const first = pages.flatMap(({ records }) => records).findIndex(owns)
  for (let offset = first - 1; offset >= 0; offset -= 10) {
    // Concurrent tests may have moved records from before to after ours.
    const { records, nextCursor } = await page(list, { ...range, offset, maxRecords: 1 })
    if (records[0] && !owns(records[0]) && nextCursor) return { nextCursor }
  }
  return { offset: '' }
}

async function cursorAfter({ list, range }: Dataset): Promise<Query> {
  const { prevCursor } = await page(list, { ...range, offset: 100_000_000 })
  return { prevCursor: prevCursor ?? '' }
}

/** Walks in small pages during concurrent writes. Returns the ids in the order in which they were read. */
async function walk(dataset: Dataset, way: 'nextCursor' | 'prevCursor', seed: number): Promise<string[]> {
  const roll = seededRandom(seed)
  const { list, range, stable, writeRandomly } = dataset
  const unseen = new Set(stable)
  const seen: string[] = []
  let query = way === 'nextCursor' ? await cursorBefore(dataset) : await cursorAfter(dataset)
  let writes = 0
  let walking = true
  const write = async () => {
    while (walking && writes++ < WRITES) await writeRandomly()
  }
  const writers = [write(), write()]
  // Reads some pages beyond our last record, to detect duplicates.
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

const DATASETS: Record<string, (seed: number) => Promise<Dataset>> = {
  'steps by start date': stepsByDay,
  'steps by creation': seed => recordsOfToday('steps', 'created', seed),
  'steps by last update': seed => recordsOfToday('steps', 'updated', seed),
  'notes by creation': seed => recordsOfToday('notes', 'created', seed),
  'notes by last update': seed => recordsOfToday('notes', 'updated', seed),
}

describe('walks by cursor during concurrent writes', () => {
  for (const [name, prepare] of Object.entries(DATASETS))
    for (const way of ['nextCursor', 'prevCursor'] as const)
      it(`${name}, ${way === 'nextCursor' ? 'forwards' : 'backwards'}`, async () => {
        const dataset = await prepare(7)
        const seen = await walk(dataset, way, 11)
        const stable = new Set(dataset.stable)
        assert.deepEqual(
          seen.filter(id => stable.has(id)),
          way === 'nextCursor' ? dataset.stable : dataset.stable.toReversed(),
        )
      })

  it('return every record once in both directions if nothing changes', async () => {
    const { list, range, stable, owns } = await stepsByDay(3)
    const pages = await pagesFrom(list, { ...range, offset: '', maxRecords: 7 })
    const all = pages.flatMap(({ records }) => records)
    assert.ok(all.every(owns))
    assert.deepEqual(
      idsOf(all).filter(id => stable.includes(id)),
      stable,
    )
    assert.equal(new Set(idsOf(all)).size, RECORDS)
    const query = { ...range, maxRecords: 4, offset: 100_000_000 }
    const back = await pagesFrom(list, query, { way: 'prevCursor' })
    assert.deepEqual(idsOf(back.toReversed().flatMap(({ records }) => records)), idsOf(all))
  })
})
