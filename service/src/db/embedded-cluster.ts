// Owns the database folder, DATA_DIR/postgres: made once, complete or not at all, and checked before every start.
// Must not touch the content of a folder that PostgreSQL has made, beyond who owns it.
import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { StartError } from '../lib/start-error.ts'
import { type Account, childOptions } from './embedded-account.ts'
import type { Binaries } from './embedded-binaries.ts'
import { syncFolder } from './embedded-data-dir.ts'

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
  // Only a start that was cut short leaves this behind; its initdb may still be busy in it for a moment.
  rmSync(unfinished, { recursive: true, force: true, maxRetries: 20 })

  if (existsSync(databaseDir) && readdirSync(databaseDir).length > 0) return checkCluster(options)
  await initialise({ ...options, databaseDir: unfinished })
  renameSync(unfinished, databaseDir)
  syncFolder(dataDir)
}

function checkCluster({ dataDir, databaseDir, account, binaries }: ClusterOptions): void {
  const { uid, mode } = statSync(databaseDir)
  if (!account && uid !== process.getuid?.())
    throw new StartError(
      `DATA_DIR ${dataDir} holds a database that belongs to uid ${uid}: start the service as that user or as root.`,
    )
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
  if ((mode & 0o777) !== 0o700) chmodSync(databaseDir, 0o700)
  if (account && uid === 0) giveTree(databaseDir, account)
}

/** A folder that root put back from a backup. Its top comes last, so that an interrupted run is taken up again. */
function giveTree(folder: string, { uid, gid }: Account): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    lchownSync(join(entry.parentPath, entry.name), uid, gid)
  chownSync(folder, uid, gid)
}

async function initialise({
  dataDir,
  databaseDir,
  account,
  binaries,
  durable,
}: ClusterOptions): Promise<void> {
  mkdirSync(databaseDir, { mode: 0o700 })
  if (account) chownSync(databaseDir, account.uid, account.gid)
  const args = [
    ...[
      '-D',
      folderOfChild(databaseDir),
      '-U',
      'caseport',
      '-E',
      'UTF8',
      '--data-checksums',
      '--no-instructions',
    ],
    // The same order and case rules on every machine, whatever locales it has.
    ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
    // No password is needed, because the socket lies in a folder of mode 0700: only root and the owner get that far.
    ...['-A', 'trust'],
    ...(durable ? [] : ['--no-sync']),
  ]
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
  if (status !== 0)
    throw new StartError(`DATA_DIR ${dataDir}: the database cannot be created: ${reasonIn(complaints)}`)
}

function reasonIn(complaints: string): string {
  const lines = complaints.trim().split('\n')
  const reason =
    lines.find(line => /no space left/i.test(line)) ?? lines.findLast(line => /fatal|error:/i.test(line))
  return reason ?? lines.at(-1) ?? ''
}
