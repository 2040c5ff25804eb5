// Hedged reads: a read that gets no response in time is also sent over a second connection. A single connection can
// freeze (a lost route, a hung pooler) without being closed; its queries would wait until the network times out, which
// takes a quarter of an hour.
import type postgres from 'postgres'
import { isConnectionLost } from './sqlstate.ts'

/** A driver with one connection, which can be replaced by a new one. */
export interface ReplaceableConnection {
  driver(): postgres.Sql
  /** Closes this driver with all its queries and opens another; a no-op when it was replaced already. */
  replace(driver: postgres.Sql): void
}

interface HedgeTimeouts {
  /** When the read is also sent over another connection. */
  hedgeAfterMs: number
  /** When the read fails. */
  timeoutMs: number
}

type Read<T> = (sql: postgres.Sql) => Promise<T>

/** Runs a read on one connection, and on another one when the first is lost or does not respond. */
type HedgedRead = <T>(read: Read<T>, timeouts: HedgeTimeouts) => Promise<T>

interface Slot {
  connection: ReplaceableConnection
  running: number
  /** The driver that was used last, and the time since which it has not responded. */
  driver?: postgres.Sql
  hasResponded: boolean
  silentSince: number
}

interface Attempt<T> {
  result: Promise<T>
  isPending(): boolean
  /** Whether the connection has not responded for so long that it counts as frozen. */
  isFrozen(): boolean
  /** Replaces the connection. */
  discard(): void
}

/** Even a slow server responds to something within this time. */
const FROZEN_AFTER_MS = 7_000
/** A slow server needs longer to accept a new connection. */
const NEW_FROZEN_AFTER_MS = 20_000

/** Has the code of a lost connection, so that it is handled like one. */
class ResponseTimeout extends Error {
  readonly code = 'ETIMEDOUT'
}

export function createHedgedRead(connections: ReplaceableConnection[]): HedgedRead {
  const slots: Slot[] = connections.map(connection => ({
    connection,
    running: 0,
    hasResponded: false,
    silentSince: 0,
  }))
  const leastBusy = (among: Slot[]) =>
    among.reduce((least, slot) => (slot.running < least.running ? slot : least))

  return async (read, { hedgeAfterMs, timeoutMs }) => {
    const slot = leastBusy(slots)
    const first = attempt(slot, read)
    try {
      return await withTimeout(hedgeAfterMs, first.result)
    } catch (error) {
      if (!isConnectionLost(error)) throw error
    }
    const second = attempt(leastBusy(slots.filter(other => other !== slot)), read)
    try {
      const result = await withTimeout(timeoutMs - hedgeAfterMs, Promise.any([first.result, second.result]))
      // The second connection has responded to the same read, so that the first one is frozen.
      if (first.isPending()) first.discard()
      return result
    } catch (error) {
      for (const { isPending, isFrozen, discard } of [first, second]) if (isPending() && isFrozen()) discard()
      throw error instanceof AggregateError ? error.errors.at(-1) : error
    }
  }
}

function attempt<T>(slot: Slot, read: Read<T>): Attempt<T> {
  const driver = slot.connection.driver()
  const discard = () => slot.connection.replace(driver)
  const recordResponse = () => {
    if (slot.driver !== driver) return
    slot.hasResponded = true
    slot.silentSince = performance.now()
  }
  if (slot.driver !== driver) {
    slot.driver = driver
    slot.hasResponded = false
    slot.silentSince = performance.now()
  }
  // An idle connection has nothing to respond to: the silence begins with this read.
  if (slot.running === 0) slot.silentSince = performance.now()
  const isFrozen = () =>
    performance.now() - slot.silentSince > (slot.hasResponded ? FROZEN_AFTER_MS : NEW_FROZEN_AFTER_MS)
  let pending = true
  const run = async () => {
    try {
      const result = await read(driver)
      recordResponse()
      return result
    } catch (error) {
      if (isConnectionLost(error)) discard()
      else recordResponse()
      throw error
    } finally {
      slot.running -= 1
      pending = false
    }
  }
  slot.running += 1
  return { result: run(), isPending: () => pending, isFrozen, discard }
}

async function withTimeout<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ResponseTimeout('The database did not respond in time.')),
      milliseconds,
    )
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
