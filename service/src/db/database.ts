// Connects to PostgreSQL: the connection pool, lookups and transactions. Store functions take `sql` or `tx` as their first
// parameter and never open connections of their own.
import type postgres from 'postgres'
import type { Log } from '../lib/log.ts'
import type { Access, Database, Lookup, Sql, Tx } from './access.ts'
import { createHeartbeat } from './heartbeat.ts'
import { createHedgedRead } from './hedged.ts'
import { type Connection, type Host, hostsOf } from './hosts.ts'
import { createLimitedAccess } from './limited-access.ts'
import { openPool } from './pool.ts'
import { watchPrimary } from './primary-watch.ts'
import { isConnectionLost, isOutOfSight, isTerminated, isTransient, RetryTransaction } from './sqlstate.ts'
import { driverTypes } from './types.ts'

export type { Connection, SocketConnection } from './hosts.ts'
export type { Access, Database, Lookup, Sql, Tx }

export interface ConnectOptions {
  connection: Connection
  log: Log
  poolSize?: number
  /** The role that the connections use, if it is not that of the login. */
  role?: string | undefined
  /** After how long without any response the connections count as frozen; longer than the statement timeout. */
  heartbeatTimeoutMs?: number
  /** Called with each statement that is sent; the bench replays them without the service. */
  onStatement?: (text: string, parameters: unknown[], types: number[]) => void
}

const MAX_ATTEMPTS = 10
const LOOKUP_CONNECTIONS = 4
/** Of limited callers, for statements and transactions; they open when the first such caller comes. */
const LIMITED_CONNECTIONS = 6
/** Another attempt of a limited caller finds what a concurrent transaction created, unless it belongs to other companies. */
const MAX_RACES = 2
const LOOKUP_TIMEOUTS = { hedgeAfterMs: 1_000, timeoutMs: 8_000 }
const APPEND_CONNECTIONS = 2

export function connect({
  connection,
  log,
  poolSize = 10,
  role,
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
      ...(role && { role }),
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
  const { sql } = mainPool
  const limited = (base: typeof options) => ({
    ...base,
    connection: { ...base.connection, search_path: 'limited' },
  })
  const limitedPool = openPool({
    ...poolOptions,
    options: { ...limited(options), max: Math.min(poolSize, LIMITED_CONNECTIONS) },
  })
  const limitedLookupPools = Array.from({ length: LOOKUP_CONNECTIONS }, () =>
    openPool({ ...poolOptions, options: limited(lookupOptions) }),
  )
  const limitedRead = createHedgedRead(limitedLookupPools)
  const pools = [mainPool, ...lookupPools, ...appendPools, limitedPool, ...limitedLookupPools]
  const heartbeat = createHeartbeat({
    ping: () => sql`select 1`,
    ...('url' in connection && {
      monitor: {
        intervalMs: Math.min(2_000, heartbeatTimeoutMs / 4),
        timeoutMs: heartbeatTimeoutMs,
        onTimeout() {
          log.warn({}, 'the connections to the database do not respond; they are replaced')
          for (const pool of [mainPool, limitedPool]) pool.replace(pool.driver())
        },
      },
    }),
  })

  const transaction: Access['transaction'] = work =>
    runRetried({
      pool: sql,
      work,
      onEnd: error => {
        if (!isConnectionLost(error)) heartbeat.recordResponse()
      },
    })
  const limitedTransaction: Access['transaction'] = work =>
    runRetried({ pool: limitedPool.sql, work, isLimited: true })
  const everything: Access = { sql, lookup, transaction }
  const limitedTo = createLimitedAccess({
    pool: limitedPool.sql,
    transaction: limitedTransaction,
    hedgedRead: read => limitedRead(read, LOOKUP_TIMEOUTS),
  })

  return {
    ...everything,
    append,
    forCompanies: companies => (companies === null ? everything : limitedTo(companies)),
    async ping() {
      await Promise.all([heartbeat.check(), lookup(connection => connection`select 1`)])
    },
    async close() {
      watch.close()
      heartbeat.close()
      await Promise.all(pools.map(pool => pool.close()))
    },
  }
}

interface Retried<T> {
  pool: postgres.Sql
  work: (tx: Tx) => Promise<T>
  /** Whether the work runs for a caller who is limited to some companies. */
  isLimited?: boolean
  /** Called after each attempt, with its error if it failed. */
  onEnd?: (error?: unknown) => void
}

async function runRetried<T>({ pool, work, isLimited = false, onEnd = () => {} }: Retried<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    let begun = false
    try {
      const result = await runOnce(pool, tx => {
        begun = true
        return work(tx)
      })
      onEnd()
      return result
    } catch (error) {
      onEnd(error)
      if (attempt === MAX_ATTEMPTS) throw error
      if (isLimited && attempt >= MAX_RACES && error instanceof RetryTransaction && error.cause)
        throw error.cause
      // The error of an idle connection that was terminated reaches the next transaction, which has not begun yet.
      if (!begun && isTerminated(error)) continue
      // A company that was renamed after the check of the request: the next attempt checks it again.
      if (!isTransient(error) && !isOutOfSight(error)) throw error
      await new Promise(resolve => setTimeout(resolve, Math.random() * 10 * Math.min(2 ** attempt, 16)))
    }
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
