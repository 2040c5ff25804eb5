// A PostgreSQL beside the service, as operators run one: it listens on a port, and the test starts and stops it. It uses
// the binaries that the service includes.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, chownSync, closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { freePort } from '../../../scripts/free-port.ts'
import { type Account, childOptions, chooseAccount } from '../../src/embedded-postgres/account.ts'
import { findBinaries } from '../../src/embedded-postgres/binaries.ts'
import { processesIn, readPostmasterFile } from '../../src/embedded-postgres/orphans.ts'

export interface ExternalPostgres {
  port: number
  databaseDir: string
  /** `host:port`, for a URL. */
  host: string
  url: string
  /** Resolves when it accepts connections, as a primary or as a standby. */
  start(): Promise<void>
  stop(): Promise<void>
  /** kill -9 of every process. */
  kill(): Promise<void>
  /** Pauses every process with its connections open: to clients, a machine that was switched off. */
  freeze(milliseconds: number): Promise<void>
  /** Makes a standby a primary. */
  promote(): Promise<void>
  sql(): postgres.Sql
}

const NAME = 'caseport'
const READY = new Set(['ready', 'standby'])

interface Options {
  /** A new folder for this server alone. */
  folder: string
  settings?: Record<string, string>
  /** The folder of `initdb` and `postgres`, if not that of the included package. */
  programs?: string
}

export async function createExternalPostgres({
  folder,
  settings = {},
  programs,
}: Options): Promise<ExternalPostgres> {
  const { account, databaseDir } = makeFolder(folder)
  const initdb = programs ? join(programs, 'initdb') : binaries(folder, account).initdb
  const args = [`--pgdata=${databaseDir}`, `--username=${NAME}`, '--auth=trust', '--encoding=UTF8']
  execFileSync(initdb, [...args, '--locale=C', '--no-sync', '--no-instructions'], {
    ...childOptions(account),
    stdio: 'ignore',
  })
  const server = await createServer({ folder, settings, account, programs })
  await server.start()
  const sql = postgres(server.url.replace(/\w+$/, 'postgres'), { max: 1 })
  await sql`create database ${sql(NAME)}`
  await sql.end()
  return server
}

/**
 * A physical standby from a cold copy: the primary is stopped meanwhile, and both run afterwards. From then on the
 * primary acknowledges only what the standby has on disk too.
 */
export async function createStandby(
  primary: ExternalPostgres,
  { folder, settings = {} }: Options,
): Promise<ExternalPostgres> {
  await primary.stop()
  const { account, databaseDir } = makeFolder(folder)
  execFileSync('cp', ['-a', `${primary.databaseDir}/.`, databaseDir])
  writeFileSync(join(databaseDir, 'standby.signal'), '')
  appendFileSync(
    join(databaseDir, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=${NAME} application_name=standby'\n`,
  )
  if (account) chownSync(join(databaseDir, 'standby.signal'), account.uid, account.gid)
  const standby = await createServer({ folder, settings, account, programs: undefined })
  await primary.start()
  await standby.start()
  const sql = primary.sql()
  await sql.unsafe("alter system set synchronous_standby_names = 'standby'")
  await sql`select pg_reload_conf()`
  await sql.end()
  return standby
}

interface Prepared {
  folder: string
  settings: Record<string, string>
  account: Account | undefined
  programs: string | undefined
}

async function createServer({ folder, settings, account, programs }: Prepared): Promise<ExternalPostgres> {
  const databaseDir = join(folder, 'postgres')
  const program = programs ? join(programs, 'postgres') : binaries(folder, account).postgres
  const port = await freePort()
  const host = `127.0.0.1:${port}`
  const url = `postgres://${NAME}@${host}/${NAME}`
  const parameters = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '100',
    ...settings,
  }
  let child: ChildProcess | undefined
  let exited: Promise<unknown> = Promise.resolve()
  const sql = () => postgres(url, { max: 1, onnotice: () => {} })
  return {
    port,
    databaseDir,
    host,
    url,
    sql,
    async start() {
      const log = openSync(join(folder, 'log'), 'a')
      const options = Object.entries(parameters).flatMap(([name, value]) => ['-c', `${name}=${value}`])
      child = spawn(program, ['-D', databaseDir, ...options], {
        ...childOptions(account),
        stdio: ['ignore', log, log],
      })
      closeSync(log)
      exited = once(child, 'exit')
      for (const end = Date.now() + 30_000; Date.now() < end; await sleep(10)) {
        const { pid, state } = readPostmasterFile(databaseDir)
        if (pid === child.pid && READY.has(state ?? '')) return
        if (child.exitCode !== null) break
      }
      throw new Error(`PostgreSQL did not start: see ${join(folder, 'log')}`)
    },
    async stop() {
      child?.kill('SIGINT')
      await exited
    },
    async kill() {
      signalAll(databaseDir, 'SIGKILL')
      await exited
    },
    async freeze(milliseconds) {
      signalAll(databaseDir, 'SIGSTOP')
      await sleep(milliseconds)
      signalAll(databaseDir, 'SIGCONT')
    },
    async promote() {
      const connection = sql()
      await connection`select pg_promote()`
      await connection.end()
    },
  }
}

function signalAll(databaseDir: string, signal: NodeJS.Signals): void {
  for (const pid of processesIn(databaseDir)) {
    try {
      process.kill(pid, signal)
    } catch {
      // The process has already ended.
    }
  }
}

function makeFolder(folder: string) {
  mkdirSync(folder, { recursive: true })
  // PostgreSQL does not run as root, and its account needs access to the parent folders.
  for (const parent of [folder, join(folder, '..')]) chmodSync(parent, 0o755)
  const databaseDir = join(folder, 'postgres')
  mkdirSync(databaseDir, { mode: 0o700 })
  const account = chooseAccount(databaseDir)
  if (account) chownSync(databaseDir, account.uid, account.gid)
  return { account, databaseDir }
}

const binaries = (dataDir: string, account: Account | undefined) => findBinaries({ dataDir, account })
