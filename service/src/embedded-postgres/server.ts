// Owns one run of the PostgreSQL server: from its first sign of life to its exit.
// Must not start it again: that is the supervisor's.
import { spawn } from 'node:child_process'
import { closeSync, constants, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { StartError } from '../lib/problem.ts'
import { type Account, childOptions } from './account.ts'
import type { Binaries } from './binaries.ts'
import { folderOfChild } from './cluster.ts'
import { inWords, openInDataDir } from './data-dir.ts'
import { readPostmasterFile } from './orphans.ts'
import { commandLine, type ServerSettings, writeConfigFile } from './settings.ts'
import { startWatchdog } from './watchdog.ts'

export interface ServerPlace {
  dataDir: string
  databaseDir: string
  /** The database folder, kept open by the service for as long as it lives. */
  folderFd: number
  account: Account | undefined
  binaries: Binaries
  settings: ServerSettings
  log: Log
}

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface Server {
  exited: Promise<Exit>
  /** Resolves when queries are answered, rejects when the server ends before that. */
  ready(): Promise<void>
  /** Fast shutdown, or an immediate one when that takes too long; resolves when the server has ended. */
  end(): Promise<void>
}

const LOG_NAME = 'postgres.log'
const LOG_BYTES = 10 * 1024 * 1024
const POLL_MS = 10
const FAST_SHUTDOWN_MS = 30_000
const SLOW_START_MS = 5000

export function spawnServer(place: ServerPlace): Server {
  const { dataDir, databaseDir, account, log } = place
  writeConfigFile({ databaseDir, account })
  const logFd = openLog(dataDir)
  const logStart = fstatSync(logFd).size
  const child = spawnWithLog(place, logFd)
  child.unref()

  let exit: Exit | undefined
  let failure: Error | undefined
  const watchdog = child.pid === undefined ? undefined : startWatchdog({ pid: child.pid, account, log })
  const ended = new Promise<void>(resolve => {
    child.once('error', error => {
      failure = error
      resolve()
    })
    child.once('exit', (code, signal) => {
      exit = { code, signal }
      resolve()
    })
  })
  const exited = ended.then(async () => {
    await watchdog?.dismiss()
    return exit ?? { code: null, signal: null }
  })

  return {
    exited,
    async ready() {
      const slow = setTimeout(
        () => log.info({}, 'PostgreSQL is still starting, probably recovering'),
        SLOW_START_MS,
      )
      try {
        for (;;) {
          if (failure) throw new StartError(`PostgreSQL cannot be run: ${inWords(failure)}.`)
          if (exit) throw new StartError(whyNot(place, logStart))
          // The server's own note, as pg_ctl reads it: trying to connect would fill the log during a recovery.
          const { pid, state } = readPostmasterFile(databaseDir)
          if (pid === child.pid && state === 'ready') return
          await Promise.race([ended, sleep(POLL_MS)])
        }
      } finally {
        clearTimeout(slow)
      }
    },
    async end() {
      child.ref()
      child.kill('SIGINT')
      const late = setTimeout(() => child.kill('SIGQUIT'), FAST_SHUTDOWN_MS)
      await exited
      clearTimeout(late)
    },
  }
}

function spawnWithLog({ databaseDir, folderFd, account, binaries, settings }: ServerPlace, logFd: number) {
  try {
    return spawn(binaries.postgres, commandLine({ ...settings, folder: folderOfChild(databaseDir) }), {
      ...childOptions(account),
      // In a session of its own: Ctrl-C in a terminal must not end the database before the service has drained.
      detached: true,
      stdio: ['ignore', logFd, logFd, folderFd],
    })
  } finally {
    closeSync(logFd)
  }
}

function openLog(dataDir: string): number {
  const path = join(dataDir, LOG_NAME)
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > LOG_BYTES) renameSync(path, `${path}.1`)
  return openInDataDir({ dataDir, name: LOG_NAME, flags: constants.O_WRONLY | constants.O_APPEND })
}

function whyNot({ dataDir, databaseDir }: ServerPlace, logStart: number): string {
  const words = lastWords(dataDir, logStart)
  // Only where there is no lock on DATA_DIR does it come to this.
  if (words.includes('"postmaster.pid" already exists'))
    return `DATA_DIR ${dataDir} is in use by another PostgreSQL (pid ${readPostmasterFile(databaseDir).pid}): stop the Caseport that runs it, or that process when its Caseport is gone.`
  return `PostgreSQL did not start in DATA_DIR ${dataDir}: ${words}`
}

/** Why the server gave up, from what it has written to its log since `start`. */
function lastWords(dataDir: string, start: number): string {
  const path = join(dataDir, LOG_NAME)
  const fd = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(64 * 1024)
    const from = Math.max(start, fstatSync(fd).size - buffer.length)
    const lines = buffer
      .toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, from))
      .trim()
      .split('\n')
    const fatal = lines.findLast(line => /\b(FATAL|PANIC): /.test(line)) ?? lines.at(-1)
    return fatal ? fatal.replace(/^.*?\b(FATAL|PANIC): +/, '') : `see ${path}`
  } finally {
    closeSync(fd)
  }
}
