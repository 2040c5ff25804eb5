// Owns the records that are read again and again. Their JSON is held here, and each read asks PostgreSQL for the entity tag
// that the record has now: what costs is making the JSON and passing it on, not looking up a tag.

/** A record ready to be sent. The entity tag is another one whenever any of it has changed. */
export interface Shown {
  id: string
  json: string
  etag: string
}

/** Characters of JSON, which take 8 MiB, or 16 where one of a record is beyond Latin-1; and keys that were asked for once. */
const MOST_CHARACTERS = 8 * 1024 * 1024
const MOST_SEEN = 8_192

export function createEtagCache() {
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
    forget,

    /** Holds what was read anew. */
    keep(key: string, shown: Shown): void {
      forget(key)
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

export interface Tagged {
  key: string
  etag: string
}

interface Lookup<Row> {
  /** The tags that the records of these keys have now; a key that leads nowhere has none. */
  tags(keys: string[]): Promise<Tagged[]>
  /** The records of these keys, those that there are. */
  rows(keys: string[]): Promise<(Row & { key: string })[]>
  show(row: Row): Shown
}

/** Where fewer than one in so many are held, asking for their tags costs more than reading them with the others. */
const WORTH_ASKING = 4

/** Finds records by their keys. */
export function cachedByEtag<Row>({
  tags,
  rows,
  show,
}: Lookup<Row>): (keys: string[]) => Promise<Map<string, Shown>> {
  const held = createEtagCache()

  const read = async (keys: string[], found: Map<string, Shown>) => {
    if (keys.length === 0) return
    for (const row of await rows(keys)) {
      const shown = show(row)
      found.set(row.key, shown)
      held.keep(row.key, shown)
    }
  }

  /** Answers the keys of those that have changed. */
  const confirm = async (known: Map<string, Shown>, found: Map<string, Shown>) => {
    const changed: string[] = []
    if (known.size === 0) return changed
    for (const { key, etag } of await tags([...known.keys()])) {
      const shown = known.get(key)
      if (shown?.etag === etag) found.set(key, shown)
      else changed.push(key)
    }
    return changed
  }

  return async keys => {
    // What was held when it was asked for is what the answer is about, whatever others read meanwhile.
    const known = new Map<string, Shown>()
    let others: string[] = []
    for (const key of keys) {
      const shown = held.get(key)
      if (shown) known.set(key, shown)
      else others.push(key)
    }
    if (known.size * WORTH_ASKING < keys.length) {
      known.clear()
      others = keys
    }
    const found = new Map<string, Shown>()
    const [changed] = await Promise.all([confirm(known, found), read(others, found)])
    await read(changed, found)
    for (const key of keys) if (!found.has(key)) held.forget(key)
    return found
  }
}
