// Array types of PostgreSQL for the driver. By itself the driver asks each new connection for them, and an error in that
// query is thrown where nothing can catch it: it would end the process.
import type postgres from 'postgres'

const TEXT_ARRAY = 1009
const INTEGER_ARRAY = 1007
const BIGINT_ARRAY = 1016

/** bigint stays text, as the driver returns a single one. */
export const arrayTypes: Record<string, postgres.PostgresType> = {
  textArray: arrayType(TEXT_ARRAY, String),
  integerArray: arrayType(INTEGER_ARRAY, Number),
  bigintArray: arrayType(BIGINT_ARRAY, String),
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
export function formatArray(items: readonly (string | number | bigint | null)[]): string {
  const quoted = items.map(item => (item === null ? 'NULL' : `"${String(item).replace(/["\\]/g, '\\$&')}"`))
  return `{${quoted.join(',')}}`
}

/** Items are quoted where they hold anything special, and then escaped with backslashes; a bare NULL is null. */
export function parseArray(literal: string): (string | null)[] {
  const items = literal.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/gs)
  return Array.from(items, ([, quoted, bare]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/gs, '$1')
    return bare === 'NULL' || bare === undefined ? null : bare
  })
}
