import type { BlobStore, Place } from './blob-store.ts'
import { createFilesystemStore } from './filesystem.ts'

/** Loads the client of S3 only where a place needs it: it costs a fifth of a second, and memory. */
export async function openPlace(place: Place): Promise<BlobStore> {
  if (place.kind === 'file') return createFilesystemStore(place)
  const { createS3Store } = await import('./s3.ts')
  return createS3Store(place)
}

/** Every place of a table of them, opened. */
export async function openPlaces<Name extends string>(
  places: Record<Name, Place>,
): Promise<Record<Name, BlobStore>> {
  const entries = Object.entries(places) as [Name, Place][]
  const opened = await Promise.all(
    entries.map(async ([name, place]) => [name, await openPlace(place)] as const),
  )
  return Object.fromEntries(opened) as Record<Name, BlobStore>
}
