// One walk through the list of documents by its cursors, a page now and then, whatever happens in between.
import type { Target } from '../support/uploads.ts'

export interface Walk {
  seen: string[]
  /** One page; answers whether there is another. */
  step(target: Target): Promise<boolean>
}

export function startWalk(query: Record<string, string>): Walk {
  const seen: string[] = []
  let nextCursor: string | null | undefined
  return {
    seen,
    async step({ url, token }) {
      if (nextCursor === null) return false
      const asked = new URLSearchParams({ ...query, ...(nextCursor && { nextCursor }) })
      const answer = await fetch(`${url}/v2/documents?${asked}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      if (!answer.ok) throw new Error(`A page was answered ${answer.status} ${await answer.text()}`)
      const page = (await answer.json()) as { records: { documentId: string }[]; nextCursor: string | null }
      seen.push(...page.records.map(({ documentId }) => documentId))
      nextCursor = page.nextCursor
      return nextCursor !== null
    },
  }
}

/** What the walk has missed or shown twice. */
export function walkFaults({ seen }: Walk, expected: string[]): string[] {
  const once = new Set(seen)
  const faults: string[] = []
  if (once.size < seen.length) faults.push(`the walk showed ${seen.length - once.size} documents again`)
  const missed = expected.filter(id => !once.has(id))
  if (missed.length > 0) faults.push(`the walk missed ${missed.length} documents, such as ${missed[0]}`)
  return faults
}
