// Owns which place holds the files of which country. A country code chooses one place, and no byte passes through another.
import type { BlobStore } from '../blobs/blob-store.ts'

export type Repositories = ReturnType<typeof createRepositories>

export function createRepositories(stores: Record<string, BlobStore>) {
  const of = (countryCode: string): BlobStore => {
    const store = stores[countryCode]
    if (!store) throw new Error(`There is no repository for ${countryCode}.`)
    return store
  }

  return {
    of,
    /** What an upload holds in memory at most: to this country, or to any while that is not known yet. */
    uploadMemory: (countryCode?: string): number =>
      countryCode === undefined
        ? Math.max(...Object.values(stores).map(({ memory }) => memory.put))
        : of(countryCode).memory.put,
    /** Removes what interrupted writes have left in the places themselves. */
    async sweep(): Promise<void> {
      await Promise.all(Object.values(stores).map(store => store.sweep()))
    },
    /** Resolves when every place answers. */
    async check(): Promise<void> {
      await Promise.all(Object.values(stores).map(store => store.check()))
    },
  }
}
