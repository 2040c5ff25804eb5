// Runs a command at a terminal: in a pane of tmux with a server of its own.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { until } from './caseport.ts'

const TMUX = '/usr/bin/tmux'

/** Installs Debian's package if it is missing. Returns why there is no terminal to test at. */
export function missingTmux(): string | undefined {
  if (existsSync(TMUX)) return undefined
  if (process.getuid?.() !== 0) return 'tmux is missing, and only root can install it'
  execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'tmux'], { stdio: 'ignore' })
  return existsSync(TMUX) ? undefined : 'tmux cannot be installed'
}

interface Options {
  env: Record<string, string>
  columns?: number
  rows?: number
}

export function openTerminal(command: string[], { env, columns = 120, rows = 40 }: Options) {
  const server = `caseport-${randomUUID().slice(0, 8)}`
  const tmux = (...args: string[]) =>
    execFileSync(TMUX, ['-L', server, '-f', '/dev/null', ...args], { encoding: 'utf8' })
  const settings = Object.entries({
    PATH: process.env['PATH'] ?? '',
    LANG: 'C.UTF-8',
    TERM: 'screen',
    ...env,
  })
  const size = ['-x', String(columns), '-y', String(rows)]
  const line = ['env', '-i', ...settings.map(([name, value]) => `${name}=${value}`), ...command]
  // The pane outlives the command, so that the screen and the exit code can be read. Ctrl-C is for the command alone.
  const script = 'trap : INT; "$@"; printf "[exit %s]\\n" "$?"; exec sleep 600'
  tmux('-u', 'new-session', '-d', '-s', 'main', ...size, 'sh', '-c', script, 'sh', ...line)

  /** Lines that the terminal has wrapped are joined. */
  const screen = () =>
    tmux('capture-pane', '-p', '-J', '-S', '-', '-t', 'main')
      .split('\n')
      .map(text => text.trimEnd())
      .join('\n')
      .trim()
  const exitCode = () => {
    // A terminal that is not in raw mode echoes Ctrl-C.
    const code = /^(?:\^C)?\[exit (\d+)\]$/m.exec(screen())?.[1]
    return code === undefined ? undefined : Number(code)
  }
  return {
    screen,
    keys: (...keys: string[]) => tmux('send-keys', '-t', 'main', ...keys),
    type: (text: string) => tmux('send-keys', '-t', 'main', '-l', '--', text),
    sees: (expected: RegExp | string) =>
      until(
        () => (typeof expected === 'string' ? screen().includes(expected) : expected.test(screen())),
        `${expected} on the screen`,
      ).catch(error => {
        throw new Error(`${error.message}\n${screen()}`)
      }),
    async ended(): Promise<number | undefined> {
      await until(() => exitCode() !== undefined, 'the end of the command').catch(error => {
        throw new Error(`${error.message}\n${screen()}`)
      })
      return exitCode()
    },
    close: () => tmux('kill-server'),
  }
}
