// Locks DATA_DIR, so that one service at a time uses it. The lock file is never removed: a second service could then lock the
// old file while a third locks a new one.
import { spawnSync } from 'node:child_process'
import { closeSync, constants, ftruncateSync, readSync, writeSync } from 'node:fs'
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

export function lockDataDir(dataDir: string): DataDirLock {
  const fd = openLockFile(dataDir)
  // The lock belongs to the open file description, which the command shares with us and we keep open. The kernel releases it
  // when this process ends, for whatever reason. Node closes its files on exec, so that no other child inherits the lock.
  const { status } = spawnSync('flock', ['-n', '3'], {
    ...childOptions(),
    stdio: ['ignore', 'ignore', 'ignore', fd],
  })
  if (status === 1) {
    const pid = readPid(fd)
    closeSync(fd)
    throw new DataDirInUse(`DATA_DIR ${dataDir} is in use by another Caseport (pid ${pid || 'unknown'}).`)
  }
  const isLocked = status === 0
  if (isLocked) writePid({ fd, dataDir })
  return { isLocked, release: () => closeSync(fd) }
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
