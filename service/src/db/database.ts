// Connects to PostgreSQL: the connection pool, lookups and transactions. Store functions take `sql` or `tx` as their first
// parameter and never open connections of their own.
import type postgres from 'postgres'
import type { Log } from '../lib/log.ts'
import type { Access, Database, Lookup, Sql, Tx } from './access.ts'
import { type ExclusiveConnections, openExclusive, type UsedConnection } from './exclusive.ts'
import { createHedgedRead, type HedgedRead, ResponseTimeout } from './hedged.ts'
import { type Connection, type Host, hostsOf } from './hosts.ts'
import { createLimitedAccess } from './limited-access.ts'
import { openPool, type Pool } from './pool.ts'
import { watchPrimary } from './primary-watch.ts'
import {
  isConnectionLost,
  isOutOfSight,
  isReadOnly,
  isTerminated,
  isTransient,
  RetryTransaction,
} from './sqlstate.ts'
import { isRead, statements } from './statements.ts'
import { driverTypes } from './types.ts'

export type { Connection, SocketConnection } from './hosts.ts'
export type { Access, Database, Lookup, Sql, Tx }

type Options = postgres.Options<Record<string, postgres.PostgresType>>
type Settings = Record<string, string | number>

export interface ConnectOptions {
  connection: Connection
  log: Log
  poolSize?: number
  /** The role that the connections use, if it is not that of the login. */
  role?: string | undefined
  /**
   * After how long without a response a statement fails; longer than the statement timeout. Infinity for migrations and
   * commands, whose statements have no timeout and are sent once, however long they take.
   */
  responseMs?: number
  /** Whether the settings of a connection are sent as its first statement, for a pooler that rejects them at its start. */
  settingsByStatement?: boolean
  /** Called with each statement that is sent; the bench replays them without the service. */
  onStatement?: (text: string, parameters: unknown[], types: number[]) => void
}

const MAX_ATTEMPTS = 10
const LOOKUP_CONNECTIONS = 4
/** Statements that only read have connections of their own: commits that wait for a standby do not stop them. */
const READ_CONNECTIONS = 4
/** Of limited callers, for statements and transactions; they open when the first such caller comes. */
const LIMITED_CONNECTIONS = 6
/** Another attempt of a limited caller finds what a concurrent transaction created, unless it belongs to other companies. */
const MAX_RACES = 2
const LOOKUP_TIMEOUTS = { hedgeAfterMs: 500, spareAfterMs: 500, timeoutMs: 8_000, frozenAfterMs: 1_500 }
const APPEND_CONNECTIONS = 2
/** Longer: an entry that waits for a lock and is sent again is there more than once. */
const APPEND_TIMEOUTS = { ...LOOKUP_TIMEOUTS, hedgeAfterMs: 1_000 }
/** Opened when one is needed, and closed when none was for a minute. */
const SNAPSHOT_CONNECTIONS = 2
const SNAPSHOT_IDLE_SECONDS = 60
const SNAPSHOT = 'isolation level repeatable read read only'
const STATEMENT_TIMEOUT_MS = 30_000
const LOCK_TIMEOUT_MS = 10_000
/** Longer than the statement timeout: the server responds within that. */
const RESPONSE_MS = STATEMENT_TIMEOUT_MS + 5_000
const READ_TIMEOUTS = {
  hedgeAfterMs: 2_000,
  spareAfterMs: 2_000,
  timeoutMs: RESPONSE_MS,
  frozenAfterMs: RESPONSE_MS,
  onlyIdle: true,
}
/** How long a write waits for a free connection. */
const QUEUE_MS = 10_000

export function connect({
  connection,
  log,
  poolSize = 10,
  role,
  responseMs = RESPONSE_MS,
  settingsByStatement = false,
  onStatement,
}: ConnectOptions): Database {
  const options: Options = {
    max: 1,
    // A server that does not respond at all is noticed sooner, by the probes; a slow one may take its time.
    connect_timeout: 10,
    // Reconnects at once: when the server is down, all connections are closed anyway.
    backoff: () => 0,
    onnotice: () => {},
    fetch_types: false,
    ...(onStatement && {
      debug: (_connection: number, text: string, parameters: unknown[], types: unknown[]) =>
        onStatement(text, parameters, types as number[]),
    }),
    connection: { application_name: 'caseport', DateStyle: 'ISO', TimeZone: 'UTC' },
    types: driverTypes,
  }
  const settings: Settings = {
    ...(role && { role }),
    statement_timeout: responseMs === Infinity ? 0 : STATEMENT_TIMEOUT_MS,
    lock_timeout: responseMs === Infinity ? 0 : LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: 60_000,
    // Pages of lists are read in the order of one index. PostgreSQL underestimates ranges whose bounds it does not know, and
    // would rather sort the whole range of another index that begins with the same column.
    enable_incremental_sort: 'off',
  }
  const hosts = hostsOf(connection)
  const pools: Pool[] = []
  const watch = watchPrimary({
    hosts,
    log,
    periodic: 'url' in connection,
    onChange(primary: Host | undefined) {
      for (const pool of pools) pool.moveTo(primary)
    },
  })
  const open = (count: number, more: Settings = {}, driverOptions: Options = {}): Pool[] => {
    const all = { ...settings, ...more }
    const own = { ...options, ...driverOptions }
    const opened = Array.from({ length: count }, () =>
      openPool({
        host: hosts[0],
        onConnectionLost: watch.check,
        ...(settingsByStatement
          ? { options: own, setUp: driver => applySettings(driver, all) }
          : { options: { ...own, connection: { ...own.connection, ...all } } }),
      }),
    )
    pools.push(...opened)
    return opened
  }
  // The server rejects what writes: a hedged statement is sent twice.
  const readOnly = { default_transaction_read_only: 'on' }
  // Rows are found by their keys. For a parameter with several keys, PostgreSQL would plan each execution anew.
  const planned = { plan_cache_mode: 'force_generic_plan' }
  const limited = { search_path: 'limited' }

  const writes = openExclusive({ connections: open(poolSize, planned), queueMs: QUEUE_MS })
  const hedgedRead = createReadOnly(open(Math.max(2, Math.min(poolSize, READ_CONNECTIONS)), readOnly))
  const hedgedLookup = createReadOnly(open(LOOKUP_CONNECTIONS, { ...readOnly, ...planned }))
  const hedgedAppend = createHedgedRead(open(APPEND_CONNECTIONS, { synchronous_commit: 'off' }))
  const limitedWrites = openExclusive({
    connections: open(Math.min(poolSize, LIMITED_CONNECTIONS), { ...planned, ...limited }),
    queueMs: QUEUE_MS,
  })
  const limitedLookup = createReadOnly(open(LOOKUP_CONNECTIONS, { ...readOnly, ...planned, ...limited }))
  const openSnapshots = (more?: Settings) =>
    openExclusive({
      connections: open(SNAPSHOT_CONNECTIONS, more, { idle_timeout: SNAPSHOT_IDLE_SECONDS }),
      queueMs: QUEUE_MS,
    })
  const snapshots = openSnapshots()
  const limitedSnapshots = openSnapshots(limited)
  let hasLimitedCallers = false
  /** Concurrent callers share one. */
  let pinging: Promise<void> | undefined

  const lookup: Lookup = work => hedgedLookup(work, LOOKUP_TIMEOUTS)
  const append: Lookup = work => hedgedAppend(work, APPEND_TIMEOUTS)
  const read = <T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T> =>
    responseMs === Infinity
      ? writes.run(({ driver }) => work(driver))
      : hedgedRead(work, { ...READ_TIMEOUTS, timeoutMs: responseMs })
  // Only makes statements. It connects to nothing, because none of them is sent through it.
  const base = hosts[0].open(options)
  const transaction: Access['transaction'] = work => runRetried({ connections: writes, work, responseMs })
  const sql = statements({
    base,
    run: async (make, statement) =>
      isRead(statement) ? read(async driver => make(driver)) : writes.run(async ({ driver }) => make(driver)),
    members: {
      begin: (work: (tx: Tx) => Promise<unknown>) => writes.run(({ driver }) => driver.begin(work)),
    },
  })
  const snapshotOf =
    (connections: ExclusiveConnections): Access['snapshot'] =>
    work =>
      connections.run(used => runOnce({ ...used, responseMs, work, characteristics: SNAPSHOT }))
  const everything: Access = { sql, lookup, transaction, snapshot: snapshotOf(snapshots) }
  const limitedTo = createLimitedAccess({
    base,
    transaction: work => runRetried({ connections: limitedWrites, work, responseMs, isLimited: true }),
    snapshot: snapshotOf(limitedSnapshots),
    hedgedRead: read => limitedLookup(read, LOOKUP_TIMEOUTS),
  })
  const ask = (driver: postgres.Sql) => driver`select 1`

  return {
    ...everything,
    append,
    forCompanies(companies) {
      if (companies === null) return everything
      hasLimitedCallers = true
      return limitedTo(companies)
    },
    ping() {
      pinging ??= pingAll().finally(() => {
        pinging = undefined
      })
      return pinging
    },
    async close() {
      watch.close()
      await Promise.all([...pools.map(pool => pool.close()), base.end({ timeout: 0 })])
    },
  }

  async function pingAll(): Promise<void> {
    const asked = [read(async driver => ask(driver)), lookup(ask as never)]
    if (hasLimitedCallers) asked.push(limitedLookup(async driver => ask(driver), LOOKUP_TIMEOUTS))
    await Promise.all(asked)
  }
}

/** Hedged reads on connections that reject writes. Such an error is not that of a standby, but a bug in this service. */
function createReadOnly(connections: Pool[]): HedgedRead {
  const hedged = createHedgedRead(connections)
  return async (read, timeouts) => {
    try {
      return await hedged(read, timeouts)
    } catch (error) {
      if (!isReadOnly(error)) throw error
      throw new Error(`A read has to run in a transaction, because it writes: ${(error as Error).message}`)
    }
  }
}

/** For a connection pooler that rejects them at the start of a connection. */
const applySettings = (driver: postgres.Sql, settings: Settings) =>
  driver`
    select set_config(name, value, false)
    from unnest(${Object.keys(settings)}::text[], ${Object.values(settings).map(String)}::text[]) s (name, value)`

interface Retried<T> {
  connections: ExclusiveConnections
  work: (tx: Tx) => Promise<T>
  responseMs: number
  /** Whether the work runs for a caller who is limited to some companies. */
  isLimited?: boolean
}

async function runRetried<T>({ connections, work, responseMs, isLimited = false }: Retried<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    let begun = false
    try {
      return await connections.run(used =>
        runOnce({
          ...used,
          responseMs,
          work(tx) {
            begun = true
            return work(tx)
          },
        }),
      )
    } catch (error) {
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

interface Once<T> extends UsedConnection {
  responseMs: number
  work: (tx: Tx) => Promise<T>
  /** Such as the isolation level. */
  characteristics?: string
}

/**
 * Sends no statement once the connection is lost. The driver (3.4.9, its issue 1208) would write the ROLLBACK, or the next
 * statement, to a closed socket, and throw where nothing can catch it: that would end this process.
 */
async function runOnce<T>({
  driver,
  discard,
  closing,
  responseMs,
  work,
  characteristics = '',
}: Once<T>): Promise<T> {
  let isOver = false
  const lost = Promise.withResolvers<never>()
  const onClosing = () => {
    isOver = true
    lost.reject(new ResponseTimeout())
  }
  closing.addEventListener('abort', onClosing)
  // The server responds to each statement within its timeout. The commit has no such limit: it waits for the standby.
  const silence = startSilence(responseMs, discard)
  const begun = driver.begin(characteristics, async tx => {
    try {
      return await work(rejectAfter({ isOver: () => isOver, onUse: silence.restart }, tx))
    } catch (error) {
      if (!isOver && !isConnectionLost(error)) throw error
      // A promise that never settles keeps the driver from sending a ROLLBACK. The driver fails the transaction itself when
      // the connection closes, but that of a server that is switched off does not close.
      lost.reject(error)
      discard()
      return new Promise<never>(() => {})
    } finally {
      silence.end()
    }
  })
  try {
    return (await Promise.race([begun, lost.promise])) as T
  } finally {
    isOver = true
    closing.removeEventListener('abort', onClosing)
    silence.end()
  }
}

/** Calls back when it was not restarted for so long. The timer is not set anew for each statement. */
function startSilence(milliseconds: number, onSilence: () => void) {
  if (milliseconds === Infinity) return { restart() {}, end() {} }
  let usedAt = performance.now()
  const check = () => {
    const left = milliseconds - (performance.now() - usedAt)
    if (left <= 0) onSilence()
    else timer = setTimeout(check, left)
  }
  let timer = setTimeout(check, milliseconds)
  return {
    restart() {
      usedAt = performance.now()
    },
    end: () => clearTimeout(timer),
  }
}

/** The transaction, which throws on any use once it is over. */
function rejectAfter({ isOver, onUse }: { isOver: () => boolean; onUse: () => void }, tx: Tx): Tx {
  const requireOpen = () => {
    if (isOver()) throw Object.assign(new Error('The transaction is over.'), { code: 'CONNECTION_CLOSED' })
    onUse()
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
