// Writes rows by COPY.
import { once } from 'node:events'
import type postgres from 'postgres'

// biome-ignore lint/complexity/noBannedTypes: postgres.js spells "no custom types" as {}.
export type Sql = postgres.Sql<{}>
export type Progress = (table: string, done: number, total: number) => void

/** As COPY writes it. */
export const NULL = Symbol('null')

interface Copy {
  table: string
  columns: string
  total: number
  row: (index: number) => (string | number | typeof NULL)[]
  progress: Progress
}

export async function copy(sql: Sql, { table, columns, total, row, progress }: Copy): Promise<void> {
  const stream = await sql.unsafe(`copy ${table} (${columns}) from stdin`).writable()
  const BATCH = 2_000
  for (let from = 0; from < total; from += BATCH) {
    let text = ''
    for (let index = from; index < Math.min(from + BATCH, total); index++)
      text += `${row(index).map(quoted).join('\t')}\n`
    if (!stream.write(text)) await once(stream, 'drain')
    progress(table, Math.min(from + BATCH, total), total)
  }
  stream.end()
  await once(stream, 'finish')
}

const quoted = (value: string | number | typeof NULL) =>
  value === NULL ? '\\N' : typeof value === 'string' ? value.replaceAll('\\', '\\\\') : String(value)
