// The change feed below HTTP: its order although transactions overlap, its cost, what is deleted, and waiting.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { runAs, runUnlimited } from '../../src/db/caller.ts'
import type { Sql } from '../../src/db/database.ts'
import { limitByCaller } from '../../src/db/limited-access.ts'
import { type ChangesPage, createChanges, type FeedPosition } from '../../src/events/changes.service.ts'
import { readFeed } from '../../src/events/changes.store.ts'
import { createDeliveries } from '../../src/events/deliveries.worker.ts'
import { createFeedWatch } from '../../src/events/feed-watch.ts'
import { Problem } from '../../src/lib/problem.ts'
import { createTestDatabase, silent, testClock, testSealer } from '../support/harness.ts'
import { blocksOf, planned } from '../support/query-plans.ts'

const DAY = 86_400
const all = { types: undefined, companies: null }

async function setUp() {
  const db = await createTestDatabase()
  const clock = testClock()
  const createFeed = () => {
    const deliveries = createDeliveries({ db, sealer: testSealer, clock, log: silent, allowPrivate: true })
    let dispatches = 0
    const dispatch = () => {
      dispatches += 1
      return deliveries.dispatch()
    }
    const watch = createFeedWatch({ sql: db.sql, dispatch, log: silent })
    const changes = createChanges({ sql: limitByCaller(db).sql, watch })
    return { changes, watch, deliveries, dispatches: () => dispatches }
  }
  const insert = (sql: Sql, id: string, { type = 'case.created', set = null as number | null } = {}) => sql`
    insert into events (event_id, type, record_id, data, occurred_at, company_set_id)
    values (${id}, ${type}, ${id}, '{}', ${clock.now()}, ${set})`
  return { db, clock, createFeed, insert, ...createFeed() }
}

const isExpired = (error: unknown) => error instanceof Problem && error.kind.code === 'feed-expired'

type Feed = Awaited<ReturnType<typeof setUp>>['changes']

/** All pages from a position to the end of the feed. */
async function walk(changes: Feed, after?: FeedPosition, limit = 100) {
  const ids: string[] = []
  let page: ChangesPage
  let next = after
  do {
    page = await runUnlimited(() => changes.page(all, { after: next, limit }))
    ids.push(...page.changes.map(({ eventId }) => eventId))
    next = page.next
  } while (page.more)
  return { ids, next, through: page.through }
}

describe('the change feed', () => {
  it('returns a transaction that commits late after those that committed before it', async () => {
    const { db, insert, changes } = await setUp()
    const open = Promise.withResolvers<void>()
    const inserted = Promise.withResolvers<void>()
    const late = db.transaction(async tx => {
      await insert(tx, 'late')
      inserted.resolve()
      await open.promise
    })
    await inserted.promise
    await insert(db.sql, 'early')
    const first = await walk(changes)
    assert.deepEqual(first.ids, ['early'])
    open.resolve()
    await late
    await insert(db.sql, 'last')
    assert.deepEqual((await walk(changes, first.next)).ids, ['late', 'last'])
    assert.deepEqual((await walk(changes)).ids, ['early', 'late', 'last'])
  })

  it('is not stalled by a transaction that is open for long', async () => {
    const { db, insert, changes } = await setUp()
    const open = Promise.withResolvers<void>()
    const inserted = Promise.withResolvers<void>()
    const long = db.transaction(async tx => {
      await insert(tx, 'import')
      inserted.resolve()
      await open.promise
    })
    await inserted.promise
    let { next } = await walk(changes)
    for (const id of ['one', 'two', 'three']) {
      await insert(db.sql, id)
      const read = await walk(changes, next)
      assert.deepEqual(read.ids, [id])
      next = read.next
    }
    open.resolve()
    await long
    assert.deepEqual((await walk(changes, next)).ids, ['import'])
  })

  it('gives three readers each change of overlapping transactions once, in the same order', async () => {
    const { db, insert, createFeed } = await setUp()
    const writers = 24
    const perWriter = 25
    const committed: { id: string; begun: number; ended: number }[] = []
    let isWriting = true
    const write = async (writer: number) => {
      for (let n = 0; n < perWriter; n++) {
        const id = `event-${writer}-${n}`
        const begun = performance.now()
        await db.transaction(async tx => {
          await insert(tx, id)
          // Commits in another order than that of the inserts.
          await sleep(Math.random() * 12)
          if (n % 5 === 0) await insert(tx, `${id}-second`)
        })
        committed.push({ id, begun, ended: performance.now() })
      }
    }
    const read = async (limit: number) => {
      // A process of its own, as far as numbering is concerned.
      const { changes } = createFeed()
      const ids: string[] = []
      let next: FeedPosition | undefined
      while (isWriting) {
        const page = await walk(changes, next, limit)
        ids.push(...page.ids)
        next = page.next
        await sleep(Math.random() * 8)
      }
      return [...ids, ...(await walk(changes, next, limit)).ids]
    }
    const reading = [1, 7, 100].map(read)
    await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
    isWriting = false
    const [first = [], ...others] = await Promise.all(reading)
    assert.equal(first.length, writers * perWriter * 1.2)
    assert.equal(new Set(first).size, first.length)
    for (const other of others) assert.deepEqual(other, first)
    // A transaction that began when another had ended comes after it.
    const positions = new Map(first.map((id, index) => [id, index]))
    const positionOf = ({ id }: { id: string }) => positions.get(id) ?? -1
    const misplaced = committed.flatMap(earlier =>
      committed.filter(later => later.begun > earlier.ended && positionOf(later) < positionOf(earlier)),
    )
    assert.deepEqual(misplaced, [])
  })

  it('has each change that was committed before a request', async () => {
    const { db, insert, changes } = await setUp()
    let { next } = await walk(changes)
    for (let n = 0; n < 50; n++) {
      await insert(db.sql, `event-${n}`)
      const read = await walk(changes, next)
      assert.deepEqual(read.ids, [`event-${n}`])
      next = read.next
    }
  })
})

describe('a page of the feed', async () => {
  const { db, changes } = await setUp()
  const { sql } = db
  const total = 60_000
  await sql`
    insert into companies (company_id, name, name_key, created_at, updated_at)
    select 'company-' || letter, letter, lower(letter), now(), now() from unnest(array['A', 'B']) as letter`
  const [setA, setB] = await Promise.all(
    ['company-A', 'company-B'].map(async id => {
      const [row] = await sql<[{ set: number }]>`select public.company_set_of(array[${id}]::text[]) as set`
      return row.set
    }),
  )
  await sql`
    insert into events (event_id, type, record_id, data, occurred_at, dispatched_at, number, company_set_id)
    select 'evt_' || lpad(to_hex(n), 8, '0') || n, case when n % 1000 = 0 then 'document.created' else 'case.created' end,
      'case-' || n, '{"caseId":"x"}', now(), now(), n,
      case when n % 500 = 0 then ${setB ?? 0}::integer else ${setA ?? 0}::integer end
    from generate_series(1, ${total}::integer) n`
  await sql`
    update change_feed set head = ${total}, head_event_id = (select event_id from events where number = ${total})`
  await sql`
    insert into change_feed_sets (company_set_id, head, head_event_id, deleted_through)
    select distinct on (company_set_id) company_set_id, number, event_id, 0 from events
    order by company_set_id, number desc`
  await sql`vacuum analyze events`
  const at = async (number: number) => {
    const [row] = await sql<[{ id: string }]>`select event_id as id from events where number = ${number}`
    return { number, mark: row.id.slice(0, 12) }
  }

  it('reads as many blocks at the end as at the begin', async () => {
    const blocks: number[] = []
    for (const number of [1, total / 2, total - 1_001]) {
      const after = await at(number)
      const { result, plans } = await planned(sql, from =>
        readFeed(from, { after, types: undefined, limit: 1_000, scan: 1_001 }),
      )
      assert.equal(result.changes.length, number > total - 1_001 ? 1_000 : 1_001)
      blocks.push(blocksOf(plans[0]?.[0] as never))
    }
    assert.ok(Math.max(...blocks) <= Math.min(...blocks) * 1.2 + 4, blocks.join(', '))
  })

  it('of a limited caller reads the changes of its companies only', async () => {
    const read = await runAs(['company-B'], () =>
      changes.page({ ...all, companies: ['company-B'] }, { after: undefined, limit: 50 }),
    )
    assert.deepEqual(
      read.changes.map(({ number }) => number),
      Array.from({ length: 50 }, (_, n) => (n + 1) * 500),
    )
    assert.equal(read.more, true)
    const { plans } = await db
      .forCompanies(['company-B'])
      .transaction(tx =>
        planned(tx, async from =>
          readFeed(from, { after: await at(1), types: undefined, limit: 50, scan: 51 }),
        ),
      )
    assert.ok(blocksOf(plans[0]?.[0] as never) < 250, `${blocksOf(plans[0]?.[0] as never)} blocks`)
  })

  it('of a rare type ends after some thousand changes, and the next goes on from there', async () => {
    const reader = { ...all, types: ['document.created'] as const }
    const numbers: number[] = []
    let pages = 0
    let page: ChangesPage | undefined
    do {
      const after: FeedPosition | undefined = page?.next
      page = await runUnlimited(() => changes.page(reader, { after, limit: 100 }))
      pages += 1
      numbers.push(...page.changes.map(({ number }) => number))
    } while (page.more)
    assert.equal(pages, total / 5_000 + 1)
    assert.deepEqual(
      numbers,
      Array.from({ length: total / 1_000 }, (_, n) => (n + 1) * 1_000),
    )
    assert.equal(page.next.number, total)
  })

  it('of no caller is empty', async () => {
    assert.deepEqual((await changes.page(all, { after: undefined, limit: 10 })).changes, [])
  })
})

describe('events that are deleted', () => {
  it('make older cursors expire, and the feed begin after them', async () => {
    const { db, clock, insert, changes, deliveries } = await setUp()
    await insert(db.sql, 'old')
    const old = await walk(changes)
    await insert(db.sql, 'older than thirty days')
    const kept = await walk(changes, old.next)
    clock.advance(20 * DAY)
    await insert(db.sql, 'new')
    await walk(changes)
    clock.advance(11 * DAY)
    await deliveries.deleteOld()
    assert.deepEqual((await walk(changes)).ids, ['new'])
    assert.deepEqual((await walk(changes, kept.next)).ids, ['new'])
    await assert.rejects(walk(changes, old.next), isExpired)
    clock.advance(31 * DAY)
    await deliveries.deleteOld()
    assert.deepEqual((await walk(changes)).ids, [])
    await insert(db.sql, 'next')
    assert.deepEqual((await walk(changes)).ids, ['next'])
    await assert.rejects(walk(changes, kept.next), isExpired)
  })

  it('are not those that got their number less than thirty days ago', async () => {
    const { db, clock, insert, changes, deliveries } = await setUp()
    await insert(db.sql, 'committed late')
    clock.advance(40 * DAY)
    const { next } = await walk(changes)
    await deliveries.deleteOld()
    assert.deepEqual((await walk(changes)).ids, ['committed late'])
    assert.deepEqual((await walk(changes, next)).ids, [])
  })
})

describe('a limited caller', () => {
  it('has cursors that depend on its own companies alone', async () => {
    const { db, clock, insert, changes, deliveries } = await setUp()
    await db.sql`
      insert into companies (company_id, name, name_key, created_at, updated_at)
      select 'company-' || letter, letter, lower(letter), now(), now() from unnest(array['A', 'B']) as letter`
    const [setA, setB] = await Promise.all(
      ['company-A', 'company-B'].map(async id => {
        const [row] = await db.sql<
          [{ set: number }]
        >`select public.company_set_of(array[${id}]::text[]) as set`
        return row.set
      }),
    )
    const asB = (after?: FeedPosition | 'now') =>
      runAs(['company-B'], () =>
        changes.page({ types: undefined, companies: ['company-B'] }, { after, limit: 10 }),
      )
    assert.equal((await asB()).next.number, 0)
    await insert(db.sql, 'evt_a1', { set: setA ?? null })
    assert.equal((await asB()).next.number, 0)
    await insert(db.sql, 'evt_b1', { set: setB ?? null })
    const own = await asB()
    assert.deepEqual([own.changes.length, own.next], [1, { number: 2, mark: 'evt_b1' }])
    // Others write, and what they wrote is deleted: nothing of it is noticed.
    await insert(db.sql, 'evt_a2', { set: setA ?? null })
    clock.advance(1)
    for (const after of [own.next, 'now'] as const) {
      const { next, changes: found } = await asB(after)
      assert.deepEqual([found, next], [[], own.next])
    }
    await db.sql`delete from events where event_id = 'evt_b1'`
    await db.sql`
      update change_feed_sets set deleted_through = 2 where company_set_id = ${setB ?? 0}`
    clock.advance(31 * DAY)
    await deliveries.deleteOld()
    assert.deepEqual((await asB(own.next)).next, own.next)
    await insert(db.sql, 'evt_b2', { set: setB ?? null })
    assert.deepEqual(
      (await asB(own.next)).changes.map(({ eventId }) => eventId),
      ['evt_b2'],
    )
  })
})

describe('a cursor from before the database was restored', () => {
  it('expires, whether the feed has come as far again or not', async () => {
    const { db, insert, changes } = await setUp()
    await insert(db.sql, 'evt_kept-0001')
    const kept = await walk(changes)
    await insert(db.sql, 'evt_lost-0001')
    const lost = await walk(changes, kept.next)
    await db.sql`delete from events where event_id = 'evt_lost-0001'`
    await db.sql`update change_feed set head = ${kept.next.number}, head_event_id = 'evt_kept-0001'`
    await assert.rejects(walk(changes, lost.next), isExpired)
    await insert(db.sql, 'evt_other-0001')
    await assert.rejects(walk(changes, lost.next), isExpired)
    assert.deepEqual((await walk(changes, kept.next)).ids, ['evt_other-0001'])
  })
})

describe('waiting for changes', () => {
  const signal = new AbortController().signal

  it('ends with the first change that the reader may see, and not with others', async () => {
    const { db, insert, changes, watch } = await setUp()
    const { through } = await walk(changes)
    let woken = false
    const waiting = changes
      .wait({ ...all, types: ['document.created'] }, { through, milliseconds: 10_000, signal })
      .then(() => {
        woken = true
      })
    await insert(db.sql, 'a case')
    await sleep(300)
    assert.equal(woken, false)
    const began = performance.now()
    await insert(db.sql, 'a document', { type: 'document.created' })
    await waiting
    assert.ok(performance.now() - began < 2_000)
    watch.stop()
  })

  it('ends for a limited reader with a change of its companies', async () => {
    const { db, insert, changes, watch } = await setUp()
    await db.sql`
      insert into companies (company_id, name, name_key, created_at, updated_at)
      select 'company-' || letter, letter, lower(letter), now(), now() from unnest(array['A', 'B']) as letter`
    const setOf = async (id: string) => {
      const [row] = await db.sql<[{ set: number }]>`select public.company_set_of(array[${id}]::text[]) as set`
      return row.set
    }
    const { through } = await walk(changes)
    let woken = false
    const waiting = changes
      .wait({ types: undefined, companies: ['company-B'] }, { through, milliseconds: 10_000, signal })
      .then(() => {
        woken = true
      })
    await insert(db.sql, 'of A', { set: await setOf('company-A') })
    await insert(db.sql, 'of no company')
    await sleep(300)
    assert.equal(woken, false)
    await insert(db.sql, 'of B', { set: await setOf('company-B') })
    await waiting
    watch.stop()
  })

  it('costs the same for a hundred readers as for one', async () => {
    const { db, insert, changes, watch, dispatches } = await setUp()
    const { through } = await walk(changes)
    const before = dispatches()
    const waits = Array.from({ length: 100 }, () =>
      changes.wait(all, { through, milliseconds: 10_000, signal }),
    )
    await sleep(100)
    await insert(db.sql, 'one')
    await Promise.all(waits)
    assert.ok(dispatches() - before <= 2, `${dispatches() - before} dispatches`)
    watch.stop()
  })

  it('ends when the time is over, the client hangs up, or the service stops', async () => {
    const { changes, watch } = await setUp()
    const { through } = await walk(changes)
    const began = performance.now()
    await changes.wait(all, { through, milliseconds: 100, signal })
    assert.ok(performance.now() - began >= 99)
    const client = new AbortController()
    const aborted = changes.wait(all, { through, milliseconds: 60_000, signal: client.signal })
    client.abort()
    await aborted
    const stopped = changes.wait(all, { through, milliseconds: 60_000, signal })
    watch.stop()
    await stopped
    await changes.wait(all, { through, milliseconds: 60_000, signal })
  })
})
