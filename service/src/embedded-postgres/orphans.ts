// Owns the processes of an earlier PostgreSQL that still work in the database folder, and the files that name them.
// Must not run without the lock on DATA_DIR: what it finds could belong to a service that is alive.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { codeOf } from './data-dir.ts'
import { SOCKET_NAME } from './settings.ts'

const PATIENCE_MS = 5000
const BRIEFLY_MS = 500

/** Ends what is left of an earlier server, so that the next one finds the folder free. */
export async function endLeftovers(databaseDir: string, log: Log): Promise<void> {
  if (process.platform !== 'linux') return
  const { pid } = readPostmasterFile(databaseDir)
  const left = processesIn(databaseDir)
  const orphan = left.find(one => one === pid)
  if (orphan !== undefined) {
    log.warn({ pid: orphan }, 'a PostgreSQL of an earlier run is still there and is being stopped')
    signal([orphan], 'SIGINT')
  }
  // Processes whose postmaster was killed end by themselves, unless they are in the middle of a long query; that query
  // is lost in any case, as it is when PostgreSQL itself recovers from a crash.
  if (left.length > 0 && !(await gone(databaseDir, orphan === undefined ? BRIEFLY_MS : PATIENCE_MS))) {
    signal(processesIn(databaseDir), 'SIGQUIT')
    if (!(await gone(databaseDir, PATIENCE_MS))) {
      signal(processesIn(databaseDir), 'SIGKILL')
      await gone(databaseDir, PATIENCE_MS)
    }
  }
  // PostgreSQL refuses to start when the pid in its files is taken, although by now it may be an unrelated process's,
  // which is usual in containers, where the same few numbers come back at every start.
  if (pid !== undefined && isAlive(pid) && processesIn(databaseDir).length === 0)
    for (const name of ['postmaster.pid', `${SOCKET_NAME}.lock`])
      rmSync(join(databaseDir, name), { force: true })
}

/** The pid and the state ('starting', 'ready', …) that the postmaster of the folder has noted about itself. */
export function readPostmasterFile(databaseDir: string): { pid?: number; state?: string } {
  try {
    const lines = readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')
    const pid = Number(lines[0])
    return { ...(pid > 0 && { pid }), state: (lines[7] ?? '').trim() }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return {}
    throw error
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** Every process of a PostgreSQL server has the database folder as its working folder, by whatever path it came there. */
export function processesIn(databaseDir: string): number[] {
  const folder = statSync(databaseDir)
  return readdirSync('/proc')
    .map(Number)
    .filter(pid => {
      if (!(pid > 0)) return false
      try {
        if (readFileSync(`/proc/${pid}/comm`, 'utf8') !== 'postgres\n') return false
        const place = statSync(`/proc/${pid}/cwd`)
        return place.dev === folder.dev && place.ino === folder.ino
      } catch {
        return false // It has ended meanwhile, or it is another user's.
      }
    })
}

async function gone(databaseDir: string, ms: number): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(20))
    if (processesIn(databaseDir).length === 0) return true
  return false
}

function signal(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch (error) {
      if (codeOf(error) !== 'ESRCH') throw error
    }
  }
}
