// One run of the postmaster, PostgreSQL's main process, from its start to its exit. The supervisor restarts it.
import { spawn } from 'node:child_process'
import { closeSync, constants, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { StartError } from '../lib/problem.ts'
import { type Account, childOptions } from './account.ts'
import type { Binaries } from './binaries.ts'
import { pgDataOfChild } from './cluster.ts'
import { describeError, openInDataDir } from './data-dir.ts'
import { readPostmasterFile } from './orphans.ts'
import { commandLine, type ServerSettings, writeConfigFile } from './settings.ts'
import { startWatchdog } from './watchdog.ts'

export interface PostmasterOptions {
  dataDir: string
  pgData: string
  /** The data directory, kept open while the service runs. */
  pgDataFd: number
  account: Account | undefined
  binaries: Binaries
  settings: ServerSettings
  log: Log
}

interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface Postmaster {
  exited: Promise<Exit>
  /** Resolves when the server accepts queries; rejects when it exits before. */
  ready(): Promise<void>
  /** Fast shutdown, or an immediate one when that takes too long; resolves when the server has exited. */
  stop(): Promise<void>
}

const LOG_NAME = 'postgres.log'
const MAX_LOG_BYTES = 10 * 1024 * 1024
const POLL_MS = 10
const FAST_SHUTDOWN_MS = 30_000
const SLOW_START_MS = 5000

export function spawnPostmaster(options: PostmasterOptions): Postmaster {
  const { dataDir, pgData, account, settings, log } = options
  writeConfigFile({ pgData, account, settings })
  const logFd = openLog(dataDir)
  const logStart = fstatSync(logFd).size
  const child = spawnWithLog(options, logFd)
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
    await watchdog?.stop()
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
          if (failure) throw new StartError(`PostgreSQL cannot be run: ${describeError(failure)}.`)
          if (exit) throw new StartError(startFailure(options, logStart))
          // postmaster.pid tells the state, as it does to pg_ctl. Trying to connect would fill the log during a recovery.
          const { pid, state } = readPostmasterFile(pgData)
          if (pid === child.pid && state === 'ready') return
          await Promise.race([ended, sleep(POLL_MS)])
        }
      } finally {
        clearTimeout(slow)
      }
    },
    async stop() {
      child.ref()
      child.kill('SIGINT')
      const timer = setTimeout(() => child.kill('SIGQUIT'), FAST_SHUTDOWN_MS)
      await exited
      clearTimeout(timer)
    },
  }
}

function spawnWithLog({ pgData, pgDataFd, account, binaries, settings }: PostmasterOptions, logFd: number) {
  try {
    return spawn(binaries.postgres, commandLine({ ...settings, pgData: pgDataOfChild(pgData) }), {
      ...childOptions(account),
      // In its own session: Ctrl-C in a terminal must not stop the database before the service has drained.
      detached: true,
      stdio: ['ignore', logFd, logFd, pgDataFd],
    })
  } finally {
    closeSync(logFd)
  }
}

function openLog(dataDir: string): number {
  const path = join(dataDir, LOG_NAME)
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > MAX_LOG_BYTES) renameSync(path, `${path}.1`)
  return openInDataDir({ dataDir, name: LOG_NAME, flags: constants.O_WRONLY | constants.O_APPEND })
}

function startFailure({ dataDir, pgData }: PostmasterOptions, logStart: number): string {
  const reason = lastError(dataDir, logStart)
  // Happens only on systems without a lock on DATA_DIR.
  if (reason.includes('"postmaster.pid" already exists'))
    return `DATA_DIR ${dataDir} is in use by another PostgreSQL (pid ${readPostmasterFile(pgData).pid}): stop the Caseport that runs it, or that process when its Caseport is gone.`
  return `PostgreSQL did not start in DATA_DIR ${dataDir}: ${reason}`
}

/** The last FATAL or PANIC message in the log since `start`. */
function lastError(dataDir: string, start: number): string {
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
