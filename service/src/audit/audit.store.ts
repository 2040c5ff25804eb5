import type { Sql } from '../db/database.ts'

export interface AuditRow {
  at: Date
  clientId: string
  action: string
  recordId: string
  requestId: string
}

export async function appendAudit(sql: Sql, rows: AuditRow[]): Promise<void> {
  await sql`
    insert into audit (at, client_id, action, record_id, request_id)
    select * from unnest(
      ${rows.map(row => row.at.toISOString())}::timestamptz[], ${rows.map(row => row.clientId)}::text[],
      ${rows.map(row => row.action)}::text[], ${rows.map(row => row.recordId)}::text[],
      ${rows.map(row => row.requestId)}::text[])`
}
