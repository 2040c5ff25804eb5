// Connections for writes: each runs one statement, or one transaction, at a time, so that one that does not respond is
// replaced alone. A connection that was idle is asked for a sign of life before it is used: a write cannot be repeated on
// another connection once it was sent.
import type postgres from 'postgres'
import { ResponseTimeout, withTimeout } from './hedged.ts'
import type { Pool } from './pool.ts'
import { isConnectionLost } from './sqlstate.ts'

interface ExclusiveOptions {
  connections: Pool[]
  /** How long work waits for a free connection. */
  queueMs: number
}

export interface ExclusiveConnections {
  run<T>(work: (connection: UsedConnection) => Promise<T>): Promise<T>
}

export interface UsedConnection {
  driver: postgres.Sql
  /** Closes the connection, because it does not respond. */
  discard(): void
  /** Aborted when the connection is closed, by the work or because the server is lost. */
  closing: AbortSignal
}

interface Slot {
  connection: Pool
  driver: postgres.Sql | undefined
  respondedAt: number
}

interface Waiter {
  start(slot: Slot): void
}

/** A connection that has been idle for longer is checked. */
const TRUSTED_MS = 1_000
/** After how long without a sign of life a new connection is tried beside it. */
const SPARE_AFTER_MS = 1_000
const CHECK_MS = 8_000
/** Longer than the driver waits for a new connection. */
const NEW_MS = 12_000

export function openExclusive({ connections, queueMs }: ExclusiveOptions): ExclusiveConnections {
  // The connection that was used last is used first, so that no more are opened than needed.
  const free: Slot[] = connections.map(connection => ({
    connection,
    driver: undefined,
    respondedAt: -Infinity,
  }))
  const waiting: Waiter[] = []

  function acquire(): Slot | Promise<Slot> {
    const slot = free.pop()
    if (slot) return slot
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        start(next) {
          clearTimeout(timer)
          resolve(next)
        },
      }
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1)
        reject(new ResponseTimeout('All connections to the database are busy.'))
      }, queueMs)
      waiting.push(waiter)
    })
  }

  function release(slot: Slot): void {
    const next = waiting.shift()
    if (next) next.start(slot)
    else free.push(slot)
  }

  return {
    async run(work) {
      const slot = await acquire()
      try {
        const driver = await responsive(slot)
        const result = await work({
          driver,
          discard: () => slot.connection.replace(driver),
          closing: slot.connection.closing(driver),
        })
        slot.respondedAt = performance.now()
        return result
      } catch (error) {
        slot.respondedAt = isConnectionLost(error) ? -Infinity : performance.now()
        throw error
      } finally {
        release(slot)
      }
    },
  }
}

/** The driver of the slot, once it has responded. */
async function responsive(slot: Slot): Promise<postgres.Sql> {
  const { connection } = slot
  const driver = connection.driver()
  if (slot.driver === driver && performance.now() - slot.respondedAt < TRUSTED_MS) return driver
  // A connection that was closed while it was idle opens again with the second check.
  const wasOpen = slot.driver === driver && slot.respondedAt > 0
  slot.driver = driver
  slot.respondedAt = -Infinity
  const first = check(connection, driver)
  first.catch(() => {})
  try {
    // A new connection is waited for: on a slow server, a second attempt would only take longer.
    await withTimeout(wasOpen ? SPARE_AFTER_MS : NEW_MS, first)
    return driver
  } catch (error) {
    if (error instanceof ResponseTimeout) return replaceUnlessResponding(slot, first)
    if (!wasOpen || !isConnectionLost(error)) throw error
    return responsive(slot)
  }
}

/** Uses whichever responds first, the connection or a new one beside it. */
async function replaceUnlessResponding(slot: Slot, first: Promise<unknown>): Promise<postgres.Sql> {
  const { connection, driver: old } = slot
  const spare = connection.openSpare()
  if (!spare || !old) throw new ResponseTimeout()
  try {
    const used = await withTimeout(
      CHECK_MS,
      Promise.any([first.then(() => old), check(connection, spare).then(() => spare)]),
    )
    if (used === spare) connection.adopt(spare, old)
    else connection.closeSpare(spare)
    slot.driver = connection.driver()
    return slot.driver
  } catch (error) {
    connection.closeSpare(spare)
    connection.replace(old)
    throw error instanceof AggregateError ? error.errors.at(-1) : error
  }
}

async function check(connection: Pool, driver: postgres.Sql): Promise<void> {
  await connection.prepare(driver)
  await driver`select 1`
}
