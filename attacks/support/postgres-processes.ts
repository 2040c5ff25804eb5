// Direct access to an embedded PostgreSQL: kills its processes, and runs SQL on it to break guards. The service has no
// switch for either.
import postgres from 'postgres'
import { connectionsOf } from '../../service/src/embedded-postgres/connections.ts'
import { processesIn, readPostmasterFile } from '../../service/src/embedded-postgres/orphans.ts'

/** Sends SIGKILL to the postmaster only, or to all processes of the server. */
export function killPostgres(databaseDir: string, which: 'postmaster' | 'all'): number {
  const { pid } = readPostmasterFile(databaseDir)
  const all = processesIn(databaseDir)
  const targets = which === 'all' ? all : all.filter(one => one === pid)
  for (const target of targets) {
    try {
      process.kill(target, 'SIGKILL')
    } catch {
      // The process has already exited.
    }
  }
  return targets.length
}

/** Connects to the embedded database of a running service, as its owner. */
export function embeddedSql(dataDir: string): postgres.Sql {
  return postgres({ ...connectionsOf(dataDir).owner, max: 1, onnotice: () => {} })
}

/**
 * Breaks the guard `synchronous-commit`: new connections acknowledge a commit before it is on disk. Killing all processes
 * then loses acknowledged commits that the WAL writer has not flushed yet.
 */
export async function disableSynchronousCommit(sql: postgres.Sql): Promise<void> {
  await sql.unsafe('alter database caseport set synchronous_commit = off')
  await sql.unsafe("alter system set wal_writer_delay = '10s'")
  await sql.unsafe("alter system set wal_writer_flush_after = '1GB'")
  await sql.unsafe('select pg_reload_conf()')
  await sql.unsafe(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
}
