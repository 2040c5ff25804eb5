// The database cluster in PostgreSQL's data directory, DATA_DIR/postgres: created atomically by the first start, checked
// before each later one. Files in an existing data directory are not changed, except for their owner.
import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lchownSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { StartError } from '../lib/problem.ts'
import { type Account, childOptions } from './account.ts'
import type { Binaries } from './binaries.ts'
import { syncDirectory, systemErrorCode } from './data-dir.ts'
import { OWNER } from './settings.ts'

interface ClusterOptions {
  dataDir: string
  pgData: string
  account: Account | undefined
  binaries: Binaries
  durable: boolean
}

/**
 * The path by which a child process opens the data directory, which it inherits as file descriptor 3. It needs no access to
 * the parent directories, and the path is short enough for a socket.
 */
export function pgDataOfChild(pgData: string): string {
  return process.platform === 'linux' ? '/proc/self/fd/3' : pgData
}

export async function prepareCluster(options: ClusterOptions): Promise<void> {
  const { dataDir, pgData } = options
  const unfinished = `${pgData}.new`
  removeUnfinished(dataDir, basename(unfinished))
  if (existsSync(pgData)) {
    checkOwner(options)
    if (readdirSync(pgData).length > 0) return checkCluster(options)
  }
  const made = mkdtempSync(`${unfinished}-`)
  await runInitdb({ ...options, pgData: made })
  renameSync(made, pgData)
  syncDirectory(dataDir)
}

/**
 * Removes the directories of interrupted starts. An initdb that is still running may keep one from being removed, which is
 * why each attempt has its own; the next start removes the rest.
 */
function removeUnfinished(dataDir: string, prefix: string): void {
  for (const name of readdirSync(dataDir).filter(name => name.startsWith(prefix))) {
    try {
      rmSync(join(dataDir, name), { recursive: true, force: true })
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOTEMPTY') throw error
    }
  }
}

function checkOwner({ dataDir, pgData, account }: ClusterOptions): void {
  const { uid } = statSync(pgData)
  if (!account && uid !== process.getuid?.())
    throw new StartError(
      `DATA_DIR ${dataDir} holds a database that belongs to uid ${uid}: start the service as that user or as root.`,
    )
}

function checkCluster({ dataDir, pgData, account, binaries }: ClusterOptions): void {
  const version = join(pgData, 'PG_VERSION')
  if (!existsSync(version))
    throw new StartError(
      `DATA_DIR ${dataDir} has a folder postgres that holds no database: move it away to start with an empty one.`,
    )
  const major = readFileSync(version, 'utf8').trim()
  if (major !== String(binaries.major))
    throw new StartError(
      `DATA_DIR ${dataDir} holds a PostgreSQL ${major} database and this release brings PostgreSQL ${binaries.major}: dump it with the release that made it, move ${pgData} away, start this release and restore the dump.`,
    )
  const { uid, mode } = statSync(pgData)
  if ((mode & 0o777) !== 0o700) chmodSync(pgData, 0o700)
  if (account && uid === 0) chownRecursively(pgData, account)
}

/** For a data directory that root restored from a backup. The directory itself is last, so that an interrupted run is repeated. */
function chownRecursively(directory: string, { uid, gid }: Account): void {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true }))
    lchownSync(join(entry.parentPath, entry.name), uid, gid)
  chownSync(directory, uid, gid)
}

async function runInitdb(options: ClusterOptions): Promise<void> {
  const { dataDir, pgData, account, binaries, durable } = options
  if (account) chownSync(pgData, account.uid, account.gid)
  const args = [
    `--pgdata=${pgDataOfChild(pgData)}`,
    `--username=${OWNER}`,
    // For a server that is started without Caseport. Ours uses a file of its own.
    '--auth=reject',
    '--encoding=UTF8',
    // The same collation on every machine, whatever locales are installed.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--data-checksums',
    '--no-instructions',
  ]
  if (!durable) args.push('--no-sync')
  const fd = openSync(pgData, 'r')
  const child = spawn(binaries.initdb, args, {
    ...childOptions(account),
    stdio: ['ignore', 'ignore', 'pipe', fd],
  })
  closeSync(fd)
  const ended = new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  )
  const [status, stderr] = await Promise.all([ended, text(child.stderr as Readable)])
  if (status === 0) return
  rmSync(pgData, { recursive: true, force: true })
  throw new StartError(`DATA_DIR ${dataDir}: the database cannot be created: ${reasonIn(stderr)}`)
}

function reasonIn(stderr: string): string {
  if (/no space left|free disk space/i.test(stderr)) return 'no space left on device (ENOSPC).'
  // initdb looks up the name of the user; in a container the user may have none.
  const nameless = /could not look up effective user ID (\d+)/.exec(stderr)?.[1]
  if (nameless)
    return `uid ${nameless} has no name: add it to /etc/passwd, or set DATABASE_URL to use another PostgreSQL.`
  const lines = stderr.trim().split('\n')
  const reason = lines.findLast(line => /fatal|error:/i.test(line)) ?? lines.at(-1) ?? ''
  return reason.replace(/^.*?(FATAL|PANIC): +/, '')
}
