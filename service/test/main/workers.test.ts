// The service with several workers behind one port: WORKERS=2.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { freePort } from '../../../scripts/free-port.ts'
import { readConfig } from '../../src/config.ts'
import { connectionsOf } from '../../src/embedded-postgres/connections.ts'
import { createExternalPostgres } from '../support/external-postgres.ts'
import { PROGRAM_ENV } from '../support/program-env.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')
const CLIENT = { id: 'worker-test', secret: 'secret-of-the-worker-test' }
const root = mkdtempSync(join(tmpdir(), 'caseport-workers-'))
const running = new Set<ChildProcess>()
after(() => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true, maxRetries: 20 })
})

async function launch(env: Record<string, string>) {
  const port = await freePort()
  const child = spawn(process.execPath, [MAIN], {
    cwd: root,
    env: {
      ...PROGRAM_ENV,
      LOG_LEVEL: 'info',
      PORT: String(port),
      BOOTSTRAP_CLIENT_ID: CLIENT.id,
      BOOTSTRAP_CLIENT_SECRET: CLIENT.secret,
      ...env,
    },
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', data => {
      output += data
    })
  const exited = once(child, 'close').then(([code]) => {
    running.delete(child)
    return code as number | null
  })
  return { child, port, url: `http://127.0.0.1:${port}`, output: () => output, exited }
}

type Service = Awaited<ReturnType<typeof launch>>

async function until(what: string, isSo: () => boolean | Promise<boolean>, seconds = 150): Promise<void> {
  for (const end = performance.now() + seconds * 1000; !(await isSo()); await sleep(50))
    assert.ok(performance.now() < end, `not within ${seconds} seconds: ${what}`)
}

/** The processes that this one has started and that serve requests. */
function workersOf({ child }: Service): number[] {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
  return children
    .trim()
    .split(' ')
    .filter(pid => pid !== '' && commandOf(pid).includes(MAIN))
    .map(Number)
}

/** The command line of a process; empty where it has ended meanwhile. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

async function metricsOf({ url }: Service): Promise<string> {
  return (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text()
}

const sampleOf = (metrics: string, name: string) =>
  Number(new RegExp(`^${RegExp.escape(name)} (\\S+)$`, 'm').exec(metrics)?.[1] ?? 0)

const DATA_DIR = join(root, 'data')

async function startService(env: Record<string, string> = {}): Promise<Service> {
  const service = await launch({ DATA_DIR, WORKERS: '2', ...env })
  await until(`two workers: ${service.output()}`, async () => {
    assert.equal(service.child.exitCode, null, service.output())
    return sampleOf(await metricsOf(service).catch(() => ''), 'workers') === 2
  })
  return service
}

const restartsIn = ({ output }: Service) => output().split('all workers were restarted').length

interface Failure {
  at: number
  reason: string
}

/** Sends requests over several connections, kept alive or new for each request, until it is stopped or its test has ended. */
function load({ port }: Service, { connections, keepAlive }: { connections: number; keepAlive: boolean }) {
  const failures: Failure[] = []
  let sent = 0
  let isOver = false
  const send = (agent: Agent) =>
    new Promise<void>(resolve => {
      const at = performance.now()
      const fail = (reason: string) => {
        failures.push({ at, reason })
        resolve()
      }
      const asked = request({ port, host: '127.0.0.1', path: '/v2/applicant/health', agent }, response => {
        response.resume()
        response.once('end', () =>
          response.statusCode === 401 ? resolve() : fail(`status ${response.statusCode}`),
        )
        response.once('error', error => fail(error.message))
      })
      asked.setTimeout(10_000, () => asked.destroy(new Error('no response')))
      asked.once('error', error => fail((error as NodeJS.ErrnoException).code ?? error.message))
      asked.end()
      sent += 1
    })
  const clients = Array.from({ length: connections }, async () => {
    const agent = new Agent({ keepAlive, maxSockets: 1 })
    while (!isOver) await send(agent)
    agent.destroy()
  })
  const stop = async () => {
    isOver = true
    await Promise.all(clients)
  }
  return { failures, sent: () => sent, stop, [Symbol.asyncDispose]: stop }
}

function tokenRequest({ url }: Service, secret: string): Promise<Response> {
  return fetch(`${url}/oauth/token`, {
    method: 'POST',
    // A connection of its own, so that requests reach both workers.
    headers: { connection: 'close' },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: CLIENT.id,
      client_secret: secret,
    }),
  })
}

describe('WORKERS', () => {
  it('is 1 unless it is set, and one for each core with auto', () => {
    assert.equal(readConfig({}).workers, 1)
    assert.equal(readConfig({ WORKERS: '3' }).workers, 3)
    assert.equal(readConfig({ WORKERS: 'auto' }).workers, Math.min(64, availableParallelism()))
    for (const WORKERS of ['0', '-1', '65', '1.5', 'many'])
      assert.throws(
        () => readConfig({ WORKERS }),
        /Bad setting WORKERS: expected a number from 1 to 64, or auto\./,
      )
  })

  it('ends the start with an error that names it, where its value is not valid', async () => {
    const service = await launch({ WORKERS: 'many', DATA_DIR: join(root, 'invalid') })
    assert.equal(await service.exited, 1)
    assert.equal(service.output(), 'Bad setting WORKERS: expected a number from 1 to 64, or auto.\n')
  })

  it('ends the start with the reason, where the first worker cannot listen', {
    timeout: 120_000,
  }, async () => {
    const service = await launch({ WORKERS: '2', DATA_DIR: join(root, 'address'), HOST: '192.0.2.1' })
    assert.equal(await service.exited, 1)
    assert.match(
      service.output(),
      /^Cannot listen on 192\.0\.2\.1:\d+: this machine does not have this address/m,
    )
  })

  it('migrates a database of DATABASE_URL once; all workers use the role of the service', {
    timeout: 240_000,
  }, async () => {
    const server = await createExternalPostgres({ folder: join(root, 'external') })
    try {
      const service = await startService({
        DATABASE_URL: server.url,
        DATA_DIR: join(root, 'files'),
        PUBLIC_URL: 'http://workers.example',
      })
      assert.equal(service.output().split('0001-clients-and-keys.sql').length - 1, 1)
      for (let n = 0; n < 4; n++) assert.equal((await tokenRequest(service, CLIENT.secret)).status, 200)
      assert.ok(!service.output().includes('do not use the role of the service'), service.output())
      service.child.kill('SIGTERM')
      assert.equal(await service.exited, 0, service.output())
    } finally {
      await server.kill()
    }
  })
})

describe('a service with two workers', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })

  it('serves with all workers, counts all of their requests, and loses no count when they are restarted', {
    timeout: 240_000,
  }, async () => {
    const before = workersOf(service)
    assert.equal(before.length, 2)
    const send = async (count: number) => {
      for (let n = 0; n < count; n++)
        await fetch(`${service.url}/healthz`, { headers: { connection: 'close' } }).then(({ body }) =>
          body?.cancel(),
        )
    }
    const counted = async () =>
      sampleOf(
        await metricsOf(service),
        'http_request_duration_seconds_count{method="GET",route="/healthz",status="200"}',
      )
    await send(40)
    await until('40 requests are counted', async () => (await counted()) === 40, 5)
    const ids = new Set<string>()
    for (let n = 0; n < 8; n++) {
      const { headers } = await fetch(`${service.url}/healthz`, { headers: { connection: 'close' } })
      ids.add(headers.get('x-request-id')?.slice(0, 24) ?? '')
    }
    assert.equal(ids.size, 2, 'both workers have responded')
    const restarts = restartsIn(service)
    const startedAt = sampleOf(await metricsOf(service), 'process_start_time_seconds')
    assert.ok(startedAt > Date.now() / 1_000 - 600, String(startedAt))
    service.child.kill('SIGHUP')
    await until('both were restarted', () => restartsIn(service) > restarts)
    assert.ok(workersOf(service).every(pid => !before.includes(pid)))
    assert.equal(sampleOf(await metricsOf(service), 'process_start_time_seconds'), startedAt)
    assert.equal(sampleOf(await metricsOf(service), 'workers_configured'), 2)
    await send(10)
    await until('58 requests are counted', async () => (await counted()) === 58, 5)
    assert.equal(sampleOf(await metricsOf(service), 'worker_replacements_total'), 0)
  })

  it('replaces a worker that is killed; only requests that it had fail', { timeout: 240_000 }, async () => {
    const connections = 16
    for (const keepAlive of [false, true]) {
      const [victim = 0] = workersOf(service)
      await using traffic = load(service, { connections, keepAlive })
      await until('there is traffic', () => traffic.sent() > 200)
      const killedAt = performance.now()
      process.kill(victim, 'SIGKILL')
      await until('it was replaced', async () => {
        const pids = workersOf(service)
        return (
          pids.length === 2 && !pids.includes(victim) && sampleOf(await metricsOf(service), 'workers') === 2
        )
      })
      const sent = traffic.sent()
      await until('there is more traffic', () => traffic.sent() > sent + 200)
      await traffic.stop()
      const { failures } = traffic
      assert.ok(failures.length <= connections, JSON.stringify(failures))
      // Until the primary process has noticed.
      assert.deepEqual(
        failures.filter(({ at }) => at > killedAt + 500),
        [],
      )
    }
    assert.match(
      service.output(),
      /"signal":"SIGKILL","msg":"a worker has ended unexpectedly and is replaced"/,
    )
    assert.equal(sampleOf(await metricsOf(service), 'worker_replacements_total'), 2)
  })

  for (const keepAlive of [true, false])
    it(`fails no request while all workers are restarted on SIGHUP, with ${keepAlive ? 'lasting' : 'new'} connections`, {
      timeout: 240_000,
    }, async () => {
      const before = workersOf(service)
      await using traffic = load(service, { connections: 16, keepAlive })
      await until('there is traffic', () => traffic.sent() > 200)
      const restarts = restartsIn(service)
      service.child.kill('SIGHUP')
      await until('all were restarted', () => restartsIn(service) > restarts)
      const sent = traffic.sent()
      await until('there is more traffic', () => traffic.sent() > sent + 200)
      await traffic.stop()
      assert.deepEqual(traffic.failures, [])
      const now = workersOf(service)
      assert.equal(now.length, 2)
      assert.ok(now.every(pid => !before.includes(pid)))
    })

  it('replaces a worker that is frozen', { timeout: 240_000 }, async () => {
    const [frozen = 0, other] = workersOf(service)
    process.kill(frozen, 'SIGSTOP')
    // A connection that the frozen one got fails when that is killed.
    await until('it was replaced', async () => {
      const pids = workersOf(service)
      return (
        pids.length === 2 &&
        !pids.includes(frozen) &&
        sampleOf(await metricsOf(service).catch(() => ''), 'workers') === 2
      )
    })
    assert.ok(workersOf(service).includes(other ?? 0), 'the other worker goes on')
    assert.match(
      service.output(),
      new RegExp(`"pid":${frozen},"msg":"a worker does not respond and is killed"`),
    )
  })

  it('limits wrong secrets as one process does, also after a worker was replaced', {
    timeout: 240_000,
  }, async () => {
    const statuses: number[] = []
    for (let n = 0; n < 14; n++) {
      statuses.push((await tokenRequest(service, `wrong-${n}`)).status)
      // Workers tell each other within milliseconds.
      await sleep(100)
    }
    assert.deepEqual(statuses, [...Array<number>(10).fill(401), ...Array<number>(4).fill(429)])
    const [victim = 0] = workersOf(service)
    process.kill(victim, 'SIGKILL')
    await until('it was replaced', async () => {
      const pids = workersOf(service)
      return (
        pids.length === 2 && !pids.includes(victim) && sampleOf(await metricsOf(service), 'workers') === 2
      )
    })
    for (let n = 0; n < 4; n++) assert.equal((await tokenRequest(service, 'wrong-again')).status, 429)
    assert.equal((await tokenRequest(service, CLIENT.secret)).status, 200)
  })

  it('disables a client in all workers', { timeout: 240_000 }, async () => {
    const { access_token: token } = (await (await tokenRequest(service, CLIENT.secret)).json()) as {
      access_token: string
    }
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      connection: 'close',
    }
    const created = await fetch(`${service.url}/admin/v1/clients`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'Short', scopes: ['applicants:read'] }),
    })
    const { clientId, clientSecret } = (await created.json()) as { clientId: string; clientSecret: string }
    const issued = await fetch(`${service.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
      }),
    })
    const other = ((await issued.json()) as { access_token: string }).access_token
    const statusesOf = async () => {
      const all: number[] = []
      for (let n = 0; n < 4; n++)
        all.push(
          (
            await fetch(`${service.url}/v2/applicant/health`, {
              headers: { authorization: `Bearer ${other}`, connection: 'close' },
            })
          ).status,
        )
      return new Set(all)
    }
    assert.deepEqual(await statusesOf(), new Set([200]))
    const disabled = await fetch(`${service.url}/admin/v1/clients/${clientId}/disable`, {
      method: 'POST',
      headers,
    })
    assert.ok(disabled.ok, String(disabled.status))
    // Sooner than each process would notice by itself.
    await sleep(500)
    assert.deepEqual(await statusesOf(), new Set([401]))
  })

  it('runs the background jobs in one worker, and in another one when that dies', {
    timeout: 240_000,
  }, async () => {
    const sql = postgres({
      ...connectionsOf(DATA_DIR).owner,
      max: 1,
      fetch_types: false,
      onnotice() {},
    })
    // One job looks at this table once a second, and nothing else does.
    const looks = async () => {
      const [row] = await sql<[{ looks: number }]>`
        select (seq_scan + coalesce(idx_scan, 0))::int as looks
        from pg_stat_user_tables where relname = 'duplicate_checks'`
      return row.looks
    }
    const looksPerSecond = async () => {
      const [began, before] = [performance.now(), await looks()]
      await sleep(10_000)
      return ((await looks()) - before) / ((performance.now() - began) / 1000)
    }
    const expectOneSet = async () => {
      const rate = await looksPerSecond()
      assert.ok(rate > 0 && rate < 1.4, `the job runs ${rate} times a second`)
    }
    await expectOneSet()
    for (const victim of workersOf(service)) {
      process.kill(victim, 'SIGKILL')
      await until('it was replaced', async () => {
        const pids = workersOf(service)
        return (
          pids.length === 2 && !pids.includes(victim) && sampleOf(await metricsOf(service), 'workers') === 2
        )
      })
      await expectOneSet()
    }
    await sql.end()
  })

  it('replaces a worker that a signal ends before that has finished its requests', async () => {
    // Each worker has a connection whose request is not sent whole.
    const requests = Array.from({ length: 8 }, () =>
      request({ port: service.port, host: '127.0.0.1', method: 'POST', path: '/oauth/token' })
        .on('error', () => {})
        .setHeader('content-length', 100),
    )
    for (const one of requests) one.write('grant_type=')
    await sleep(500)
    const [victim = 0, other = 0] = workersOf(service)
    process.kill(victim, 'SIGTERM')
    await until('another one has started beside it', () => {
      const pids = workersOf(service)
      assert.ok(pids.includes(victim), 'the worker has ended')
      return pids.length === 3
    })
    for (const one of requests) one.destroy()
    await until('it has ended', () => !workersOf(service).includes(victim))
    assert.ok(workersOf(service).includes(other))
    await until('there are two', async () => sampleOf(await metricsOf(service), 'workers') === 2)
  })

  it('finishes the requests of all workers on SIGTERM, and ends with its database', async () => {
    await using traffic = load(service, { connections: 8, keepAlive: false })
    await until('there is traffic', () => traffic.sent() > 50)
    service.child.kill('SIGTERM')
    assert.equal(await service.exited, 0, service.output())
    await traffic.stop()
    // What was accepted got its response; what was not was refused by the system.
    assert.deepEqual(
      traffic.failures.filter(({ reason }) => !/ECONNREFUSED|ECONNRESET/.test(reason)),
      [],
    )
    assert.equal(existsSync(join(DATA_DIR, 'postgres/postmaster.pid')), false)
  })
})
