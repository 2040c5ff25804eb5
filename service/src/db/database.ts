// Connects to PostgreSQL: the connection pool, lookups and transactions. Store functions take `sql` or `tx` as their first
// parameter and never open connections of their own.
import type postgres from 'postgres'
import type { Log } from '../lib/log.ts'
import { createHeartbeat } from './heartbeat.ts'
import { createHedgedRead } from './hedged.ts'
import { type Host, hostsOf } from './hosts.ts'
import { openPool } from './pool.ts'
import { watchPrimary } from './primary-watch.ts'
import { isConnectionLost, isTerminated, isTransient } from './sqlstate.ts'
import { driverTypes } from './types.ts'

/** What a store function runs its statement on: the pool, or a transaction. */
// biome-ignore lint/complexity/noBannedTypes: postgres.js spells "no custom types" as {}.
export type Sql = postgres.ISql<{}>
// biome-ignore lint/complexity/noBannedTypes: postgres.js spells "no custom types" as {}.
export type Tx = postgres.TransactionSql<{}>

export type Lookup = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>

export interface Database {
  sql: Sql
  /**
   * Runs a read that finds records by their keys, and repeats it on another connection when the first does not respond. Its
   * connections use generic plans: by default PostgreSQL plans such a statement again whenever the number of keys differs,
   * which takes longer than running it.
   */
  lookup: Lookup
  /**
   * Runs an insert whose commit does not wait for the disk: once it resolves, only a crash of PostgreSQL itself can lose it.
   * Repeated on another connection when the first does not respond, so that rows may be there twice after a broken connection.
   */
  append: Lookup
  /** Rejects unless the database responds, over the pool and over the lookup connections. */
  ping(): Promise<void>
  /** Runs the work in a transaction, and retries it from the start after deadlocks and serialization failures. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export type Connection = { path: string; user: string; database: string } | { url: string }

export interface ConnectOptions {
  connection: Connection
  log: Log
  poolSize?: number
  /** After how long without any response the connections count as frozen; longer than the statement timeout. */
  heartbeatTimeoutMs?: number
  /** Called with each statement that is sent; the bench replays them without the service. */
  onStatement?: (text: string, parameters: unknown[], types: number[]) => void
}

const MAX_ATTEMPTS = 10
const LOOKUP_CONNECTIONS = 4
const LOOKUP_TIMEOUTS = { hedgeAfterMs: 1_000, timeoutMs: 8_000 }
const APPEND_CONNECTIONS = 2

export function connect({
  connection,
  log,
  poolSize = 10,
  heartbeatTimeoutMs = 35_000,
  onStatement,
}: ConnectOptions): Database {
  const options: postgres.Options<Record<string, postgres.PostgresType>> = {
    max: poolSize,
    connect_timeout: 5,
    // Reconnects at once: when the server is down, the whole pool is closed anyway.
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
  const hosts = hostsOf(connection)
  const watch = watchPrimary({
    hosts,
    log,
    periodic: 'url' in connection,
    onChange(primary: Host | undefined) {
      for (const pool of pools) pool.moveTo(primary)
    },
  })
  const poolOptions = { host: hosts[0], onConnectionLost: watch.check }
  const mainPool = openPool({ ...poolOptions, options })
  // Pools of one connection each, so that a frozen connection is replaced alone.
  const lookupOptions = {
    ...options,
    max: 1,
    connection: { ...options.connection, plan_cache_mode: 'force_generic_plan' },
  }
  const lookupPools = Array.from({ length: LOOKUP_CONNECTIONS }, () =>
    openPool({ ...poolOptions, options: lookupOptions }),
  )
  const hedgedRead = createHedgedRead(lookupPools)
  const lookup: Lookup = work => hedgedRead(work, LOOKUP_TIMEOUTS)
  const appendOptions = {
    ...options,
    max: 1,
    connection: { ...options.connection, synchronous_commit: 'off' },
  }
  const appendPools = Array.from({ length: APPEND_CONNECTIONS }, () =>
    openPool({ ...poolOptions, options: appendOptions }),
  )
  const hedgedAppend = createHedgedRead(appendPools)
  const append: Lookup = work => hedgedAppend(work, LOOKUP_TIMEOUTS)
  const pools = [mainPool, ...lookupPools, ...appendPools]
  const { sql } = mainPool
  const heartbeat = createHeartbeat({
    ping: () => sql`select 1`,
    ...('url' in connection && {
      monitor: {
        intervalMs: Math.min(2_000, heartbeatTimeoutMs / 4),
        timeoutMs: heartbeatTimeoutMs,
        onTimeout() {
          log.warn({}, 'the connections to the database do not respond; they are replaced')
          mainPool.replace(mainPool.driver())
        },
      },
    }),
  })

  return {
    sql,
    lookup,
    append,
    async ping() {
      await Promise.all([heartbeat.check(), lookup(connection => connection`select 1`)])
    },
    async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
      for (let attempt = 1; ; attempt++) {
        let begun = false
        try {
          const result = await runOnce(sql, tx => {
            begun = true
            return work(tx)
          })
          heartbeat.recordResponse()
          return result
        } catch (error) {
          if (!isConnectionLost(error)) heartbeat.recordResponse()
          if (attempt === MAX_ATTEMPTS) throw error
          // The error of an idle connection that was terminated reaches the next transaction, which has not begun yet.
          if (!begun && isTerminated(error)) continue
          if (!isTransient(error)) throw error
          await new Promise(resolve => setTimeout(resolve, Math.random() * 10 * Math.min(2 ** attempt, 16)))
        }
      }
    },
    async close() {
      watch.close()
      heartbeat.close()
      await Promise.all(pools.map(pool => pool.close()))
    },
  }
}

/**
 * Sends no statement once the connection is lost. The driver (3.4.9, its issue 1208) would write the ROLLBACK, or the next
 * statement, to a closed socket, and throw where nothing can catch it: that would end this process.
 */
async function runOnce<T>(sql: postgres.Sql, work: (tx: Tx) => Promise<T>): Promise<T> {
  let isOver = false
  const lost = Promise.withResolvers<never>()
  const begun = sql.begin(async tx => {
    try {
      return await work(rejectAfter(() => isOver, tx))
    } catch (error) {
      if (!isOver && !isConnectionLost(error)) throw error
      // A promise that never settles keeps the driver from sending a ROLLBACK. The driver fails the transaction itself when
      // the connection closes, but that of a server that is switched off does not close.
      lost.reject(error)
      return new Promise<never>(() => {})
    }
  })
  try {
    return (await Promise.race([begun, lost.promise])) as T
  } finally {
    isOver = true
  }
}

/** The transaction, which throws on any use once it is over. */
function rejectAfter(isOver: () => boolean, tx: Tx): Tx {
  const requireOpen = () => {
    if (isOver()) throw Object.assign(new Error('The transaction is over.'), { code: 'CONNECTION_CLOSED' })
  }
  return new Proxy(tx, {
    apply(target, self, parameters) {
      requireOpen()
      return Reflect.apply(target as never, self, parameters)
    },
    get(target, name) {
      requireOpen()
      return Reflect.get(target, name)
    },
  })
}
