// Maps country codes to repositories. The bytes of a file pass through no other repository than that of its country.
import type { BlobStore } from '../blobs/blob-store.ts'
import { shareOutcome } from '../lib/async.ts'

/** A check writes to every repository, so that callers of a public route share its outcome for this time. */
const SHARED_MS = { resultMs: 5_000, errorMs: 1_000 }

export type Repositories = ReturnType<typeof createRepositories>

export function createRepositories(stores: Record<string, BlobStore>) {
  const of = (countryCode: string): BlobStore => {
    const store = stores[countryCode]
    if (!store) throw new Error(`There is no repository for ${countryCode}.`)
    return store
  }

  return {
    of,
    /** Most bytes of memory that an upload uses: to this country, or to any if the country is not known yet. */
    uploadMemory: (countryCode?: string): number =>
      countryCode === undefined
        ? Math.max(...Object.values(stores).map(({ memory }) => memory.put))
        : of(countryCode).memory.put,
    /** Removes the orphans of interrupted writes. */
    async sweep(): Promise<void> {
      await Promise.all(Object.values(stores).map(store => store.sweep()))
    },
    /** Resolves if all repositories are reachable and writable, or were a few seconds ago. */
    check: shareOutcome(async () => {
      await Promise.all(Object.values(stores).map(store => store.check()))
    }, SHARED_MS),
  }
}
