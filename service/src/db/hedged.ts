// Reads that do not depend on a single connection. A connection can freeze alone (a lost route, a hung pooler): it closes
// nothing, and what was asked over it waits until the network gives up, which takes a quarter of an hour.
import type postgres from 'postgres'
import { isConnectionLost } from './sqlstate.ts'

/** A driver with one connection, which can be replaced by a new one. */
export interface Replaceable {
  driver(): postgres.Sql
  /** Ends this driver, with all that waits in it, and opens another; does nothing where that has happened meanwhile. */
  replace(driver: postgres.Sql): void
}

export interface Patience {
  /** Milliseconds after which the same work is also tried on another connection. */
  hedgeAfter: number
  /** Milliseconds after which it fails. */
  giveUpAfter: number
}

type Work<T> = (sql: postgres.Sql) => Promise<T>

/** Runs work that only reads, on one connection, and on another one where that is lost or does not answer. */
export type Hedged = <T>(work: Work<T>, patience: Patience) => Promise<T>

interface Slot {
  connection: Replaceable
  running: number
  /** The driver that was last used, and since when it has answered nothing. */
  driver?: postgres.Sql
  hasAnswered: boolean
  silentSince: number
}

interface Attempt<T> {
  result: Promise<T>
  isPending(): boolean
  /** Whether the connection has answered nothing for so long that it counts as frozen. */
  isSilent(): boolean
  /** Gives up the connection. */
  discard(): void
}

/** A server that is slow still answers something in this time. */
const SILENCE_MS = 7_000
/** A slow server needs longer to take a new connection. */
const FIRST_SILENCE_MS = 20_000

/** The code is one of a lost connection. */
class Unanswered extends Error {
  readonly code = 'ETIMEDOUT'
}

export function createHedged(connections: Replaceable[]): Hedged {
  const slots: Slot[] = connections.map(connection => ({
    connection,
    running: 0,
    hasAnswered: false,
    silentSince: 0,
  }))
  const leastBusy = (among: Slot[]) =>
    among.reduce((least, slot) => (slot.running < least.running ? slot : least))

  return async (work, { hedgeAfter, giveUpAfter }) => {
    const slot = leastBusy(slots)
    const first = attempt(slot, work)
    try {
      return await within(hedgeAfter, first.result)
    } catch (error) {
      if (!isConnectionLost(error)) throw error
    }
    const second = attempt(leastBusy(slots.filter(other => other !== slot)), work)
    try {
      const result = await within(giveUpAfter - hedgeAfter, Promise.any([first.result, second.result]))
      // The same question was answered over the other one: this one is frozen.
      if (first.isPending()) first.discard()
      return result
    } catch (error) {
      for (const { isPending, isSilent, discard } of [first, second]) if (isPending() && isSilent()) discard()
      throw error instanceof AggregateError ? error.errors.at(-1) : error
    }
  }
}

function attempt<T>(slot: Slot, work: Work<T>): Attempt<T> {
  const driver = slot.connection.driver()
  const discard = () => slot.connection.replace(driver)
  const answered = () => {
    if (slot.driver !== driver) return
    slot.hasAnswered = true
    slot.silentSince = performance.now()
  }
  if (slot.driver !== driver) {
    slot.driver = driver
    slot.hasAnswered = false
    slot.silentSince = performance.now()
  }
  // Nothing was asked over it: it could answer nothing.
  if (slot.running === 0) slot.silentSince = performance.now()
  const isSilent = () =>
    performance.now() - slot.silentSince > (slot.hasAnswered ? SILENCE_MS : FIRST_SILENCE_MS)
  let pending = true
  const run = async () => {
    try {
      const result = await work(driver)
      answered()
      return result
    } catch (error) {
      if (isConnectionLost(error)) discard()
      else answered()
      throw error
    } finally {
      slot.running -= 1
      pending = false
    }
  }
  slot.running += 1
  return { result: run(), isPending: () => pending, isSilent, discard }
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Unanswered('The database did not answer in time.')), milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
