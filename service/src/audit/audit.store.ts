import type { Sql } from '../db/database.ts'
import { type BehindFlag, keyset, type Page, type PositionedRow, pageOf, type Window } from '../db/keyset.ts'
import { utc } from '../db/types.ts'

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
      ${rows.map(row => row.at.toISOString())}::text[]::timestamptz[], ${rows.map(row => row.clientId)}::text[],
      ${rows.map(row => row.action)}::text[], ${rows.map(row => row.recordId)}::text[],
      ${rows.map(row => row.requestId)}::text[])`
}

/** A row as text. Only the name of a client could hold what ends a field or a line; that becomes a space. */
export function lineOf({
  at,
  clientId,
  action,
  recordId,
  requestId,
}: Omit<AuditRow, 'at'> & { at: string }): string {
  const client = /[\t\n\0]/.test(clientId) ? clientId.replace(/[\t\n\0]/g, ' ') : clientId
  return `${at}\t${client}\t${action}\t${recordId}\t${requestId}\n`
}

/** Rows as `lineOf` makes them, one after another. */
export async function appendLines(sql: Sql, lines: string): Promise<void> {
  await sql`
    insert into audit (at, client_id, action, record_id, request_id)
    select split_part(line, e'\\t', 1)::timestamptz, split_part(line, e'\\t', 2), split_part(line, e'\\t', 3),
      split_part(line, e'\\t', 4), split_part(line, e'\\t', 5)
    from string_to_table(${lines}, e'\\n') as line
    where line <> ''`
}

export interface Listed extends PositionedRow {
  json: string
}

export interface AuditFilter {
  clientId?: string
  action?: string
  recordId?: string
}

export async function listAudit(
  sql: Sql,
  window: Window,
  { clientId, action, recordId }: AuditFilter,
): Promise<Page<Listed>> {
  const filter = sql`
    ${clientId === undefined ? sql`` : sql`and k.client_id = ${clientId}`}
    ${action === undefined ? sql`` : sql`and k.action = ${action}`}
    ${recordId === undefined ? sql`` : sql`and k.record_id = ${recordId}`}`
  const columns = ['client_id', 'action', 'record_id', 'request_id']
  const page = keyset(sql, window, { table: 'audit', column: 'at', isDay: false, columns, filter })
  const rows = await sql<(Listed & BehindFlag)[]>`
    select k.key_at as at, k.seq, ${page.behind} as behind, (
      select row_to_json(r)::text from (
        select ${utc(sql, 'k.key_at')} as at, k.client_id as "clientId", k.action, k.record_id as "recordId",
          k.request_id as "requestId"
      ) r
    ) as json
    from (${page.rows}) k
    order by ${page.order}`
  return pageOf(window, rows, () => sql<BehindFlag[]>`select ${page.behind} as behind`)
}
