// Starts the measured service: a process of its own on a loaded DATA_DIR, with authorization, audit and log on.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { freePort } from '../scripts/free-port.ts'
import { startLineOf } from '../scripts/start-command.ts'

/** The client of the bench. Cursors belong to a client, so that the driver's recording uses the same one. */
export const CLIENT = {
  clientId: 'bench',
  clientSecret: 'bench-secret-of-this-run',
  apiKey: 'bench-key-of-this-run-0001',
}
export const ROOT = join(import.meta.dirname, '..')

export interface Service {
  pid: number
  /** The port of its inspector, or 0. */
  inspector: number
  port: number
  token: string
  dataDir: string
  /** Milliseconds from the launch until /readyz responds with 200. */
  startedIn: number
  /** Resident memory, in MiB. */
  memory(): number
  stop(): Promise<void>
}

export async function startService(
  dataDir: string,
  { inspected = false, root = ROOT } = {},
): Promise<Service> {
  const { settings, args } = startLineOf(root)
  const port = await freePort()
  const inspector = inspected ? await freePort() : 0
  const began = performance.now()
  const child = spawn(
    process.execPath,
    [...(inspected ? [`--inspect=127.0.0.1:${inspector}`] : []), ...args],
    {
      cwd: root,
      // The log goes to a file, as in production, so that its cost is measured.
      env: {
        PATH: process.env['PATH'],
        ...settings,
        DATA_DIR: dataDir,
        PORT: String(port),
        MAX_UPLOAD_BYTES: String(4 * 1024 ** 3),
        BOOTSTRAP_CLIENT_ID: CLIENT.clientId,
        BOOTSTRAP_CLIENT_SECRET: CLIENT.clientSecret,
        BOOTSTRAP_API_KEY: CLIENT.apiKey,
      },
      stdio: ['ignore', openSync(`${dataDir}.log`, 'w'), inspected ? 'ignore' : 'inherit'],
    },
  )
  await waitUntilReady(port, child)
  const startedIn = performance.now() - began
  return {
    pid: child.pid ?? 0,
    inspector,
    port,
    token: await tokenOf(port),
    dataDir,
    startedIn,
    memory: () => residentOf(child.pid ?? 0),
    async stop() {
      if (child.exitCode !== null || child.signalCode) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

async function waitUntilReady(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
    if (response?.ok) return
    await sleep(5)
  }
  throw new Error('The service ended before it was ready.')
}

export async function tokenOf(
  port: number,
  { clientId, clientSecret }: { clientId: string; clientSecret: string } = CLIENT,
): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    }),
  })
  return ((await response.json()) as { access_token: string }).access_token
}

/** The service loads some modules after its start; until then requests are slower. */
export const settled = () => sleep(5_000)

/** Until everything is compared for duplicates, numbered for the feed and chained in the audit. */
export async function waitForBackground(sql: postgres.Sql): Promise<void> {
  for (;;) {
    const [row] = await sql<[{ busy: boolean }]>`
      select exists (select from duplicate_checks) or exists (select from events where dispatched_at is null)
        or exists (select from audit where xid > 0
          and xid >= (select to_xid from audit_chain order by block desc limit 1)) as busy`
    if (!row.busy) return
    await sleep(100)
  }
}

function residentOf(pid: number): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
  return Number(kib) / 1024
}
