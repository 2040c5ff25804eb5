// Owns the records that are read again and again. Their JSON is held here, and each read asks PostgreSQL whether it is
// still the record's: what costs is making the JSON and passing it on, not looking up an entity tag.

/** A record ready to be sent. The entity tag is another one whenever any of it has changed. */
export interface Shown {
  id: string
  json: string
  etag: string
}

/** Characters of JSON, which take 8 MiB, or 16 where one of a record is beyond Latin-1; and keys that were asked for once. */
const MOST_CHARACTERS = 8 * 1024 * 1024
const MOST_SEEN = 8_192

export function createHeld() {
  const held = new Map<string, Shown>()
  // A record is held from its second read on: most are read once in a long while, and would only drive out others.
  const seen = new Set<string>()
  let characters = 0

  const forget = (key: string) => {
    characters -= held.get(key)?.json.length ?? 0
    held.delete(key)
  }

  return {
    get: (key: string): Shown | undefined => held.get(key),

    /** Holds what was read anew; nothing for a key that leads nowhere any more. */
    keep(key: string, shown: Shown | undefined): void {
      forget(key)
      if (!shown) return
      if (!seen.has(key)) {
        if (seen.size >= MOST_SEEN) seen.clear()
        seen.add(key)
        return
      }
      held.set(key, shown)
      characters += shown.json.length
      for (const oldest of held.keys()) {
        if (characters <= MOST_CHARACTERS) return
        forget(oldest)
      }
    },
  }
}

/** What a row says of the key that led to it. */
export interface Looked {
  key: string
  /** The record has the tag that was given, and is left out. */
  unchanged: boolean
}

/**
 * Finds records by their keys. `load` is given the entity tag of what is held for each key, or '', and gives a row for each
 * key that leads to a record, without the record where it has that very tag.
 */
export function holding<Row>(
  load: (keys: string[], tags: string[]) => Promise<(Row & Looked)[]>,
  show: (row: Row) => Shown,
): (keys: string[]) => Promise<Map<string, Shown>> {
  const held = createHeld()
  return async keys => {
    // What was held when it was asked for is what the answer is about, whatever others read meanwhile.
    const known = new Map(keys.map(key => [key, held.get(key)]))
    const rows = await load(
      keys,
      keys.map(key => known.get(key)?.etag ?? ''),
    )
    const found = new Map<string, Shown>()
    for (const row of rows) {
      const shown = row.unchanged ? known.get(row.key) : show(row)
      if (!shown) continue
      found.set(row.key, shown)
      if (!row.unchanged) held.keep(row.key, shown)
    }
    for (const key of keys) if (!found.has(key)) held.keep(key, undefined)
    return found
  }
}
