// What follows from new documents, in a database that has just begun to grow.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTestDatabase } from '../support/harness.ts'

const db = await createTestDatabase()

describe('expiries of new documents', () => {
  it('look up their applicant by its key, although the plan was made while there was one', async () => {
    const read = await db.transaction(async tx => {
      const addPeople = (from: number, to: number) => tx`
        insert into applicants (applicant_id, record, name_key, name_key_reversed, search_keys, created_at, updated_at)
        select 'person-' || n, '{}', '', '', '{}', now(), now() from generate_series(${from}::int, ${to}::int) n`
      const addDocuments = (from: number, to: number) => tx`
        insert into documents (document_id, applicant_id, name, expiry_date, created_at, updated_at)
        select 'document-' || n, 'person-' || n, 'Permit', '2027-01-01', now(), now()
        from generate_series(${from}::int, ${to}::int) n`
      const rowsRead = async () => {
        const [row] = await tx<[{ rows: number }]>`
          select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables where relname = 'applicants'`
        return row.rows
      }
      await addPeople(1, 1)
      await addDocuments(1, 1)
      await addPeople(2, 2_000)
      const before = await rowsRead()
      await addDocuments(2, 200)
      return (await rowsRead()) - before
    })
    // one row for the expiry, one for the companies, one for the foreign key
    assert.ok(read <= 3 * 199, `${read} rows of applicants for 199 documents`)
    const [row] = await db.sql<[{ count: number }]>`select count(*)::int as count from expiries`
    assert.equal(row.count, 200)
  })
})
