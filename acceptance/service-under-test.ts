// Starts the service as an operator would, on an empty DATA_DIR and a free port.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../scripts/free-port.ts'
import { startIssuer } from '../scripts/login-issuer.ts'

interface ServiceUnderTest {
  env: Record<string, string>
  dataDir: string
  stop(): Promise<void>
}

/** `settings` are added to those that a start needs; `args` are arguments of the service, such as `--demo`. */
export async function startService(
  settings: Record<string, string> = {},
  args: string[] = [],
): Promise<ServiceUnderTest> {
  const dataDir = mkdtempSync(join(tmpdir(), 'caseport-acceptance-'))
  const port = await freePort()
  const issuer = await startIssuer([`http://127.0.0.1:${port}`, `http://localhost:${port}`])
  const env = {
    BASE_URL: `http://127.0.0.1:${port}`,
    /** Tests of sign-in through an external issuer need one that they can use. */
    LOGIN_ISSUER: issuer.url,
    CLIENT_ID: 'acceptance',
    CLIENT_SECRET: randomBytes(24).toString('base64url'),
    API_KEY: randomBytes(24).toString('base64url'),
  }
  const main = join(import.meta.dirname, '..', 'service', 'src', 'main.ts')
  const service = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      // The suite also runs with other kinds of repository.
      ...environmentOf(['REPOSITORIES', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION']),
      ...issuer.settings,
      DATA_DIR: dataDir,
      PORT: String(port),
      LOG_LEVEL: 'warn',
      BOOTSTRAP_CLIENT_ID: env.CLIENT_ID,
      BOOTSTRAP_CLIENT_SECRET: env.CLIENT_SECRET,
      BOOTSTRAP_API_KEY: env.API_KEY,
      ...settings,
    },
  })
  const ended = new Promise<void>(resolve => service.once('exit', () => resolve()))
  await Promise.race([
    untilReady(env.BASE_URL).catch(error => {
      service.kill('SIGTERM')
      throw error
    }),
    ended.then(() => {
      throw new Error('The service ended before it was ready.')
    }),
  ])
  return {
    env,
    dataDir,
    async stop() {
      service.kill('SIGTERM')
      await ended
      await issuer.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function untilReady(baseUrl: string): Promise<void> {
  // Loading the demo data takes a while on a machine that is busy.
  for (let tries = 0; tries < 2400; tries++) {
    const ready = await fetch(`${baseUrl}/readyz`).then(
      response => response.ok,
      () => false,
    )
    if (ready) return
    await sleep(50)
  }
  throw new Error(`${baseUrl}/readyz did not respond within two minutes.`)
}

function environmentOf(names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap(name => (process.env[name] ? [[name, process.env[name]]] : [])))
}
