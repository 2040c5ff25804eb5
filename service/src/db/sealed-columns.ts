// Columns whose values are sealed: which keys they use, and sealing them anew. Works on any table, so that it knows nothing
// of the features that own them; they declare their columns.
import { SEALED_PREFIX, SealedValueError, type Sealer } from '../lib/sealing.ts'
import type { Sql } from './database.ts'

export interface SealedColumn {
  table: string
  /** The primary key, of type text. */
  id: string
  column: string
  /** How a value is stored: a sealed one as text, as a JSON string, or as the bytes of the text. */
  type: 'text' | 'jsonb' | 'bytea'
  /** The column that values are sealed for, if it is not this one: values move between the two. */
  sealedFor?: string
}

const BATCH = 500
/** A value that another service changes meanwhile is left to the next pass. */
const MAX_PASSES = 5

export const placeOf = ({ table, column, sealedFor = column }: SealedColumn, id: string) => ({
  column: `${table}.${sealedFor}`,
  id,
})

/** The ids of the keys that seal stored values, and whether there are plain values. */
export async function findKeysInUse(sql: Sql, columns: readonly SealedColumn[]) {
  const found = await Promise.all(columns.map(column => listKeyIds(sql, column)))
  const ids = new Set(found.flat())
  const hasPlain = ids.delete('')
  return { ids, hasPlain }
}

/** An empty id stands for plain values. */
async function listKeyIds(sql: Sql, column: SealedColumn): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select distinct case when starts_with(value, ${SEALED_PREFIX}) then split_part(value, ':', 3) else '' end as id
    from (select ${textOf(sql, column)} as value from ${sql(column.table)} where ${sql(column.column)} is not null) stored`
  return rows.map(({ id }) => id)
}

/** The rows whose value is sealed with another key than these. */
export async function listSealedWithOtherKeys(
  sql: Sql,
  column: SealedColumn,
  keyIds: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id
    from (
      select ${sql(column.id)} collate "C" as id, ${textOf(sql, column)} as value
      from ${sql(column.table)} where ${sql(column.column)} is not null
    ) stored
    where starts_with(value, ${SEALED_PREFIX}) and split_part(value, ':', 3) <> all(${keyIds}::text[])
    order by id`
  return rows.map(({ id }) => id)
}

interface SealOptions {
  sql: Sql
  sealer: Sealer
  columns: readonly SealedColumn[]
  /** Values that begin with this stay as they are: those of one key, or all sealed ones. */
  except: string
}

/**
 * Seals values with the current key, in batches: after a crash the next run continues. Returns how many were sealed, and why
 * others could not be opened.
 */
export async function sealValues({ sql, sealer, columns, except }: SealOptions) {
  let sealed = 0
  const errors = new Set<string>()
  for (const column of columns) {
    for (let pass = 1, isComplete = false; !isComplete && pass <= MAX_PASSES; pass++) {
      isComplete = true
      for (let after = '', hasMore = true; hasMore; ) {
        const rows = await listValues(sql, column, { after, except })
        const batch = rows.flatMap(row => {
          const place = placeOf(column, row.id)
          try {
            return [{ ...row, text: sealer.seal(sealer.unseal(row.value, place), place) }]
          } catch (error) {
            if (!(error instanceof SealedValueError)) throw error
            errors.add(error.message)
            return []
          }
        })
        const replaced = await replaceValues(sql, column, batch)
        sealed += replaced
        if (replaced < batch.length) isComplete = false
        after = rows.at(-1)?.id ?? after
        hasMore = rows.length === BATCH
      }
    }
  }
  return { sealed, errors: [...errors] }
}

interface Value {
  id: string
  value: string
}

async function listValues(
  sql: Sql,
  column: SealedColumn,
  { after, except }: { after: string; except: string },
): Promise<Value[]> {
  return sql<Value[]>`
    select id, value
    from (
      select ${sql(column.id)} collate "C" as id, ${textOf(sql, column)} as value
      from ${sql(column.table)} where ${sql(column.column)} is not null
    ) stored
    where id > ${after} and not starts_with(value, ${except})
    order by id limit ${BATCH}`
}

/** Leaves out values that were changed meanwhile; returns how many were replaced. */
async function replaceValues(
  sql: Sql,
  column: SealedColumn,
  batch: (Value & { text: string })[],
): Promise<number> {
  if (batch.length === 0) return 0
  const stored = {
    text: sql`sealed_text`,
    jsonb: sql`to_jsonb(sealed_text)`,
    bytea: sql`convert_to(sealed_text, 'UTF8')`,
  }
  const { count } = await sql`
    update ${sql(column.table)} set ${sql(column.column)} = ${stored[column.type]}
    from unnest(${batch.map(({ id }) => id)}::text[], ${batch.map(({ value }) => value)}::text[],
      ${batch.map(({ text }) => text)}::text[]) batch (row_id, old_text, sealed_text)
    where ${sql(column.id)} = row_id and ${textOf(sql, column)} = old_text`
  return count
}

/** The stored value as text: JSON as it is, bytes in base64. */
function textOf(sql: Sql, { column, type }: SealedColumn) {
  const name = sql(column)
  const texts = {
    text: () => sql`${name}`,
    jsonb: () => sql`(${name} #>> '{}')`,
    bytea: () => sql`
      case when position(convert_to(${SEALED_PREFIX}, 'UTF8') in ${name}) = 1 then convert_from(${name}, 'UTF8')
        else encode(${name}, 'base64') end`,
  }
  return texts[type]()
}
