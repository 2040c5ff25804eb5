// Caches the rendered JSON of records that are read often. An entry is never served unchecked: each read asks PostgreSQL
// for the record's current entity tag, and an entry with another tag is loaded again. Rendering and transferring the JSON
// is what costs; looking up a tag is cheap.

import { crc32 } from 'node:zlib'

/** A record as it is sent. Any change of the JSON changes the entity tag. */
export interface RenderedRecord {
  id: string
  json: string
  etag: string
}

/** Of a text that a record shows and that its version does not cover, as a part of its entity tag. */
export const tagPartOf = (text: string | null): string => crc32(text ?? '').toString(16)

/** Characters of JSON: 8 MiB in memory, or 16 MiB when records contain characters beyond Latin-1. */
const MAX_CHARACTERS = 8 * 1024 * 1024
const MAX_KEYS_READ_ONCE = 8_192

/**
 * A bounded map; the entries that were stored first are evicted first. A record is cached from its second read on: most
 * records are read once in a long while, and would only evict others.
 */
export function createEtagCache() {
  const entries = new Map<string, RenderedRecord>()
  const readOnce = new Set<string>()
  let characters = 0

  const remove = (key: string) => {
    characters -= entries.get(key)?.json.length ?? 0
    entries.delete(key)
  }

  return {
    get: (key: string): RenderedRecord | undefined => entries.get(key),
    remove,

    /** Replaces the entry; on the first read of a key it only notes that the key was read. */
    set(key: string, record: RenderedRecord): void {
      remove(key)
      if (!readOnce.has(key)) {
        if (readOnce.size >= MAX_KEYS_READ_ONCE) readOnce.clear()
        readOnce.add(key)
        return
      }
      entries.set(key, record)
      characters += record.json.length
      for (const oldest of entries.keys()) {
        if (characters <= MAX_CHARACTERS) return
        remove(oldest)
      }
    },
  }
}

export interface KeyEtag {
  key: string
  etag: string
}

interface CachedLookup<Row> {
  /** The current entity tags of the records with these keys; keys without a record are left out. */
  loadEtags(keys: string[]): Promise<KeyEtag[]>
  /** The records with these keys; keys without a record are left out. */
  loadRows(keys: string[]): Promise<(Row & { key: string })[]>
  render(row: Row): RenderedRecord
  /** Whether to load the records as if none were cached, and to cache none. */
  bypass?: () => boolean
}

/**
 * The cache is used only when at least one in four keys is cached. Below that, the extra query for entity tags costs more
 * than loading all records in one query.
 */
const MIN_CACHED_SHARE = 1 / 4

/** A lookup of records by their keys that loads only records that are not cached, or have changed since. */
export function cachedByEtag<Row>({
  loadEtags,
  loadRows,
  render,
  bypass = () => false,
}: CachedLookup<Row>): (keys: string[]) => Promise<Map<string, RenderedRecord>> {
  const cache = createEtagCache()

  const load = async (keys: string[], found: Map<string, RenderedRecord>) => {
    if (keys.length === 0) return
    for (const row of await loadRows(keys)) {
      const record = render(row)
      found.set(row.key, record)
      cache.set(row.key, record)
    }
  }

  /** Adds the cached records that are current to `found`, and returns the keys of those that have changed. */
  const validate = async (cached: Map<string, RenderedRecord>, found: Map<string, RenderedRecord>) => {
    const changed: string[] = []
    if (cached.size === 0) return changed
    for (const { key, etag } of await loadEtags([...cached.keys()])) {
      const record = cached.get(key)
      if (record?.etag === etag) found.set(key, record)
      else changed.push(key)
    }
    return changed
  }

  return async keys => {
    if (bypass()) return new Map((await loadRows(keys)).map(row => [row.key, render(row)]))
    // Entries are taken once, before the query: a concurrent lookup may replace them while this one waits.
    const cached = new Map<string, RenderedRecord>()
    let uncached: string[] = []
    for (const key of keys) {
      const record = cache.get(key)
      if (record) cached.set(key, record)
      else uncached.push(key)
    }
    if (cached.size < keys.length * MIN_CACHED_SHARE) {
      cached.clear()
      uncached = keys
    }
    const found = new Map<string, RenderedRecord>()
    const [changed] = await Promise.all([validate(cached, found), load(uncached, found)])
    await load(changed, found)
    for (const key of keys) if (!found.has(key)) cache.remove(key)
    return found
  }
}
