// A list that is read page by page, as far as it is needed.
import { CaseportError } from './errors.ts'

export interface Page<T> {
  records: T[]
  nextCursor: string | null
  prevCursor: string | null
}

/** `for await (const record of list)` reads all records; `list.pages()` the pages. Each iteration reads them anew. */
export class Pages<T, P extends Page<T> = Page<T>> implements AsyncIterable<T> {
  readonly #read: (nextCursor: string | undefined) => Promise<P>

  constructor(read: (nextCursor: string | undefined) => Promise<P>) {
    this.#read = read
  }

  async *pages(): AsyncGenerator<P, void, undefined> {
    let cursor: string | undefined
    for (;;) {
      const page = await this.#read(cursor)
      yield page
      if (page.nextCursor === null) return
      if (page.nextCursor === cursor) throw repeatedCursor()
      cursor = page.nextCursor
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { records } of this.pages()) yield* records
  }

  /** The first page alone. */
  first(): Promise<P> {
    return this.#read(undefined)
  }

  /** All records, or the first `limit` of them, in memory. */
  async toArray(limit = Number.POSITIVE_INFINITY): Promise<T[]> {
    const records: T[] = []
    if (limit <= 0) return records
    for await (const record of this) if (records.push(record) >= limit) break
    return records
  }
}

function repeatedCursor(): CaseportError {
  const detail = 'The service returned the cursor of the same page again.'
  return new CaseportError('invalid-response', { detail })
}
