// Limits the readers of the change feed. They take no slot of the load shedding while they wait, so they have limits of their
// own.
import { tooBusy } from '../http/shedding.ts'
import { tooManyRequests } from '../lib/limiter.ts'

const PER_CLIENT = 50
const TOTAL = 1_000

/** Admits a reader, or throws; the returned function ends it, once. */
export function createFeedReaders() {
  const readers = new Map<string, number>()
  let total = 0

  return (clientId: string): (() => void) => {
    const own = readers.get(clientId) ?? 0
    if (own >= PER_CLIENT)
      throw tooManyRequests(`More than ${PER_CLIENT} requests of this client read changes at once.`, {
        headers: { 'retry-after': '5' },
      })
    if (total >= TOTAL) throw tooBusy(undefined, { headers: { 'retry-after': '5' } })
    readers.set(clientId, own + 1)
    total += 1
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      total -= 1
      const left = (readers.get(clientId) ?? 1) - 1
      if (left > 0) readers.set(clientId, left)
      else readers.delete(clientId)
    }
  }
}
