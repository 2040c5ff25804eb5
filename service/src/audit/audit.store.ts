import type { Sql } from '../db/database.ts'
import { type BehindFlag, keyset, type Page, type PositionedRow, pageOf, type Window } from '../db/keyset.ts'
import type { Change } from './changes.ts'

export type Outcome = 'ok' | 'refused' | 'failed'

export interface AuditRow {
  at: Date
  clientId: string
  userId: string | null
  userName: string | null
  address: string | null
  method: string | null
  operationId: string | null
  requestId: string
  action: string
  recordIds: readonly string[]
  outcome: Outcome
  status: number | null
  code: string | null
  companies: readonly string[] | null
  changes: Change[] | null
}

/** An entry as it is stored: `recordId` is the first of its records, `recordIds` is null unless there are several. */
export interface StoredEntry extends Omit<AuditRow, 'recordIds' | 'companies'> {
  seq: string
  recordId: string
  recordIds: string[] | null
}

/** An array of text per column: PostgreSQL reads it with less work than rows of JSON. */
const COLUMNS: [name: string, textOf: (row: AuditRow) => string | null][] = [
  ['at', row => row.at.toISOString()],
  ['client_id', row => row.clientId],
  ['user_id', row => row.userId],
  ['user_name', row => row.userName],
  ['address', row => row.address],
  ['method', row => row.method],
  ['operation_id', row => row.operationId],
  ['request_id', row => row.requestId],
  ['action', row => row.action],
  ['record_id', row => row.recordIds[0] ?? ''],
  ['record_ids', row => (row.recordIds.length > 1 ? JSON.stringify(row.recordIds) : null)],
  ['outcome', row => row.outcome],
  ['status', row => (row.status === null ? null : String(row.status))],
  ['code', row => row.code],
  ['companies', row => row.companies && JSON.stringify(row.companies)],
  ['changes', row => row.changes && JSON.stringify(row.changes)],
]
const NAMES = COLUMNS.map(([name]) => name)
const arrayOf = (column: string) =>
  `case when ${column} is not null then array(select json_array_elements_text(${column}::json)) end`
const CASTS: Record<string, string> = {
  at: 'at::timestamptz',
  record_ids: arrayOf('record_ids'),
  status: 'status::smallint',
  companies: arrayOf('companies'),
  changes: 'changes::json',
}

// Constant text: building it from fragments takes as long as sending it.
const INSERT = `
  insert into audit (${NAMES.join(', ')})
  select ${NAMES.map(name => CASTS[name] ?? name).join(', ')}
  from unnest(${NAMES.map((_, index) => `$${index + 1}::text[]`).join(', ')}) as entry(${NAMES.join(', ')})`
const INSERT_WITH_RECORDS = `
  with inserted as (${INSERT} returning at, seq, record_ids)
  insert into audit_records (record_id, at, seq)
  select record_id, at, seq
  from inserted, unnest(record_ids) with ordinality as further(record_id, position)
  where position > 1`

/** One statement for the entries of a transaction, or of many requests. */
export async function insertEntries(sql: Sql, rows: AuditRow[]): Promise<void> {
  const text = rows.some(({ recordIds }) => recordIds.length > 1) ? INSERT_WITH_RECORDS : INSERT
  const values = COLUMNS.map(([, textOf]) => rows.map(textOf))
  await sql.unsafe(text, values, { prepare: true })
}

export interface AuditFilter {
  clientId?: string
  userId?: string
  action?: string
  recordId?: string
  outcome?: string
  address?: string
  from?: string
  to?: string
}

const KEYSET_COLUMNS = [
  'client_id', 'user_id', 'user_name', 'address', 'method', 'operation_id', 'request_id', 'action', 'record_id',
  'record_ids', 'outcome', 'status', 'code', 'changes',
] // biome-ignore format: a table reads better than a column

const columns = (sql: Sql) => sql`
  k.seq, k.client_id as "clientId", k.user_id as "userId", k.user_name as "userName", k.address, k.method,
  k.operation_id as "operationId", k.request_id as "requestId", k.action,
  coalesce(k.record_ids[1], k.record_id) as "recordId", k.record_ids as "recordIds", k.outcome, k.status, k.code,
  k.changes`

const filterOf = (sql: Sql, filter: AuditFilter) => sql`
  ${filter.clientId === undefined ? sql`` : sql`and k.client_id = ${filter.clientId}`}
  ${filter.userId === undefined ? sql`` : sql`and k.user_id = ${filter.userId}`}
  ${filter.action === undefined ? sql`` : sql`and k.action = ${filter.action}`}
  ${filter.recordId === undefined ? sql`` : sql`and k.record_id = ${filter.recordId}`}
  ${filter.outcome === undefined ? sql`` : sql`and k.outcome = ${filter.outcome}`}
  ${filter.outcome === undefined || filter.outcome === 'ok' ? sql`` : sql`and k.outcome <> 'ok'`}
  ${filter.address === undefined ? sql`` : sql`and k.address = ${filter.address}`}
  ${filter.from === undefined ? sql`` : sql`and k.at >= ${filter.from}::timestamptz`}
  ${filter.to === undefined ? sql`` : sql`and k.at < ${filter.to}::timestamptz`}`

type Listed = StoredEntry & PositionedRow

async function listIn(
  sql: Sql,
  window: Window,
  { table, filter }: { table: string; filter: AuditFilter },
): Promise<{ rows: (Listed & BehindFlag)[]; loadBehind: () => PromiseLike<BehindFlag[]> }> {
  const page = keyset(sql, window, {
    table,
    column: 'at',
    isDay: false,
    columns: KEYSET_COLUMNS,
    filter: filterOf(sql, filter),
  })
  const rows = await sql<(Listed & BehindFlag)[]>`
    select k.key_at as at, ${page.behind} as behind, ${columns(sql)}
    from (${page.rows}) k
    order by ${page.order}`
  return { rows: [...rows], loadBehind: () => sql<BehindFlag[]>`select ${page.behind} as behind` }
}

/** The entries of a record are those about it first, and those that list it after another one: two indexes. */
export async function listAudit(sql: Sql, window: Window, filter: AuditFilter): Promise<Page<Listed>> {
  const entries = await listIn(sql, window, { table: 'audit', filter })
  if (filter.recordId === undefined) return pageOf(window, entries.rows, entries.loadBehind)
  const listed = await listIn(sql, window, { table: 'audit_of_further_records', filter })
  const direction = 'before' in window ? -1 : 1
  const merged = [...entries.rows, ...listed.rows].sort(
    (a, b) => direction * (Number(a.at) - Number(b.at) || Number(a.seq) - Number(b.seq)),
  )
  const loadBehind = async () => [...(await entries.loadBehind()), ...(await listed.loadBehind())]
  const behind =
    merged.length > 0 ? merged.some(row => row.behind) : (await loadBehind()).some(row => row.behind)
  const rows = merged.slice(0, window.limit + 1).map(row => ({ ...row, behind }))
  return pageOf(window, rows, async () => [{ behind }])
}

export interface ExportPosition {
  at: Date
  seq: string
}

export interface ExportRange {
  /** Included. */
  from: Date
  /** Excluded. */
  to: Date
}

/** The entries of the range in order of time, after this position. */
export async function listExported(
  sql: Sql,
  { from, to }: ExportRange,
  { after, limit }: { after: ExportPosition | undefined; limit: number },
): Promise<Listed[]> {
  const start = after ?? { at: from, seq: '-1' }
  return sql<Listed[]>`
    select k.at, ${columns(sql)}
    from audit k
    where (k.at, k.seq) > (${start.at}::timestamptz, ${start.seq}::bigint) and k.at < (select ${to}::timestamptz)
    order by k.at, k.seq
    limit ${limit}`
}
