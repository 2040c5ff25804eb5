/**
 * Answers the lookups of one turn of the event loop with one query. Under load many requests arrive in the same turn;
 * a round trip and a plan then serve all of them.
 */
export function batched<V>(
  load: (keys: string[]) => Promise<Map<string, V>>,
): (key: string) => Promise<V | undefined> {
  let waiting: { key: string; resolve: (value: V | undefined) => void; reject: (error: unknown) => void }[] =
    []

  const flush = async () => {
    const lookups = waiting
    waiting = []
    try {
      const found = await load([...new Set(lookups.map(({ key }) => key))])
      for (const { key, resolve } of lookups) resolve(found.get(key))
    } catch (error) {
      for (const { reject } of lookups) reject(error)
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
