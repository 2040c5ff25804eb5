// Which statements run on the connections for reads, where they may be sent twice.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isRead } from '../../src/db/statements.ts'
import { createTestDatabase } from '../support/harness.ts'

const db = await createTestDatabase()
await db.sql.unsafe(`
  create table counted (id int primary key, value int not null);
  insert into counted values (1, 0);
  create sequence numbers;
  create function increase() returns int language sql as 'update counted set value = value + 1 returning value'`)

const value = async () => (await db.sql<[{ value: number }]>`select value from counted`)[0].value

describe('isRead', () => {
  const { sql } = db
  const reads = {
    'a select': sql`select 1`,
    'a with of selects': sql`with one as (select 1 as id) select id from one`,
    'a select with the name of a column that has "update" in it': sql`select updated_at from cases`,
  }
  for (const [name, statement] of Object.entries(reads))
    it(`is true for ${name}`, () => assert.equal(isRead(statement), true))

  const writes = {
    'an insert': sql`insert into counted values (2, 0)`,
    'an update in a fragment of a with': sql`with one as (${sql`update counted set value = 1 returning id`}) select id from one`,
    'a select that locks rows': sql`select id from counted for update`,
    'a select that locks rows in a fragment': sql`select id from counted ${sql`for no key update`}`,
    'a select that shares locks of rows': sql`select id from counted for key share`,
    'a with that locks rows': sql`with one as (select id from counted for share) select id from one`,
    'a call': sql`call anything()`,
    'several statements': sql.unsafe('create table one (id int); select 1'),
  }
  for (const [name, statement] of Object.entries(writes))
    it(`is false for ${name}`, () => assert.equal(isRead(statement), false))
})

describe('a statement that looks like a read', () => {
  const writing: Record<string, string> = {
    'a function that writes': 'select increase()',
    'a sequence': `select nextval('numbers')`,
    'a new table': 'select 1 as id into other',
  }
  for (const [name, text] of Object.entries(writing)) {
    it(`is rejected as an error of the service when it writes: ${name}`, async () => {
      const bug = { message: /has to run in a transaction, because it writes: cannot execute/ }
      await assert.rejects(async () => db.sql.unsafe(text), bug)
      await assert.rejects(
        db.lookup(async sql => sql.unsafe(text)),
        bug,
      )
      await assert.rejects(
        db.forCompanies(['none']).lookup(async sql => sql.unsafe(`set local search_path = public; ${text}`)),
        bug,
      )
    })
  }

  it('runs in a transaction when it writes', async () => {
    const before = await value()
    await db.transaction(async tx => tx`select increase()`)
    assert.equal(await value(), before + 1)
  })
})

describe('a snapshot', () => {
  it('shows the same state to all its reads, also through cursors', async () => {
    const before = await value()
    await db.snapshot(async tx => {
      const [first] = await tx`select value from counted`
      await db.sql`update counted set value = value + 1`
      const [second] = await tx`select value from counted`
      assert.deepEqual([first?.['value'], second?.['value']], [before, before])
      await tx.unsafe('declare ids no scroll cursor for select generate_series(1, 5) as id')
      assert.equal((await tx.unsafe('fetch forward 3 from ids')).length, 3)
      assert.equal((await tx.unsafe('fetch forward 3 from ids')).length, 2)
      const pages: number[] = []
      for await (const rows of tx`select generate_series(1, 5)`.cursor(2)) pages.push(rows.length)
      assert.deepEqual(pages, [2, 2, 1])
    })
    assert.equal(await value(), before + 1)
  })

  it('rejects writes', async () => {
    for (const access of [db, db.forCompanies(['none'])])
      await assert.rejects(
        access.snapshot(async tx => tx`update public.counted set value = 100`),
        /read-only transaction/,
      )
    assert.notEqual(await value(), 100)
  })

  it('of a limited caller has the companies of that caller', async () => {
    const [row] = await db.forCompanies(['one', 'two']).snapshot(
      async tx => tx<[{ companies: string; path: string }]>`
        select current_setting('caseport.companies') as companies, current_setting('search_path') as path`,
    )
    assert.deepEqual({ ...row }, { companies: '{one,two}', path: 'limited' })
  })

  it('takes no connection from transactions', async () => {
    const release = Promise.withResolvers<void>()
    const open = [1, 2].map(() => db.snapshot(async tx => [await tx`select 1`, await release.promise]))
    await Promise.all(Array.from({ length: 10 }, () => db.transaction(async tx => tx`select pg_sleep(0.05)`)))
    release.resolve()
    await Promise.all(open)
  })
})
