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
})
