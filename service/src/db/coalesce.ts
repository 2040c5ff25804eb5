interface Lookup<V> {
  key: string
  resolve: (value: V | undefined) => void
  reject: (error: unknown) => void
}

/**
 * Coalesces concurrent lookups into one query. Lookups that arrive while a query runs go into the next one. A query has a
 * fixed cost of about a dozen records.
 */
export function coalesced<V>(
  load: (keys: string[]) => Promise<Map<string, V>>,
): (key: string) => Promise<V | undefined> {
  let queued: Lookup<V>[] = []
  let isLoading = false

  const flush = async () => {
    if (isLoading || queued.length === 0) return
    const lookups = queued
    queued = []
    isLoading = true
    try {
      const found = await load([...new Set(lookups.map(({ key }) => key))])
      for (const { key, resolve } of lookups) resolve(found.get(key))
    } catch (error) {
      for (const { reject } of lookups) reject(error)
    } finally {
      isLoading = false
      void flush()
    }
  }

  return key =>
    new Promise((resolve, reject) => {
      // PostgreSQL rejects text with a NUL character, which would fail all lookups of the query.
      if (key.includes('\0')) return resolve(undefined)
      // Immediate callbacks run after the event loop has read all sockets. The second iteration also catches clients that
      // received a response in the first one and have sent their next request by now.
      if (queued.length === 0) setImmediate(setImmediate, flush)
      queued.push({ key, resolve, reject })
    })
}
