// The rows that a former import has compared, found in a new database: PostgreSQL has no statistics of its tables yet.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Sql, Tx } from '../../src/db/database.ts'
import { checkKnown } from '../../src/imports/staged-rows.store.ts'
import { createTestDatabase } from '../support/harness.ts'
import { blocksOf, planned } from '../support/query-plans.ts'

const ROWS = 300
const db = await createTestDatabase()

before(async () => {
  for (const table of ['applicants', 'import_rows'])
    await db.sql`alter table ${db.sql(table)} set (autovacuum_enabled = false)`
  await db.sql`
    insert into applicants (applicant_id, employee_number, record, name_key, name_key_reversed, search_keys, created_at, updated_at)
    select 'person-' || n, 'E-' || n, '{}', '', '', '{}', now(), now() from generate_series(1, ${ROWS}::integer) n`
  await db.sql`
    insert into import_rows (import_id, row, employee_number, body, hash)
    select 'new', n, 'E-' || n, '{}', md5(n::text) from generate_series(1, ${ROWS}::integer) n`
})

describe('the rows that are known', () => {
  it('are found row by row, not by joining all people with all rows', async () => {
    await db.transaction(async (tx: Tx) => {
      const { result, plans } = await planned(tx as unknown as Sql, sql =>
        checkKnown(sql as unknown as Tx, { importId: 'new', reading: '', after: 0, limit: ROWS }),
      )
      assert.deepEqual([result.known, result.others.length, result.last], [0, ROWS, ROWS])
      const blocks = plans.reduce((sum, [root]) => sum + blocksOf(root as never), 0)
      assert.ok(blocks < ROWS * 30, `${blocks} blocks for ${ROWS} rows`)
    })
  })
})
