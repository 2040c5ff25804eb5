// A list that is read page by page, as far as it is needed.
import { invalidResponse } from './errors.ts'

export interface Page<T> {
  records: T[]
  nextCursor: string | null
  prevCursor: string | null
}

/** Where a page begins or ends: `nextCursor` or `prevCursor` of another page; the first page without either. */
export interface Cursor {
  nextCursor?: string | null | undefined
  prevCursor?: string | null | undefined
}

/** `for await (const record of list)` reads all records; `list.pages()` the pages. Each iteration reads them anew. */
export class Pages<T, P extends Page<T> = Page<T>> implements AsyncIterable<T> {
  readonly #read: (cursor: Cursor) => Promise<P>

  constructor(read: (cursor: Cursor) => Promise<P>) {
    this.#read = read
  }

  async *pages(): AsyncGenerator<P, void, undefined> {
    let cursor: Cursor = {}
    for (;;) {
      const page = await this.#read(cursor)
      yield page
      const { nextCursor } = page
      if (nextCursor === null) return
      if (nextCursor === cursor.nextCursor)
        throw invalidResponse('The service returned the same cursor again.')
      cursor = { nextCursor }
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { records } of this.pages()) yield* records
  }

  /** One page, for tables with buttons: the first, the next (`nextCursor`) or the one before (`prevCursor`). */
  page(cursor?: Cursor): Promise<P> {
    // A cursor that is null is not sent; it replaces the one that the list was made with.
    return this.#read(cursor ? { nextCursor: null, ...cursor } : {})
  }

  /** The first page alone. */
  first(): Promise<P> {
    return this.page()
  }

  /** All records, or the first `limit` of them, in memory. */
  async toArray(limit = Infinity): Promise<T[]> {
    const records: T[] = []
    if (limit <= 0) return records
    for await (const record of this) if (records.push(record) >= limit) break
    return records
  }
}
