// Owns that PostgreSQL ends when the service is gone without having stopped it, kill -9 included.
// Must not signal a process that merely has the same pid: it compares the time at which the process was started.
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { type Account, childOptions } from './account.ts'

export interface Watchdog {
  /** To be called once PostgreSQL has ended. */
  dismiss(): Promise<void>
}

// The shell waits for a line on a pipe whose other end only the service holds. The line 'done' sends it home; the end of
// the pipe means that the service has died. A fast shutdown is asked for first, after 10 s an immediate one.
const SCRIPT = `
trap '' HUP INT TERM
pid=$1
born() {
  if read -r stat <"/proc/$pid/stat"; then
    set -- \${stat##*) }
    [ "$1" = Z ] || echo "\${20}"
  elif [ ! -e /proc/self ]; then
    ps -o lstart= -p "$pid"
  fi
} 2>/dev/null
birth=$(born)
same() { [ -n "$birth" ] && [ "$(born)" = "$birth" ]; }
read -r word
[ "$word" = done ] && exit
same && kill -INT "$pid"
turn=0
while same && [ $turn -lt 100 ]; do
  sleep 0.2
  turn=$((turn + 1))
  [ $turn -eq 50 ] && same && kill -QUIT "$pid"
done
`

export interface WatchdogOptions {
  pid: number
  account: Account | undefined
  log: Log
}

export function startWatchdog({ pid, account, log }: WatchdogOptions): Watchdog {
  let dismissed = false
  let current = watch()

  function watch() {
    // In a session of its own, so that Ctrl-C in a terminal and the end of the terminal do not reach it.
    const child = spawn('/bin/sh', ['-c', SCRIPT, 'caseport-watchdog', String(pid)], {
      ...childOptions(account),
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    // Writing to one that has just been killed is no fault: its end is noticed below.
    child.stdin.on('error', () => {})
    const ended = new Promise<void>(resolve =>
      child.once('exit', () => resolve()).once('error', () => resolve()),
    )
    child.unref()
    if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref()
    // Never rejects.
    void ended.then(replace)
    return { child, ended }
  }

  async function replace() {
    if (dismissed) return
    await sleep(1000, undefined, { ref: false })
    if (dismissed) return
    log.warn({ pid }, 'the watchdog of PostgreSQL has ended and is started again')
    current = watch()
  }

  return {
    async dismiss() {
      dismissed = true
      const { child, ended } = current
      child.ref()
      child.stdin.end('done\n')
      const late = setTimeout(() => child.kill('SIGKILL'), 2000)
      await ended
      clearTimeout(late)
    },
  }
}
