// The processes of a PostgreSQL, and its SQL from beside the service: attacks end the ones, and break guards through the
// other. The service has no switch for either.
import { join } from 'node:path'
import postgres from 'postgres'
import { processesIn, readPostmasterFile } from '../../service/src/embedded-postgres/orphans.ts'

/** kill -9 of the postmaster alone, or of every process at once. */
export function killPostgres(databaseDir: string, which: 'postmaster' | 'all'): number {
  const { pid } = readPostmasterFile(databaseDir)
  const all = processesIn(databaseDir)
  const targets = which === 'all' ? all : all.filter(one => one === pid)
  for (const target of targets) {
    try {
      process.kill(target, 'SIGKILL')
    } catch {
      // It has ended by itself meanwhile.
    }
  }
  return targets.length
}

/** A connection to the embedded database of a running service, as its owner. */
export function embeddedSql(dataDir: string): postgres.Sql {
  const path = join(dataDir, 'postgres', '.s.PGSQL.5432')
  return postgres({ path, user: 'caseport', database: 'caseport', max: 1, onnotice: () => {} })
}

/**
 * The guard `synchronous-commit`: from the next connection on, a commit is acknowledged before it is on disk. Of what is
 * acknowledged then, a kill of all processes takes what the WAL writer has not come round to.
 */
export async function acknowledgeBeforeDisk(sql: postgres.Sql): Promise<void> {
  await sql.unsafe('alter role current_user set synchronous_commit = off')
  await sql.unsafe("alter system set wal_writer_delay = '10s'")
  await sql.unsafe("alter system set wal_writer_flush_after = '1GB'")
  await sql.unsafe('select pg_reload_conf()')
  await sql.unsafe(
    'select pg_terminate_backend(pid) from pg_stat_activity where usename = current_user and pid <> pg_backend_pid()',
  )
}
