import { declareProblem } from '../lib/problem.ts'

export const versionMismatch = declareProblem({
  code: 'version-mismatch',
  status: 412,
  title: 'The record does not have the ETag that the request names, or exists already.',
  remedy: 'Read the record, check what changed, and send the request with its current ETag.',
})

/** The conditions a caller set for a write: the state the record must be in. */
export interface Preconditions {
  ifMatch: string | undefined
  ifNoneMatch: string | undefined
}

/** Throws unless the record, or its absence, is what the caller expects. */
export function requireConditions({ ifMatch, ifNoneMatch }: Preconditions, etag: string | undefined): void {
  if (ifMatch !== undefined && !(etag && matches(ifMatch, etag, true))) throw versionMismatch()
  if (ifNoneMatch !== undefined && etag && matches(ifNoneMatch, etag, false)) throw versionMismatch()
}

/** Whether a header that lists entity tags holds this one; a weak tag never matches where the comparison is strong. */
export function matches(header: string, etag: string, strong: boolean): boolean {
  if (header.trim() === '*') return true
  return header.split(',').some(part => {
    const tag = part.trim()
    return tag === etag || (!strong && tag === `W/${etag}`)
  })
}
