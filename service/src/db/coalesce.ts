interface Lookup<V> {
  key: string
  resolve: (value: V | undefined) => void
  reject: (error: unknown) => void
}

/**
 * Answers the lookups of a moment with one query. Under load many requests arrive together, and more while a query is under
 * way: they make the next one larger. A query by itself costs as much as a dozen records in one.
 */
export function coalesced<V>(
  load: (keys: string[]) => Promise<Map<string, V>>,
): (key: string) => Promise<V | undefined> {
  let waiting: Lookup<V>[] = []
  let underWay = false

  const flush = async () => {
    if (underWay || waiting.length === 0) return
    const lookups = waiting
    waiting = []
    underWay = true
    try {
      const found = await load([...new Set(lookups.map(({ key }) => key))])
      for (const { key, resolve } of lookups) resolve(found.get(key))
    } catch (error) {
      for (const { reject } of lookups) reject(error)
    } finally {
      underWay = false
      void flush()
    }
  }

  return key =>
    new Promise((resolve, reject) => {
      // PostgreSQL refuses text with a NUL, and would refuse the lookups of all others along with it.
      if (key.includes('\0')) return resolve(undefined)
      // Immediate callbacks run after everything that a turn of the event loop has read from its sockets. The second turn
      // brings those who were answered just before and have sent their next request by now.
      if (waiting.length === 0) setImmediate(setImmediate, flush)
      waiting.push({ key, resolve, reject })
    })
}
