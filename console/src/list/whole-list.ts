// A list that the API returns at once, such as companies: filtered here, shown by the same table.
import type { ListPage } from './list-query.ts'

const fold = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** The records in which every word of the text is found. */
export function wholeList<T>(
  records: readonly T[],
  q: string | undefined,
  textOf: (record: T) => (string | null | undefined)[],
): ListPage<T> {
  const words = fold(q ?? '')
    .split(/\s+/)
    .filter(Boolean)
  const found = records.filter(record => {
    const text = fold(textOf(record).filter(Boolean).join(' '))
    return words.every(word => text.includes(word))
  })
  return { records: found, nextCursor: null, total: found.length }
}
