import { declareProblem } from '../lib/problem.ts'

export const versionMismatch = declareProblem({
  code: 'version-mismatch',
  status: 412,
  title: 'The record does not have the ETag that the request names, or exists already.',
  remedy: 'Read the record, check what changed, and send the request with its current ETag.',
})

/** The preconditions of a write. */
interface Preconditions {
  ifMatch: string | undefined
  ifNoneMatch: string | undefined
}

/** Throws unless the record, or its absence, meets the preconditions. */
export function requireConditions({ ifMatch, ifNoneMatch }: Preconditions, etag: string | undefined): void {
  if (ifMatch !== undefined && !(etag && matches(ifMatch, etag, true))) throw versionMismatch()
  if (ifNoneMatch !== undefined && etag && matches(ifNoneMatch, etag, false)) throw versionMismatch()
}

/** Whether a list of ETags contains this one. A weak tag never matches in a strong comparison. */
export function matches(header: string, etag: string, strong: boolean): boolean {
  if (header.trim() === '*') return true
  return header.split(',').some(part => {
    const tag = part.trim()
    return tag === etag || (!strong && tag === `W/${etag}`)
  })
}
