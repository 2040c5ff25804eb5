// Orphan processes: those of an earlier PostgreSQL server that still run in the data directory, and its pid files. stopOrphans
// needs the lock on DATA_DIR: without it, the processes could belong to a running service.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { systemErrorCode } from './data-dir.ts'
import { SOCKET_NAME } from './settings.ts'

const SHUTDOWN_MS = 5000
/** Processes without a postmaster end by themselves within this time. */
const ORPHAN_EXIT_MS = 500

/** Stops what is left of an earlier server, so that a new one can start in the data directory. */
export async function stopOrphans(pgData: string, log: Log): Promise<void> {
  if (process.platform !== 'linux') return
  const { pid } = readPostmasterFile(pgData)
  const orphans = processesIn(pgData)
  const postmaster = orphans.find(orphan => orphan === pid)
  if (postmaster !== undefined) {
    log.warn({ pid: postmaster }, 'a PostgreSQL of an earlier run is still running and is being stopped')
    signal([postmaster], 'SIGINT')
  }
  // Processes whose postmaster was killed exit by themselves, unless they are in the middle of a long query. That query is
  // lost in any case, as it is when PostgreSQL recovers from a crash.
  if (
    orphans.length > 0 &&
    !(await haveExited(pgData, postmaster === undefined ? ORPHAN_EXIT_MS : SHUTDOWN_MS))
  ) {
    signal(processesIn(pgData), 'SIGQUIT')
    if (!(await haveExited(pgData, SHUTDOWN_MS))) {
      signal(processesIn(pgData), 'SIGKILL')
      await haveExited(pgData, SHUTDOWN_MS)
    }
  }
  // PostgreSQL does not start while a process has the pid of its pid files. By now that may be an unrelated process, which is
  // common in containers, where the same few pids are assigned at each start.
  if (pid !== undefined && isAlive(pid) && processesIn(pgData).length === 0)
    for (const name of ['postmaster.pid', `${SOCKET_NAME}.lock`]) rmSync(join(pgData, name), { force: true })
}

/** The pid and the state ('starting', 'ready', …) in postmaster.pid. */
export function readPostmasterFile(pgData: string): { pid?: number; state?: string } {
  try {
    const lines = readFileSync(join(pgData, 'postmaster.pid'), 'utf8').split('\n')
    const pid = Number(lines[0])
    return { ...(pid > 0 && { pid }), state: (lines[7] ?? '').trim() }
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return {}
    throw error
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return systemErrorCode(error) === 'EPERM'
  }
}

/** The processes of PostgreSQL whose working directory is this data directory, by whatever path they reached it. */
export function processesIn(pgData: string): number[] {
  const directory = statSync(pgData)
  return readdirSync('/proc')
    .map(Number)
    .filter(pid => {
      if (!(pid > 0)) return false
      try {
        if (readFileSync(`/proc/${pid}/comm`, 'utf8') !== 'postgres\n') return false
        const cwd = statSync(`/proc/${pid}/cwd`)
        return cwd.dev === directory.dev && cwd.ino === directory.ino
      } catch {
        return false // The process has exited meanwhile, or belongs to another user.
      }
    })
}

async function haveExited(pgData: string, ms: number): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(20))
    if (processesIn(pgData).length === 0) return true
  return false
}

function signal(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch (error) {
      if (systemErrorCode(error) !== 'ESRCH') throw error
    }
  }
}
