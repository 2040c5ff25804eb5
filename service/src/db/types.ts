// How PostgreSQL's types are read and written: array and date types for the driver, timestamps as JSON text for SQL.
import type postgres from 'postgres'

const TEXT_ARRAY = 1009
const INTEGER_ARRAY = 1007
const BIGINT_ARRAY = 1016
const DATE = 1082
const TIMESTAMP = 1114

/**
 * Array types are listed here because the driver otherwise queries them on each new connection, and an error in that query
 * is thrown where nothing can catch it: it would end the process.
 */
export const driverTypes: Record<string, postgres.PostgresType> = {
  textArray: arrayType(TEXT_ARRAY, String),
  integerArray: arrayType(INTEGER_ARRAY, Number),
  // bigint stays text, as the driver returns a single one.
  bigintArray: arrayType(BIGINT_ARRAY, String),
  // Dates are wall-clock values: a JavaScript Date would move them into a time zone.
  wallClock: {
    to: TIMESTAMP,
    from: [DATE, TIMESTAMP],
    serialize: (text: string) => text,
    parse: (text: string) => text,
  },
}

function arrayType(oid: number, parseItem: (text: string) => unknown): postgres.PostgresType {
  return {
    to: oid,
    from: [oid],
    serialize: formatArray,
    parse: (text: string) => parseArray(text).map(item => (item === null ? null : parseItem(item))),
  }
}

/** The literal of a one-dimensional array. */
function formatArray(items: readonly (string | number | bigint | null)[]): string {
  return `{${items.map(item => (item === null ? 'NULL' : quoted(String(item)))).join(',')}}`
}

/** JSON escapes these otherwise than PostgreSQL, and is four times as fast with a record. */
const CONTROL_CHARACTER = /\p{Cc}/u

const quoted = (text: string) =>
  CONTROL_CHARACTER.test(text) || !text.isWellFormed()
    ? `"${text.replace(/["\\]/g, '\\$&')}"`
    : JSON.stringify(text)

/** Items with special characters are quoted and escaped with backslashes; an unquoted NULL is null. */
function parseArray(literal: string): (string | null)[] {
  const items = literal.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/gs)
  return Array.from(items, ([, quoted, bare]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/gs, '$1')
    return bare === 'NULL' || bare === undefined ? null : bare
  })
}

/** SQL for a timestamp as JSON text: UTC with milliseconds and Z. */
export const utcText = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

export const utc = (sql: Pick<postgres.ISql, 'unsafe'>, column: string) => sql.unsafe(utcText(column))
