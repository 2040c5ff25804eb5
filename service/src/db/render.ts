import type { Sql } from './database.ts'

/** A moment as JSON has it: UTC with milliseconds and Z. */
export const utcText = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

export const utc = (sql: Sql, column: string) => sql.unsafe(utcText(column))
