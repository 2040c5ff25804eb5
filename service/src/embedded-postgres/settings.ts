// Owns every PostgreSQL setting. Settings that only tune go to a generated file, which postgresql.auto.conf overrides:
// an operator changes them with ALTER SYSTEM. Settings the service relies on go to the command line, which wins over both.
import { closeSync, fchownSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import type { Account } from './account.ts'

export const SOCKET_NAME = '.s.PGSQL.5432'
const FILE_NAME = 'caseport.conf'

/** What this machine, or the container, has. */
const MEMORY_MB = Math.floor(Math.min(totalmem(), process.constrainedMemory() || Infinity) / 1024 ** 2)

/** Meant for a machine of two cores that the service shares with PostgreSQL. */
const TUNING: Record<string, string> = {
  max_connections: '60',
  // What does not fit is still in the system's own cache, at the price of a copy: up to a third of what a record costs. More
  // would be felt at every start.
  shared_buffers: `${Math.max(128, Math.min(2048, Math.floor(MEMORY_MB / 8)))}MB`,
  effective_cache_size: `${Math.max(512, Math.floor(MEMORY_MB / 2))}MB`,
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  jit: 'off',
  // Many short requests share the cores, so that one query spreading over both only makes the others wait.
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '1',
  max_logical_replication_workers: '0',
  random_page_cost: '1.1',
  effective_io_concurrency: '16',
  // The working set is mostly cached: the separate I/O processes would cost memory and give nothing.
  io_method: 'sync',
  // Of the compression methods only pglz is in every build of the binaries.
  wal_compression: 'pglz',
  min_wal_size: '160MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '10min',
  // Steady upserts leave dead rows all the time: clean up early and in small portions.
  autovacuum_max_workers: '2',
  autovacuum_naptime: '20s',
  autovacuum_vacuum_scale_factor: '0.05',
  autovacuum_vacuum_insert_scale_factor: '0.1',
  autovacuum_analyze_scale_factor: '0.05',
  autovacuum_vacuum_cost_limit: '600',
  idle_in_transaction_session_timeout: '60s',
  log_checkpoints: 'off',
}

const FIXED: Record<string, string> = {
  cluster_name: 'caseport',
  // Reachable only through the socket. It lies in the database folder, which the server takes as its working folder:
  // a relative path is never too long for a socket, and needs no right to enter the folders above.
  listen_addresses: '',
  port: '5432',
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Personal data must never reach the log. DETAIL and STATEMENT lines carry stored values, and so do the messages of
  // errors themselves ('invalid input syntax for type date: "…"'). In the log's order LOG is above ERROR, so that this
  // keeps what the server says of itself; errors of a query go to the service, which asked for it.
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
}

const DURABLE = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' }
const NOT_DURABLE = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }

export interface ServerSettings {
  durable: boolean
  extra: Record<string, string>
}

/** `folder` is the database folder as the server reaches it. */
export function commandLine({ folder, durable, extra }: ServerSettings & { folder: string }): string[] {
  const settings = {
    config_file: join(folder, FILE_NAME),
    ...FIXED,
    ...(durable ? DURABLE : NOT_DURABLE),
    ...extra,
  }
  return ['-D', folder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

export function writeConfigFile({
  databaseDir,
  account,
}: {
  databaseDir: string
  account: Account | undefined
}): void {
  const lines = [
    '# Caseport writes this file at every start. Change its settings with ALTER SYSTEM, or in postgresql.auto.conf.',
    "include 'postgresql.conf'",
    ...Object.entries(TUNING).map(([name, value]) => `${name} = '${value}'`),
  ]
  const unfinished = join(databaseDir, `${FILE_NAME}.new`)
  // The folder belongs to another user when we are root: a file made afresh cannot be a link to somewhere else.
  rmSync(unfinished, { force: true })
  const fd = openSync(unfinished, 'wx', 0o600)
  try {
    writeSync(fd, `${lines.join('\n')}\n`)
    if (account) fchownSync(fd, account.uid, account.gid)
  } finally {
    closeSync(fd)
  }
  renameSync(unfinished, join(databaseDir, FILE_NAME))
}
