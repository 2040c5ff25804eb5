import type { Sql } from '../db/database.ts'
import { type BehindFlag, keyset, type Page, pageOf, type Window } from '../db/keyset.ts'

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

/** A row as a tab-separated line. Only a client id could contain a tab or a line break; it becomes a space. */
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

/** Inserts lines of `lineOf`. */
export async function appendLines(sql: Sql, lines: string): Promise<void> {
  await sql`
    insert into audit (at, client_id, action, record_id, request_id)
    select split_part(line, e'\\t', 1)::timestamptz, split_part(line, e'\\t', 2), split_part(line, e'\\t', 3),
      split_part(line, e'\\t', 4), split_part(line, e'\\t', 5)
    from string_to_table(${lines}, e'\\n') as line
    where line <> ''`
}

interface ListedEntry extends AuditRow {
  seq: string
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
): Promise<Page<ListedEntry>> {
  const filter = sql`
    ${clientId === undefined ? sql`` : sql`and k.client_id = ${clientId}`}
    ${action === undefined ? sql`` : sql`and k.action = ${action}`}
    ${recordId === undefined ? sql`` : sql`and k.record_id = ${recordId}`}`
  const columns = ['client_id', 'action', 'record_id', 'request_id']
  const page = keyset(sql, window, { table: 'audit', column: 'at', isDay: false, columns, filter })
  const rows = await sql<(ListedEntry & BehindFlag)[]>`
    select k.key_at as at, k.seq, ${page.behind} as behind, k.client_id as "clientId", k.action,
      k.record_id as "recordId", k.request_id as "requestId"
    from (${page.rows}) k
    order by ${page.order}`
  return pageOf(window, rows, () => sql<BehindFlag[]>`select ${page.behind} as behind`)
}
