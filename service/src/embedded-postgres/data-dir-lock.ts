// Locks DATA_DIR, so that one service at a time uses it. The lock file is never removed: a second service could then lock the
// old file while a third locks a new one.
import { spawnSync } from 'node:child_process'
import { closeSync, constants, ftruncateSync, readSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../lib/problem.ts'
import { childOptions } from './account.ts'
import { dataDirError, openInDataDir } from './data-dir.ts'

/** Another service uses the DATA_DIR, and runs its PostgreSQL. */
export class DataDirInUse extends StartError {}

interface DataDirLock {
  /** False when the system has no `flock` command: then only PostgreSQL's postmaster.pid protects the data directory. */
  isLocked: boolean
  release(): void
}

/** A service that is killed while its `flock` runs leaves the lock to that command, for some milliseconds. */
const ATTEMPTS = 5
const PAUSE_MS = 100

export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  const fd = openLockFile(dataDir)
  let status = tryLock(fd)
  for (let attempt = 1; status === 1 && attempt < ATTEMPTS; attempt++) {
    await sleep(PAUSE_MS)
    status = tryLock(fd)
  }
  if (status === 1) {
    const pid = readPid(fd)
    closeSync(fd)
    throw new DataDirInUse(`DATA_DIR ${dataDir} is in use by another Caseport (pid ${pid || 'unknown'}).`)
  }
  const isLocked = status === 0
  if (isLocked) writePid({ fd, dataDir })
  return { isLocked, release: () => closeSync(fd) }
}

/**
 * The lock belongs to the open file description, which the command shares with us and we keep open. The kernel releases it
 * when this process ends, for whatever reason. Node closes its files on exec, so that no other child inherits the lock.
 */
function tryLock(fd: number): number | null {
  return spawnSync('flock', ['-n', '3'], { ...childOptions(), stdio: ['ignore', 'ignore', 'ignore', fd] })
    .status
}

function openLockFile(dataDir: string): number {
  try {
    return openInDataDir({ dataDir, name: 'lock', flags: constants.O_RDWR })
  } catch (error) {
    throw dataDirError(dataDir, error)
  }
}

function readPid(fd: number): string {
  const buffer = Buffer.alloc(16)
  const length = readSync(fd, buffer, 0, buffer.length, 0)
  return buffer.toString('latin1', 0, length).trim()
}

function writePid({ fd, dataDir }: { fd: number; dataDir: string }): void {
  try {
    ftruncateSync(fd)
    writeSync(fd, `${process.pid}\n`, 0)
  } catch (error) {
    closeSync(fd)
    throw dataDirError(dataDir, error)
  }
}
