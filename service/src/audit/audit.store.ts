import type { Sql } from '../db/database.ts'
import {
  type BehindFlag,
  keyset,
  type Page,
  type PositionedRow,
  pageOf,
  type Slice,
  sliceOf,
  type Window,
} from '../db/keyset.ts'
import type { Change } from './field-differences.ts'

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

type Column = [name: string, textOf: (row: AuditRow) => string | null]

/** The columns that differ from entry to entry. */
const COLUMNS: Column[] = [
  ['at', row => row.at.toISOString()],
  ['request_id', row => row.requestId],
  ['record_id', row => row.recordIds[0] ?? ''],
]

/** Where all entries of a statement have the same values, they are sent once: most entries of a batch have them in common. */
const GROUPS: Column[][] = [
  [
    ['client_id', row => row.clientId],
    ['user_id', row => row.userId],
    ['user_name', row => row.userName],
    ['address', row => row.address],
    ['companies', row => row.companies && JSON.stringify(row.companies)],
  ],
  [
    ['method', row => row.method],
    ['operation_id', row => row.operationId],
    ['action', row => row.action],
    ['outcome', row => row.outcome],
    ['status', row => (row.status === null ? null : String(row.status))],
    ['code', row => row.code],
  ],
  [
    ['record_ids', row => (row.recordIds.length > 1 ? JSON.stringify(row.recordIds) : null)],
    ['changes', row => row.changes && JSON.stringify(row.changes)],
  ],
]
const ALL = [...COLUMNS, ...GROUPS.flat()]
const NAMES = ALL.map(([name]) => name)
const arrayOf = (column: string) =>
  `case when ${column} is not null then array(select json_array_elements_text(${column}::json)) end`
const CASTS: Record<string, string> = {
  at: 'at::timestamptz',
  record_ids: arrayOf('record_ids'),
  status: 'status::smallint',
  companies: arrayOf('companies'),
  changes: 'changes::json',
}

const namesOf = (columns: Column[]) => columns.map(([name]) => name)

/** The text of the statement for columns with a value per entry, and for columns with one value for all. */
function insertOf(own: Column[], shared: Column[]): string {
  const arrays = own.map((_, index) => `$${index + 1}::text[]`)
  const values = shared.map(([name], index) => `$${own.length + index + 1}::text as ${name}`)
  const sources = [
    own.length > 0 && `unnest(${arrays.join(', ')}) as entry(${namesOf(own).join(', ')})`,
    shared.length > 0 && `(select ${values.join(', ')}) as shared`,
  ]
  return `
    insert into audit (${NAMES.join(', ')})
    select ${NAMES.map(name => CASTS[name] ?? name).join(', ')}
    from ${sources.filter(Boolean).join(' cross join ')}`
}

const withRecords = (insert: string) => `
  with inserted as (${insert} returning at, seq, record_ids)
  insert into audit_records (record_id, at, seq)
  select record_id, at, seq
  from inserted, unnest(record_ids) with ordinality as further(record_id, position)
  where position > 1`

/** There are a few only. Building one takes as long as sending it. */
const statements = new Map<string, string>()

function statementOf(own: Column[], shared: Column[], hasFurtherRecords: boolean): string {
  const key = `${hasFurtherRecords} ${namesOf(own).join()}`
  const known = statements.get(key)
  if (known !== undefined) return known
  const insert = insertOf(own, shared)
  const text = hasFurtherRecords ? withRecords(insert) : insert
  statements.set(key, text)
  return text
}

/** One statement for the entries of a transaction, or of many requests. */
export async function insertEntries(sql: Sql, rows: AuditRow[]): Promise<void> {
  const texts = new Map(ALL.map(column => [column, rows.map(column[1])]))
  const textsOf = (column: Column) => texts.get(column) ?? []
  const isShared = (group: Column[]) =>
    group.every(column => {
      const [first, ...others] = textsOf(column)
      return others.every(text => text === first)
    })
  // An entry alone needs no arrays, which PostgreSQL would have to unpack.
  const shared = rows.length === 1 ? ALL : GROUPS.filter(isShared).flat()
  const own = ALL.filter(column => !shared.includes(column))
  const text = statementOf(
    own,
    shared,
    rows.some(({ recordIds }) => recordIds.length > 1),
  )
  const values = [...own.map(textsOf), ...shared.map(column => textsOf(column)[0] ?? null)]
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

/** Has the words of the partial index. An entry about several records is never a change. */
const isChange = (sql: Sql) => sql`json_array_length(k.changes) > 0 and k.outcome = 'ok'`

/** Documents and notes are listed by themselves, so the entries that add them are left out. */
const addsNoItem = (sql: Sql) => sql`
  k.action <> 'document.create'
  and not (k.action = 'case.note_write' and k.changes #>> '{0,pointer}' = '/notes')`

/**
 * The changes of these records. Each record is read from the index on its own. Subqueries hide the values from the planner, here
 * and below, so that PostgreSQL keeps one plan: planning for all months takes longer than reading them.
 */
export async function listChanges(sql: Sql, recordIds: string[], slice: Slice): Promise<Listed[]> {
  const { where, order } = sliceOf(sql, slice, 'at')
  return sql<Listed[]>`
    select k.at, ${columns(sql)}
    from unnest((select ${recordIds}::text[])) as r (id)
    cross join lateral (
      select k.* from audit k
      where k.record_id = r.id and ${where} and ${isChange(sql)} and ${addsNoItem(sql)}
      ${order}
    ) k
    ${order}`
}

/** At most `limit`. */
export async function countChanges(sql: Sql, recordIds: string[], limit: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::integer as count
    from (
      select from unnest((select ${recordIds}::text[])) as r (id)
      join audit k on k.record_id = r.id and ${isChange(sql)} and ${addsNoItem(sql)}
      limit ${limit}
    ) k`
  return row.count
}

/** A document, its owner and the time of its creation. */
export interface Created {
  recordId: string
  at: Date
}

export interface Creator {
  recordId: string
  clientId: string
  userId: string | null
  userName: string | null
}

/** Who created these: by an entry of its own or, as a part of an owner's record, by the owner's entry of that time. */
export async function listCreators(sql: Sql, created: Created[], ownerIds: string[]): Promise<Creator[]> {
  return sql<Creator[]>`
    select c.id as "recordId", k.client_id as "clientId", k.user_id as "userId", k.user_name as "userName"
    from unnest(${created.map(({ recordId }) => recordId)}::text[],
      ${created.map(({ at }) => at.toISOString())}::text[]) as c (id, at)
    cross join lateral (
      select k.client_id, k.user_id, k.user_name from audit k
      where k.record_id = any(array[c.id] || ${ownerIds}::text[]) and k.at = c.at::timestamptz and ${isChange(sql)}
      order by k.record_id = c.id desc, k.seq
      limit 1
    ) k`
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
    where (k.at, k.seq) > (${start.at}::timestamptz, ${start.seq}::bigint)
      -- By this, and not by the comparison of rows, earlier months are skipped.
      and k.at >= (select ${start.at}::timestamptz) and k.at < (select ${to}::timestamptz)
    order by k.at, k.seq
    limit ${limit}`
}
