// A watchdog process stops PostgreSQL when the service ends without stopping it, for example by kill -9. It compares the start
// time of the process, so that it never signals another process with the same pid.
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { type Account, childOptions } from './account.ts'

interface Watchdog {
  /** Stops the watchdog itself; to be called once PostgreSQL has exited. */
  stop(): Promise<void>
}

// The shell waits for a line on a pipe that only the service has open. The line 'done' ends the shell; end of file means that
// the service has died. It first requests a fast shutdown, after 10 s an immediate one.
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

interface WatchdogOptions {
  pid: number
  account: Account | undefined
  log: Log
}

export function startWatchdog({ pid, account, log }: WatchdogOptions): Watchdog {
  let stopped = false
  let current = watch()

  function watch() {
    // In its own session, so that it gets no signal from Ctrl-C or from the end of the terminal.
    const child = spawn('/bin/sh', ['-c', SCRIPT, 'caseport-watchdog', String(pid)], {
      ...childOptions(account),
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    // Writing to a watchdog that was just killed fails; its exit is handled below.
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
    if (stopped) return
    await sleep(1000, undefined, { ref: false })
    if (stopped) return
    log.warn({ pid }, 'the watchdog of PostgreSQL has ended and is started again')
    current = watch()
  }

  return {
    async stop() {
      stopped = true
      const { child, ended } = current
      child.ref()
      child.stdin.end('done\n')
      const timer = setTimeout(() => child.kill('SIGKILL'), 2000)
      await ended
      clearTimeout(timer)
    },
  }
}
