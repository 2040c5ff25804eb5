import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type AuditRow, insertEntries } from '../../src/audit/audit.store.ts'
import { createTestDatabase } from '../support/harness.ts'

const entry: AuditRow = {
  at: new Date('2026-11-17T08:00:00.123Z'),
  clientId: 'client "1"',
  userId: null,
  userName: null,
  address: '192.0.2.1',
  method: 'GET',
  operationId: 'getApplicant',
  requestId: 'request-1',
  action: 'applicant.read',
  recordIds: ['a'],
  outcome: 'ok',
  status: 200,
  code: null,
  companies: null,
  changes: null,
}
const caller = { userId: 'u', userName: 'Zoë, {Ł} \\', companies: ['c1', 'c,"2"'] }
const operation = {
  action: 'request.reject',
  outcome: 'refused',
  status: 404,
  code: 'case-not-found',
} as const
const details = { recordIds: ['b', 'c,"d"'], changes: [{ pointer: '/a', before: null, after: 'é "2"\n' }] }

const BATCHES: Record<string, AuditRow[]> = {
  'one entry': [entry],
  'equal callers and operations': [entry, { ...entry, requestId: 'request-2', recordIds: ['b'] }],
  'another caller': [entry, { ...entry, ...caller }],
  'another operation': [{ ...entry, ...operation }, entry],
  'several records, and changes': [entry, { ...entry, ...details }, { ...entry, recordIds: [] }],
  'several records in every entry': [
    { ...entry, ...details },
    { ...entry, ...details },
  ],
  'everything different': [entry, { ...entry, ...caller, ...operation, ...details }, { ...entry, ...caller }],
}

describe('insertEntries', () => {
  for (const [name, rows] of Object.entries(BATCHES))
    it(`stores each entry with its own values: ${name}`, async () => {
      const { sql } = await createTestDatabase()
      await insertEntries(sql, rows)
      const stored = await sql`
        select at, client_id as "clientId", user_id as "userId", user_name as "userName", address, method,
          operation_id as "operationId", request_id as "requestId", action, record_id as "recordId",
          record_ids as "recordIds", outcome, status, code, companies, changes
        from audit order by seq`
      const expected = rows.map(({ recordIds, ...row }) => ({
        ...row,
        recordId: recordIds[0] ?? '',
        recordIds: recordIds.length > 1 ? recordIds : null,
      }))
      assert.deepEqual(
        stored.map(row => ({ ...row })),
        expected,
      )
      const further = await sql<{ id: string }[]>`select record_id as id from audit_records order by seq`
      assert.deepEqual(
        further.map(({ id }) => id),
        rows.flatMap(({ recordIds }) => recordIds.slice(1)),
      )
    })
})
