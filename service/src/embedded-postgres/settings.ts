// The settings of the embedded PostgreSQL. Tuning goes to a generated file, which postgresql.auto.conf overrides: operators
// change it with ALTER SYSTEM. Settings that the service relies on go to the command line, which overrides both.
import { closeSync, fchownSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import type { Account } from './account.ts'

export const SOCKET_NAME = '.s.PGSQL.5432'
/** The superuser, who owns the tables and migrates them. */
export const OWNER = 'caseport'
const FILE_NAME = 'caseport.conf'
/** The rules of access; pg_hba.conf is not used. */
export const HBA_FILE_NAME = 'caseport_hba.conf'

/** The memory of this machine or container. */
const MEMORY_MB = Math.floor(Math.min(totalmem(), process.constrainedMemory() || Infinity) / 1024 ** 2)

/** For a machine with two cores that PostgreSQL shares with the service. */
const TUNING: Record<string, string> = {
  max_connections: '60',
  // Pages that do not fit are in the page cache of the system, at the cost of a copy: up to a third of the cost of reading a
  // record. More would slow down each start.
  shared_buffers: `${Math.max(128, Math.min(2048, Math.floor(MEMORY_MB / 8)))}MB`,
  effective_cache_size: `${Math.max(512, Math.floor(MEMORY_MB / 2))}MB`,
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  jit: 'off',
  // Many short requests share the cores: a parallel query would only delay the others.
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '1',
  max_logical_replication_workers: '0',
  random_page_cost: '1.1',
  effective_io_concurrency: '16',
  // The working set is mostly cached: separate I/O processes would use memory without a gain.
  io_method: 'sync',
  // The only compression method in every build of the binaries.
  wal_compression: 'pglz',
  min_wal_size: '160MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '10min',
  // Steady upserts leave dead rows all the time: vacuum early and in small steps.
  autovacuum_max_workers: '2',
  // PostgreSQL plans the statements of an empty table for an empty table, until it is analyzed: a feed of 200 people a second
  // was down to 120 after ten seconds.
  autovacuum_naptime: '5s',
  autovacuum_vacuum_scale_factor: '0.05',
  // Analyzing reads 30,000 rows, however many are new. At a twentieth of the table, it was a fifth of what PostgreSQL did for a
  // feed of new people.
  autovacuum_analyze_scale_factor: '0.2',
  autovacuum_vacuum_cost_limit: '600',
  idle_in_transaction_session_timeout: '60s',
  log_checkpoints: 'off',
}

const FIXED: Record<string, string> = {
  cluster_name: 'caseport',
  // Reachable only through the socket in the data directory, which is the server's working directory: a relative path is never
  // too long for a socket, and needs no access to the parent directories.
  listen_addresses: '',
  port: '5432',
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Personal data must never reach the log. DETAIL and STATEMENT lines contain stored values, and so do error messages
  // ('invalid input syntax for type date: "…"'). LOG is above ERROR in the order of log levels, so that messages about the
  // server itself are logged; the service gets the errors of its queries.
  log_destination: 'stderr',
  logging_collector: 'off',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_statement: 'none',
  log_min_duration_statement: '-1',
  log_min_duration_sample: '-1',
  log_transaction_sample_rate: '0',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  debug_print_parse: 'off',
  debug_print_rewritten: 'off',
  debug_print_plan: 'off',
  // Also where nothing is durable: VACUUM marks no page as visible whose commits have not been written yet, and plans would
  // depend on that.
  synchronous_commit: 'on',
}

const DURABLE = { fsync: 'on', full_page_writes: 'on' }
const NOT_DURABLE = { fsync: 'off', full_page_writes: 'off' }

export interface ServerSettings {
  durable: boolean
  extra: Record<string, string>
  /** How many connections the service needs, where that is more than the default allows. */
  maxConnections?: number | undefined
}

/** `pgData` is the data directory by the path that the server uses. */
export function commandLine({ pgData, durable, extra }: ServerSettings & { pgData: string }): string[] {
  const settings = {
    config_file: join(pgData, FILE_NAME),
    hba_file: join(pgData, HBA_FILE_NAME),
    ...FIXED,
    ...(durable ? DURABLE : NOT_DURABLE),
    ...extra,
  }
  return ['-D', pgData, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

interface ConfigFile {
  pgData: string
  account: Account | undefined
  settings: Pick<ServerSettings, 'maxConnections'>
}

export function writeConfigFile({ pgData, account, settings: { maxConnections } }: ConfigFile): void {
  const tuning = { ...TUNING, ...(maxConnections && { max_connections: String(maxConnections) }) }
  const lines = [
    '# Caseport writes this file at every start. Change its settings with ALTER SYSTEM, or in postgresql.auto.conf.',
    "include 'postgresql.conf'",
    ...Object.entries(tuning).map(([name, value]) => `${name} = '${value}'`),
  ]
  writePgDataFile({ pgData, name: FILE_NAME, lines, account })
}

interface PgDataFile {
  pgData: string
  name: string
  lines: string[]
  account: Account | undefined
}

/** Writes a file of the server, atomically and durably. */
export function writePgDataFile({ pgData, name, lines, account }: PgDataFile): void {
  const unfinished = join(pgData, `${name}.new`)
  // As root, the directory belongs to another user: a newly created file cannot be a symbolic link to somewhere else.
  rmSync(unfinished, { force: true })
  const fd = openSync(unfinished, 'wx', 0o600)
  try {
    writeSync(fd, `${lines.join('\n')}\n`)
    if (account) fchownSync(fd, account.uid, account.gid)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(unfinished, join(pgData, name))
}
