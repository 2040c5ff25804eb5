import type { BlobStore, RepositoryLocation } from './blob-store.ts'
import { createFilesystemStore } from './filesystem.ts'

/** Loads the S3 client only if a location needs it: that takes a fifth of a second, and memory. */
export async function openRepository(location: RepositoryLocation): Promise<BlobStore> {
  if (location.kind === 'file') return createFilesystemStore(location)
  const { createS3Store } = await import('./s3.ts')
  return createS3Store(location)
}

export async function openRepositories<Name extends string>(
  locations: Record<Name, RepositoryLocation>,
): Promise<Record<Name, BlobStore>> {
  const entries = Object.entries(locations) as [Name, RepositoryLocation][]
  const opened = await Promise.all(
    entries.map(async ([name, location]) => [name, await openRepository(location)] as const),
  )
  return Object.fromEntries(opened) as Record<Name, BlobStore>
}
