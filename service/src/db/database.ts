// Owns the connection pool and what a transaction is. Stores take `sql` or `tx` as their first parameter and never
// reach for a pool of their own.
import type postgres from 'postgres'
import type { Log } from '../lib/log.ts'
import { createPulse } from './heartbeat.ts'
import { createHedged } from './hedged.ts'
import { type Target, targetsOf } from './hosts.ts'
import { openPool } from './pool.ts'
import { watchPrimary } from './primary-watch.ts'
import { isConnectionLost, isTerminated, isTransient } from './sqlstate.ts'
import { driverTypes } from './types.ts'

/** What a store function needs: the pool, or a transaction that was handed down. */
// biome-ignore lint/complexity/noBannedTypes: postgres.js spells "no custom types" as {}.
export type Sql = postgres.ISql<{}>
// biome-ignore lint/complexity/noBannedTypes: postgres.js spells "no custom types" as {}.
export type Tx = postgres.TransactionSql<{}>

export type Lookup = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>

export interface Database {
  sql: Sql
  /**
   * Runs work that finds records by their keys, and again on another connection where the first does not answer.
   * PostgreSQL plans such a statement once here: left alone it plans anew whenever the number of keys is another, which
   * takes longer than finding them.
   */
  lookup: Lookup
  /** Fails unless the database answers, for lookups and for all the rest. */
  ping(): Promise<void>
  /** Runs the work in one transaction, again from the start when PostgreSQL asks for that (deadlock, serialization). */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export type Connection = { path: string; user: string; database: string } | { url: string }

export interface ConnectOptions {
  connection: Connection
  log: Log
  poolSize?: number
  /** For how long no answer at all means that the connections are frozen; more than a statement may take. */
  silenceMs?: number
  /** Told of every statement that is sent; the bench repeats them without the service. */
  onStatement?: (text: string, parameters: unknown[], types: number[]) => void
}

const ATTEMPTS = 10
const LOOKUPS = 4
const LOOKUP_PATIENCE = { hedgeAfter: 1_000, giveUpAfter: 8_000 }

export function connect({
  connection,
  log,
  poolSize = 10,
  silenceMs = 35_000,
  onStatement,
}: ConnectOptions): Database {
  const options: postgres.Options<Record<string, postgres.PostgresType>> = {
    max: poolSize,
    connect_timeout: 5,
    // A connection is lost alone, or the pool is thrown away with it: either way there is nothing to wait for.
    backoff: () => 0,
    onnotice: () => {},
    fetch_types: false,
    ...(onStatement && {
      debug: (_connection: number, text: string, parameters: unknown[], types: unknown[]) =>
        onStatement(text, parameters, types as number[]),
    }),
    connection: {
      application_name: 'caseport',
      DateStyle: 'ISO',
      TimeZone: 'UTC',
      statement_timeout: 30_000,
      lock_timeout: 10_000,
      idle_in_transaction_session_timeout: 60_000,
    },
    types: driverTypes,
  }
  const targets = targetsOf(connection)
  const watch = watchPrimary({
    targets,
    log,
    periodic: 'url' in connection,
    onChange(primary: Target | undefined) {
      for (const pool of [main, ...lookups]) pool.moveTo(primary)
    },
  })
  const parts = { target: targets[0], onLost: watch.check }
  const main = openPool({ ...parts, options })
  // Each with one connection, so that one that is frozen can be replaced alone.
  const planned = { ...options.connection, plan_cache_mode: 'force_generic_plan' }
  const single = { ...options, max: 1, connection: planned }
  const lookups = Array.from({ length: LOOKUPS }, () => openPool({ ...parts, options: single }))
  const hedged = createHedged(lookups)
  const lookup: Lookup = work => hedged(work, LOOKUP_PATIENCE)
  const { sql } = main
  const pulse = createPulse({
    ask: () => sql`select 1`,
    ...('url' in connection && {
      watch: {
        everyMs: Math.min(2_000, silenceMs / 4),
        silenceMs,
        onSilent() {
          log.warn({}, 'the connections to the database are silent; they are replaced')
          main.replace(main.driver())
        },
      },
    }),
  })

  return {
    sql,
    lookup,
    async ping() {
      await Promise.all([pulse.check(), lookup(one => one`select 1`)])
    },
    async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
      for (let attempt = 1; ; attempt++) {
        let begun = false
        try {
          const result = await runOnce(sql, tx => {
            begun = true
            return work(tx)
          })
          pulse.beat()
          return result
        } catch (error) {
          if (!isConnectionLost(error)) pulse.beat()
          if (attempt === ATTEMPTS) throw error
          // What the server said when it ended an idle connection is told to the next caller, which has not begun yet.
          if (!begun && isTerminated(error)) continue
          if (!isTransient(error)) throw error
          await new Promise(resolve => setTimeout(resolve, Math.random() * 10 * Math.min(2 ** attempt, 16)))
        }
      }
    },
    async close() {
      watch.close()
      pulse.close()
      await Promise.all([main, ...lookups].map(pool => pool.close()))
    },
  }
}

/**
 * Sends nothing more once the connection is lost. The driver (3.4.9, its issue 1208) would send the ROLLBACK, or what the
 * work does next, to a socket that is not there, and throw where nobody can catch it: that would end this process.
 */
async function runOnce<T>(sql: postgres.Sql, work: (tx: Tx) => Promise<T>): Promise<T> {
  let over = false
  const lost = Promise.withResolvers<never>()
  const begun = sql.begin(async tx => {
    try {
      return await work(until(() => over, tx))
    } catch (error) {
      if (!over && !isConnectionLost(error)) throw error
      // Without an end to this there is no ROLLBACK. The driver would fail the transaction itself, but only when the
      // connection closes, and that of a server that was switched off does not.
      lost.reject(error)
      return new Promise<never>(() => {})
    }
  })
  try {
    return (await Promise.race([begun, lost.promise])) as T
  } finally {
    over = true
  }
}

/** The transaction, for as long as there is one. */
function until(isOver: () => boolean, tx: Tx): Tx {
  const stillOpen = () => {
    if (isOver()) throw Object.assign(new Error('The transaction is over.'), { code: 'CONNECTION_CLOSED' })
  }
  return new Proxy(tx, {
    apply(target, self, parameters) {
      stillOpen()
      return Reflect.apply(target as never, self, parameters)
    },
    get(target, name) {
      stillOpen()
      return Reflect.get(target, name)
    },
  })
}
