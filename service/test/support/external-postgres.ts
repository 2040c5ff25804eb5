// A PostgreSQL as operators run one beside the service: it listens on a port, and whoever made it starts and ends it.
// Made from the binaries that the service brings along.
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

export interface OutsideServer {
  port: number
  databaseDir: string
  /** `host:port`, for a URL. */
  host: string
  url: string
  /** Resolves when it answers, as a primary or as a standby. */
  start(): Promise<void>
  stop(): Promise<void>
  /** kill -9 of every process. */
  kill(): Promise<void>
  /** Stops every process for so long, without closing anything: from outside, a machine that was switched off. */
  freeze(milliseconds: number): Promise<void>
  /** Makes a standby a primary. */
  promote(): Promise<void>
  sql(): postgres.Sql
}

const NAME = 'caseport'
const READY = new Set(['ready', 'standby'])

interface Place {
  /** A folder of its own, which this makes. */
  folder: string
  settings?: Record<string, string>
  /** Where `initdb` and `postgres` are, if not in the package that the service brings along. */
  programs?: string
}

export async function createOutsideServer({
  folder,
  settings = {},
  programs,
}: Place): Promise<OutsideServer> {
  const { account, databaseDir } = makeFolder(folder)
  const initdb = programs ? join(programs, 'initdb') : binaries(folder, account).initdb
  const args = [`--pgdata=${databaseDir}`, `--username=${NAME}`, '--auth=trust', '--encoding=UTF8']
  execFileSync(initdb, [...args, '--locale=C', '--no-sync', '--no-instructions'], {
    ...childOptions(account),
    stdio: 'ignore',
  })
  const server = await serverIn({ folder, settings, account, programs })
  await server.start()
  const sql = postgres(server.url.replace(/\w+$/, 'postgres'), { max: 1 })
  await sql`create database ${sql(NAME)}`
  await sql.end()
  return server
}

/**
 * A physical standby, made by a cold copy: the primary is stopped for it, and both run afterwards. From then on the
 * primary acknowledges only what the standby has on disk, too.
 */
export async function createStandby(
  primary: OutsideServer,
  { folder, settings = {} }: Place,
): Promise<OutsideServer> {
  await primary.stop()
  const { account, databaseDir } = makeFolder(folder)
  execFileSync('cp', ['-a', `${primary.databaseDir}/.`, databaseDir])
  writeFileSync(join(databaseDir, 'standby.signal'), '')
  appendFileSync(
    join(databaseDir, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=${NAME} application_name=standby'\n`,
  )
  if (account) chownSync(join(databaseDir, 'standby.signal'), account.uid, account.gid)
  const standby = await serverIn({ folder, settings, account, programs: undefined })
  await primary.start()
  await standby.start()
  const sql = primary.sql()
  await sql.unsafe("alter system set synchronous_standby_names = 'standby'")
  await sql`select pg_reload_conf()`
  await sql.end()
  return standby
}

interface Made {
  folder: string
  settings: Record<string, string>
  account: Account | undefined
  programs: string | undefined
}

async function serverIn({ folder, settings, account, programs }: Made): Promise<OutsideServer> {
  const databaseDir = join(folder, 'postgres')
  const program = programs ? join(programs, 'postgres') : binaries(folder, account).postgres
  const port = await freePort()
  const host = `127.0.0.1:${port}`
  const url = `postgres://${NAME}@${host}/${NAME}`
  const all = {
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
      const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
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
      // It has ended by itself meanwhile.
    }
  }
}

function makeFolder(folder: string) {
  mkdirSync(folder, { recursive: true })
  // PostgreSQL does not run as root, and its account must get as far as its own folder.
  for (const open of [folder, join(folder, '..')]) chmodSync(open, 0o755)
  const databaseDir = join(folder, 'postgres')
  mkdirSync(databaseDir, { mode: 0o700 })
  const account = chooseAccount(databaseDir)
  if (account) chownSync(databaseDir, account.uid, account.gid)
  return { account, databaseDir }
}

const binaries = (dataDir: string, account: Account | undefined) => findBinaries({ dataDir, account })
