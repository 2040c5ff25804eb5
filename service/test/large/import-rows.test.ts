// The rows of a large import: a batch near the end of the file reads no more than one at its start.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Sql, Tx } from '../../src/db/database.ts'
import { listUnapplied } from '../../src/imports/staged-rows.store.ts'
import { createTestDatabase } from '../support/harness.ts'
import { blocksOf, planned } from '../support/query-plans.ts'

const ROWS = 60_000
const db = await createTestDatabase()

before(async () => {
  await db.sql`
    insert into import_rows (import_id, row, employee_number, body, hash)
    select 'large', row, 'E-' || row, '{"primaryApplicant":{"firstName":"Anna","lastName":"Schmidt"}}', md5(row::text)
    from generate_series(1, ${ROWS}::integer) row`
  await db.sql`
    insert into import_results (import_id, position, row, employee_number, outcome, changed)
    select 'large', row, row, 'E-' || row, 'created', '{}' from generate_series(1, ${ROWS}::integer) row`
  await db.sql`vacuum analyze import_rows, import_results`
})

/** In a transaction, as the worker reads them. */
const readAfter = (after: number) =>
  db.transaction(async (tx: Tx) => {
    const { result, plans } = await planned(tx as unknown as Sql, sql =>
      listUnapplied(sql as unknown as Tx, {
        importId: 'large',
        after,
        limit: 200,
        maxBytes: 8 * 1024 * 1024,
        outcomes: ['created', 'updated', 'rejected'],
      }),
    )
    return {
      rows: result.map(({ row }) => row),
      blocks: plans.reduce((sum, [root]) => sum + blocksOf(root as never), 0),
    }
  })

describe('the next rows to apply', () => {
  it('cost as much at the end of a large file as at its start', async () => {
    const first = await readAfter(0)
    const last = await readAfter(ROWS - 200)
    assert.deepEqual([first.rows[0], first.rows.length], [1, 200])
    assert.deepEqual([last.rows[0], last.rows.length], [ROWS - 199, 200])
    assert.ok(
      last.blocks <= first.blocks + 20,
      `${first.blocks} blocks at the start, ${last.blocks} at the end`,
    )
  })

  it('are fewer where they are large, but never none', async () => {
    const sizes = [3_000_000, 3_000_000, 3_000_000, 10, 20_000_000, 10]
    await db.sql`
      insert into import_rows (import_id, row, employee_number, body, hash)
      select 'wide', row, 'E-' || row, repeat('x', size), md5(row::text)
      from unnest(${sizes}::integer[]) with ordinality as s (size, row)`
    await db.sql`
      insert into import_results (import_id, position, row, employee_number, outcome, changed)
      select 'wide', row, row, 'E-' || row, 'created', '{}' from generate_series(1, ${sizes.length}::integer) row`
    const rowsAfter = (after: number) =>
      db.transaction(async tx => {
        const rows = await listUnapplied(tx, {
          importId: 'wide',
          after,
          limit: 200,
          maxBytes: 8_000_000,
          outcomes: ['created'],
        })
        return rows.map(({ row }) => row)
      })
    assert.deepEqual(await rowsAfter(0), [1, 2, 3])
    assert.deepEqual(await rowsAfter(3), [4, 5])
    assert.deepEqual(await rowsAfter(4), [5])
    assert.deepEqual(await rowsAfter(5), [6])
  })
})
