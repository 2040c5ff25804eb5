/** At most so many queries of one kind at once: what is asked meanwhile makes the next one larger, and cheaper for each. */
const UNDER_WAY = 2

interface Lookup<V> {
  key: string
  resolve: (value: V | undefined) => void
  reject: (error: unknown) => void
}

/**
 * Answers the lookups of one turn of the event loop with one query. Under load many requests arrive in the same turn, and
 * more while earlier queries are under way; a round trip and a plan then serve all of them.
 */
export function batched<V>(
  load: (keys: string[]) => Promise<Map<string, V>>,
): (key: string) => Promise<V | undefined> {
  let waiting: Lookup<V>[] = []
  let underWay = 0

  const flush = async () => {
    if (underWay >= UNDER_WAY || waiting.length === 0) return
    const lookups = waiting
    waiting = []
    underWay += 1
    try {
      const found = await load([...new Set(lookups.map(({ key }) => key))])
      for (const { key, resolve } of lookups) resolve(found.get(key))
    } catch (error) {
      for (const { reject } of lookups) reject(error)
    } finally {
      underWay -= 1
      void flush()
    }
  }

  return key =>
    new Promise((resolve, reject) => {
      // PostgreSQL refuses text with a NUL, and would refuse the lookups of all others along with it.
      if (key.includes('\0')) return resolve(undefined)
      // Immediate callbacks run after everything that this turn has read from its sockets.
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({ key, resolve, reject })
    })
}
