// Starts attacked services: real processes, started as `npm start` does, on a folder or database of this run.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../scripts/free-port.ts'
import { startLineOf } from '../../scripts/start-command.ts'

const ROOT = join(import.meta.dirname, '..', '..')
export const CLIENT = {
  id: 'attacker',
  secret: 'attacker-secret-of-this-run',
  apiKey: 'attacker-key-of-this-run-0001',
}

export interface Service {
  url: string
  port: number
  child: ChildProcess
  /** Its standard output and standard error so far. */
  output(): string
  exited: Promise<number | null>
  /** Waits until /readyz responds with 200; returns the milliseconds since the launch. */
  ready(): Promise<number>
  kill(signal?: NodeJS.Signals): Promise<void>
}

/** `root`: the checkout of another release. */
export async function launch(
  env: Record<string, string>,
  command: string[] = [],
  root = ROOT,
): Promise<Service> {
  const start = startLineOf(root)
  const port = Number(env['PORT'] ?? (await freePort()))
  const began = performance.now()
  const [program = process.execPath, ...args] = [...command, process.execPath, ...start.args]
  const child = spawn(program, args, {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      ...start.settings,
      LOG_LEVEL: 'warn',
      PORT: String(port),
      BOOTSTRAP_CLIENT_ID: CLIENT.id,
      BOOTSTRAP_CLIENT_SECRET: CLIENT.secret,
      BOOTSTRAP_API_KEY: CLIENT.apiKey,
      ...env,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', data => {
      output += data
    })
  let over = false
  const exited = once(child, 'close').then(([code]) => {
    over = true
    return code as number | null
  })
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    port,
    child,
    output: () => output,
    exited,
    async ready() {
      while (!over) {
        const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) }).catch(
          () => undefined,
        )
        if (response?.ok) return performance.now() - began
        await sleep(20)
      }
      throw new Error(`The service ended with ${await exited} before it was ready: ${output}`)
    },
    async kill(signal = 'SIGKILL') {
      child.kill(signal)
      await exited
    },
  }
}

/** A token of the bootstrap client, for all scopes or for those named. */
export async function tokenOf(url: string, scope?: string): Promise<string> {
  const response = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
      ...(scope ? { scope } : {}),
    }),
  })
  const { access_token: token } = (await response.json()) as { access_token?: string }
  if (!token) throw new Error(`No token: ${response.status}`)
  return token
}
