// Owns the database folder, DATA_DIR/postgres: made once, complete or not at all, and checked before every start.
// Must not touch the content of a folder that PostgreSQL has made, beyond who owns it.
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
import { codeOf, syncFolder } from './data-dir.ts'

export interface ClusterOptions {
  dataDir: string
  databaseDir: string
  account: Account | undefined
  binaries: Binaries
  durable: boolean
}

/** How a child reaches the folder that it got as file 3. It needs no right to enter the folders above, and no short path. */
export function folderOfChild(databaseDir: string): string {
  return process.platform === 'linux' ? '/proc/self/fd/3' : databaseDir
}

export async function prepareCluster(options: ClusterOptions): Promise<void> {
  const { dataDir, databaseDir } = options
  const unfinished = `${databaseDir}.new`
  removeAll(dataDir, basename(unfinished))
  if (existsSync(databaseDir)) {
    checkOwner(options)
    if (readdirSync(databaseDir).length > 0) return checkCluster(options)
  }
  const made = mkdtempSync(`${unfinished}-`)
  await initialise({ ...options, databaseDir: made })
  renameSync(made, databaseDir)
  syncFolder(dataDir)
}

/**
 * Only a start that was cut short leaves such folders behind. Its initdb may still be busy in one for a moment and keep
 * it from going away, which is why every attempt has its own: the next start removes what is left.
 */
function removeAll(dataDir: string, prefix: string): void {
  for (const name of readdirSync(dataDir).filter(name => name.startsWith(prefix))) {
    try {
      rmSync(join(dataDir, name), { recursive: true, force: true })
    } catch (error) {
      if (codeOf(error) !== 'ENOTEMPTY') throw error
    }
  }
}

function checkOwner({ dataDir, databaseDir, account }: ClusterOptions): void {
  const { uid } = statSync(databaseDir)
  if (!account && uid !== process.getuid?.())
    throw new StartError(
      `DATA_DIR ${dataDir} holds a database that belongs to uid ${uid}: start the service as that user or as root.`,
    )
}

function checkCluster({ dataDir, databaseDir, account, binaries }: ClusterOptions): void {
  const version = join(databaseDir, 'PG_VERSION')
  if (!existsSync(version))
    throw new StartError(
      `DATA_DIR ${dataDir} has a folder postgres that holds no database: move it away to start with an empty one.`,
    )
  const major = readFileSync(version, 'utf8').trim()
  if (major !== String(binaries.major))
    throw new StartError(
      `DATA_DIR ${dataDir} holds a PostgreSQL ${major} database and this release brings PostgreSQL ${binaries.major}: dump it with the release that made it, move ${databaseDir} away, start this release and restore the dump.`,
    )
  const { uid, mode } = statSync(databaseDir)
  if ((mode & 0o777) !== 0o700) chmodSync(databaseDir, 0o700)
  if (account && uid === 0) giveTree(databaseDir, account)
}

/** A folder that root put back from a backup. Its top comes last, so that an interrupted run is taken up again. */
function giveTree(folder: string, { uid, gid }: Account): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    lchownSync(join(entry.parentPath, entry.name), uid, gid)
  chownSync(folder, uid, gid)
}

async function initialise(options: ClusterOptions): Promise<void> {
  const { dataDir, databaseDir, account, binaries, durable } = options
  if (account) chownSync(databaseDir, account.uid, account.gid)
  const args = [
    `--pgdata=${folderOfChild(databaseDir)}`,
    '--username=caseport',
    // No password is needed, because the socket lies in a folder of mode 0700: only root and the owner get that far.
    '--auth=trust',
    '--encoding=UTF8',
    // The same order and case rules on every machine, whatever locales it has.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--data-checksums',
    '--no-instructions',
  ]
  if (!durable) args.push('--no-sync')
  const fd = openSync(databaseDir, 'r')
  const child = spawn(binaries.initdb, args, {
    ...childOptions(account),
    stdio: ['ignore', 'ignore', 'pipe', fd],
  })
  closeSync(fd)
  const ended = new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  )
  const [status, complaints] = await Promise.all([ended, text(child.stderr as Readable)])
  if (status === 0) return
  rmSync(databaseDir, { recursive: true, force: true })
  throw new StartError(`DATA_DIR ${dataDir}: the database cannot be created: ${reasonIn(complaints)}`)
}

function reasonIn(complaints: string): string {
  if (/no space left|free disk space/i.test(complaints)) return 'no space left on device (ENOSPC).'
  // initdb asks for the name of the user, which a container may run without.
  const nameless = /could not look up effective user ID (\d+)/.exec(complaints)?.[1]
  if (nameless)
    return `uid ${nameless} has no name: add it to /etc/passwd, or set DATABASE_URL to use another PostgreSQL.`
  const lines = complaints.trim().split('\n')
  const reason = lines.findLast(line => /fatal|error:/i.test(line)) ?? lines.at(-1) ?? ''
  return reason.replace(/^.*?(FATAL|PANIC): +/, '')
}
