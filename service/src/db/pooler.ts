// Recognises a connection pooler, such as PgBouncer, in front of the database. In session mode the settings of a connection
// are sent as its first statement. In transaction mode they would reach the connections of other clients.
import type postgres from 'postgres'
import { StartError } from '../lib/problem.ts'
import type { Database } from './database.ts'
import { type Connection, hostsOf } from './hosts.ts'
import { isDatabaseError } from './sqlstate.ts'

/** Whether a pooler has rejected the settings that a connection begins with. */
export const rejectsSettings = (error: unknown): boolean =>
  isDatabaseError(error) &&
  error.code === '08P01' &&
  /unsupported startup parameter/i.test((error as unknown as Error).message)

/** Whether a pooler has ignored the settings that the connection began with. */
export async function ignoresSettings(db: Database): Promise<boolean> {
  const [row] = await db.lookup(
    sql => sql<[{ limited: boolean }]>`
      select current_setting('idle_in_transaction_session_timeout') <> '0'
        and current_setting('enable_incremental_sort') = 'off'
        and current_setting('default_transaction_read_only') = 'on' as limited`,
  )
  return !row.limited
}

const ATTEMPTS = 5

/** Throws a StartError when two clients of the pooler get the same connection of the server, one after the other. */
export async function requireSessionMode(connection: Connection): Promise<void> {
  const [host] = hostsOf(connection)
  const options = { max: 1, fetch_types: false, connect_timeout: 10, onnotice: () => {} }
  const [one, other] = [host.open(options), host.open(options)]
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const before = await pidOf(one)
      const [during, after] = await other.begin(async tx => [await pidOf(tx), await pidOf(one)])
      if (during === before || after !== before)
        throw new StartError(
          'The pooler of DATABASE_URL shares the connections of the server between transactions, which is not supported: settings and prepared statements of the service would be lost. Set pool_mode = session for this database (PgBouncer), or connect to PostgreSQL directly.',
        )
    }
  } finally {
    await Promise.all([one.end({ timeout: 1 }), other.end({ timeout: 1 })])
  }
}

/** By the simple protocol, without a prepared statement. */
async function pidOf(sql: postgres.Sql | postgres.TransactionSql): Promise<number> {
  const [row] = await sql.unsafe<[{ pid: number }]>('select pg_backend_pid() as pid')
  return row.pid
}
