// Pages through the list of documents by cursor, one page at a time, while the clock changes in between.
import type { Target } from '../support/uploads.ts'

export interface Walk {
  seen: string[]
  /** Reads one page; returns whether there is another. */
  nextPage(target: Target): Promise<boolean>
}

export function startWalk(query: Record<string, string>): Walk {
  const seen: string[] = []
  let nextCursor: string | null | undefined
  return {
    seen,
    async nextPage({ url, token }) {
      if (nextCursor === null) return false
      const search = new URLSearchParams({ ...query, ...(nextCursor && { nextCursor }) })
      const response = await fetch(`${url}/v2/documents?${search}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      if (!response.ok) throw new Error(`A page returned ${response.status} ${await response.text()}`)
      const page = (await response.json()) as { records: { documentId: string }[]; nextCursor: string | null }
      seen.push(...page.records.map(({ documentId }) => documentId))
      nextCursor = page.nextCursor
      return nextCursor !== null
    },
  }
}

/** Documents that the pages missed or repeated. */
export function walkErrors({ seen }: Walk, expected: string[]): string[] {
  const once = new Set(seen)
  const errors: string[] = []
  if (once.size < seen.length) errors.push(`the pages repeated ${seen.length - once.size} documents`)
  const missed = expected.filter(id => !once.has(id))
  if (missed.length > 0) errors.push(`the pages missed ${missed.length} documents, such as ${missed[0]}`)
  return errors
}
