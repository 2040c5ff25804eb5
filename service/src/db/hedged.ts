// Hedged reads: a read that gets no response in time is also sent over a second connection, and then over a new one. A
// connection can freeze (a lost route, a hung pooler) without being closed; its queries would wait until the network times
// out, which takes a quarter of an hour.
import type postgres from 'postgres'
import { isConnectionLost } from './sqlstate.ts'

/** A driver with one connection, which can be replaced by a new one. */
export interface ReplaceableConnection {
  driver(): postgres.Sql
  /** Resolves when the settings of this driver's connection are in effect. */
  prepare(driver: postgres.Sql): Promise<void>
  /** Closes this driver with all its queries and opens another; a no-op when it was replaced already. */
  replace(driver: postgres.Sql): void
  /** Another driver beside the current one; undefined while there is no host. */
  openSpare(): postgres.Sql | undefined
  closeSpare(spare: postgres.Sql): void
  /** Uses the spare driver instead of this one, which is closed; closes the spare when that was replaced already. */
  adopt(spare: postgres.Sql, driver: postgres.Sql): void
}

interface HedgeTimeouts {
  /** When the read is also sent over another connection. */
  hedgeAfterMs: number
  /** How long after that it is sent over a new one too. */
  spareAfterMs: number
  /** When the read fails. */
  timeoutMs: number
  /** For how long a connection with several reads may be silent, when a new connection responds meanwhile. */
  frozenAfterMs: number
  /** Whether the second connection must be idle. */
  onlyIdle?: boolean
}

type Read<T> = (sql: postgres.Sql) => Promise<T>

/** Runs a read on one connection, and on others when the first is lost or does not respond. */
export type HedgedRead = <T>(read: Read<T>, timeouts: HedgeTimeouts) => Promise<T>

interface Slot {
  connection: ReplaceableConnection
  running: number
  /** The driver that was used last, and the time since which it has not responded. */
  driver?: postgres.Sql
  hasResponded: boolean
  silentSince: number
}

interface SpareOptions {
  /** The connections that have not responded. */
  tried: [Slot, ...Slot[]]
  frozenAfterMs: number
}

/** A read that was sent, and waits for its response. */
interface PendingRead {
  isPending(): boolean
  settled: Promise<void>
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
export class ResponseTimeout extends Error {
  readonly code = 'ETIMEDOUT'

  constructor(message = 'The database did not respond in time.') {
    super(message)
  }
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
  /** One new connection at a time: it shows for all reads whether the others are frozen. Resolves when it is not needed any more. */
  let spareInUse: Promise<void> | undefined

  /** Sends the read over a new connection. When that responds, the connections that do not are replaced. */
  async function trySpare<T>(
    read: Read<T>,
    { tried, isPending, settled, frozenAfterMs }: SpareOptions & PendingRead,
  ): Promise<T> {
    while (spareInUse && isPending()) await Promise.race([spareInUse, settled])
    const spare = isPending() ? tried[0].connection.openSpare() : undefined
    if (!spare) throw new ResponseTimeout()
    return readOver(spare, read, { tried, frozenAfterMs })
  }

  async function readOver<T>(
    spare: postgres.Sql,
    read: Read<T>,
    { tried, frozenAfterMs }: SpareOptions,
  ): Promise<T> {
    const { connection } = tried[0]
    const used = Promise.withResolvers<void>()
    spareInUse = used.promise
    const replaced = connection.driver()
    try {
      await connection.prepare(spare)
      const result = await read(spare)
      const now = performance.now()
      // Idle connections are replaced too, which costs nothing until they are used. One that has only this read is frozen;
      // one that has several may be busy with another.
      const isFrozen = (slot: Slot) =>
        slot.running === 0 ||
        (slot.running === 1 && tried.includes(slot)) ||
        now - slot.silentSince > frozenAfterMs
      for (const slot of slots)
        if (slot.connection !== connection && isFrozen(slot))
          slot.connection.replace(slot.connection.driver())
      if (isFrozen(tried[0])) connection.adopt(spare, replaced)
      else connection.closeSpare(spare)
      return result
    } catch (error) {
      connection.closeSpare(spare)
      throw error
    } finally {
      spareInUse = undefined
      used.resolve()
    }
  }

  async function once<T>(
    read: Read<T>,
    { hedgeAfterMs, spareAfterMs, timeoutMs, frozenAfterMs, onlyIdle = false }: HedgeTimeouts,
  ): Promise<T> {
    const slot = leastBusy(slots)
    const first = attempt(slot, read)
    try {
      return await withTimeout(hedgeAfterMs, first.result)
    } catch (error) {
      if (!isConnectionLost(error)) throw error
    }
    const other = leastBusy(slots.filter(each => each !== slot))
    // A long read that runs twice would keep the reads behind it waiting.
    const second = onlyIdle && first.isPending() && other.running > 0 ? undefined : attempt(other, read)
    const both = second ? Promise.any([first.result, second.result]) : first.result
    try {
      const result = await withTimeout(spareAfterMs, both)
      // The second connection has responded to the same read, so that the first one is frozen.
      if (first.isPending()) first.discard()
      return result
    } catch (error) {
      if (error instanceof AggregateError || !isConnectionLost(error)) throw lastError(error)
    }
    let isSettled = false
    const noteSettled = () => {
      isSettled = true
    }
    const spare = trySpare(read, {
      tried: second ? [slot, other] : [slot],
      isPending: () => !isSettled,
      settled: both.then(noteSettled, noteSettled),
      frozenAfterMs,
    })
    try {
      return await withTimeout(timeoutMs - hedgeAfterMs - spareAfterMs, Promise.any([spare, both]))
    } catch (error) {
      for (const { isPending, isFrozen, discard } of second ? [first, second] : [first])
        if (isPending() && isFrozen()) discard()
      throw lastError(error)
    }
  }

  return async (read, timeouts) => {
    const began = performance.now()
    try {
      return await once(read, timeouts)
    } catch (error) {
      // Its connections were replaced because of another read: the new ones are tried once.
      const left = timeouts.timeoutMs - (performance.now() - began)
      if (!isReplaced(error) || left < timeouts.hedgeAfterMs + timeouts.spareAfterMs) throw error
      return once(read, { ...timeouts, timeoutMs: left })
    }
  }
}

const isReplaced = (error: unknown) => (error as { code?: string }).code === 'CONNECTION_DESTROYED'

const lastError = (error: unknown): unknown =>
  error instanceof AggregateError ? lastError(error.errors.at(-1)) : error

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
      await slot.connection.prepare(driver)
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
  const result = run()
  // A read whose other attempt has won is waited for by nothing.
  result.catch(() => {})
  return { result, isPending: () => pending, isFrozen, discard }
}

export async function withTimeout<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ResponseTimeout()), milliseconds)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
