// The service as a process with a DATA_DIR: started, killed, restarted, and failing to start.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../scripts/free-port.ts'
import { PROGRAM_ENV } from '../support/program-env.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')
const root = mkdtempSync(join(tmpdir(), 'caseport-process-'))
const running = new Set<ChildProcess>()
after(() => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true, maxRetries: 20 })
})

interface Started {
  child: ChildProcess
  port: number
  output: () => string
  exited: Promise<number | null>
}

const launch = (env: Record<string, string>, args: string[] = []) =>
  launchProgram([process.execPath, MAIN, ...args], { cwd: root, env })

/** With a terminal as its standard output. */
const launchInTerminal = (env: Record<string, string>) =>
  launchProgram(['script', '-qefc', `exec ${process.execPath} ${MAIN}`, '/dev/null'], { cwd: root, env })

/** In its own process group, as a terminal starts it. */
const launchNpm = (env: Record<string, string>) =>
  launchProgram(['npm', 'start'], { cwd: join(import.meta.dirname, '../../..'), env, detached: true })

async function launchProgram(
  [program = '', ...args]: string[],
  { cwd, env, detached = false }: { cwd: string; env: Record<string, string>; detached?: boolean },
): Promise<Started> {
  const port = Number(env['PORT'] ?? (await freePort()))
  const child = spawn(program, args, {
    cwd,
    detached,
    env: { ...PROGRAM_ENV, LOG_LEVEL: 'warn', PORT: String(port), ...env },
  })
  running.add(child)
  let output = ''
  child.stdout?.on('data', data => {
    output += data
  })
  child.stderr?.on('data', data => {
    output += data
  })
  const exited = once(child, 'close').then(([code]) => {
    running.delete(child)
    return code as number | null
  })
  return { child, port, output: () => output, exited }
}

async function ready({ port, output, exited }: Started): Promise<void> {
  let over = false
  void exited.then(() => {
    over = true
  })
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
    if (response?.ok) return
    if (over) throw new Error(`The service ended: ${output()}`)
    await sleep(20)
  }
}

async function tokenOf(dataDir: string, port: number): Promise<string> {
  const { clientId, clientSecret } = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'))
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

/** PostgreSQL processes that run in this DATA_DIR. */
function orphans(dataDir: string): string[] {
  const found = execFileSync('sh', [
    '-c',
    `ls -l /proc/*/cwd 2>/dev/null | grep -F '${dataDir}/postgres' || true`,
  ])
  return found.toString().trim().split('\n').filter(Boolean)
}

/** Requests that the service had accepted get a response; those that it had not may fail. */
async function expectFinished(sent: Promise<Response>[]): Promise<void> {
  const statuses = (await Promise.allSettled(sent)).map(result =>
    result.status === 'fulfilled' ? result.value.status : undefined,
  )
  const finished = statuses.filter(status => status !== undefined)
  assert.deepEqual(new Set(finished), new Set([201]))
  assert.ok(finished.length > 1, 'only the first request was finished')
}

describe('the service as a process', () => {
  it('prints credentials and a working command to a terminal, on the first start only', {
    timeout: 220_000,
  }, async () => {
    const dataDir = join(root, 'first')
    const first = await launchInTerminal({ DATA_DIR: dataDir })
    await ready(first)
    assert.equal(statSync(join(dataDir, 'credentials.json')).mode & 0o777, 0o600)
    while (!first.output().includes('oauth/token')) await sleep(20)
    const command = /^ {2}(curl -s .*?)\r?$/m.exec(first.output())?.[1] ?? ''
    assert.equal(execFileSync('sh', ['-c', command]).toString(), '{"status":"ok"}')
    process.kill(Number(readFileSync(join(dataDir, 'lock'), 'utf8')), 'SIGTERM')
    assert.equal(await first.exited, 0)
    assert.deepEqual(orphans(dataDir), [])

    const second = await launch({ DATA_DIR: dataDir })
    await ready(second)
    const { clientSecret } = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'))
    assert.ok(!second.output().includes(clientSecret))
    assert.ok(await tokenOf(dataDir, second.port))
    const other = await launch({ DATA_DIR: dataDir })
    assert.equal(await other.exited, 1)
    assert.match(
      other.output(),
      new RegExp(`^DATA_DIR ${dataDir} is in use by another Caseport \\(pid ${second.child.pid}\\)`),
    )
    second.child.kill('SIGTERM')
    assert.equal(await second.exited, 0)
  })

  it('prints where the credentials are, and no secret, when standard output is not a terminal', {
    timeout: 220_000,
  }, async () => {
    const dataDir = join(root, 'journal')
    const service = await launch({ DATA_DIR: dataDir, LOG_LEVEL: 'trace' })
    await ready(service)
    assert.ok(await tokenOf(dataDir, service.port))
    service.child.kill('SIGTERM')
    assert.equal(await service.exited, 0)
    assert.match(
      service.output(),
      new RegExp(`credentials of the first client: ${dataDir}/credentials\\.json`),
    )
    const secrets: string[] = [
      ...Object.values<string>(JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'))).slice(1),
      ...(readFileSync(join(dataDir, 'pgpass'), 'utf8').match(/[\w-]{43}/g) ?? []),
      ...(readFileSync(join(dataDir, 'encryption.key'), 'utf8').match(/[\w+/]{43}=/g) ?? []),
    ]
    assert.equal(secrets.length, 5)
    const log = readFileSync(join(dataDir, 'postgres.log'), 'utf8')
    for (const secret of secrets) assert.ok(!service.output().includes(secret) && !log.includes(secret))
    for (const name of ['credentials.json', 'pgpass', 'encryption.key'])
      assert.equal(statSync(join(dataDir, name)).mode & 0o777, 0o600, name)
  })

  it('loses no acknowledged write when it is killed three times during writes', {
    timeout: 220_000,
  }, async () => {
    const dataDir = join(root, 'killed')
    const acknowledged: string[] = []
    for (let round = 0; round < 3; round++) {
      const service = await launch({ DATA_DIR: dataDir })
      await ready(service)
      const token = await tokenOf(dataDir, service.port)
      const base = `http://127.0.0.1:${service.port}`
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      let writing = true
      const writers = Array.from({ length: 8 }, async (_, writer) => {
        for (let count = 0; writing; count++) {
          const number = `K-${round}-${writer}-${count}`
          const body = JSON.stringify({ primaryApplicant: { firstName: 'A', lastName: 'B' } })
          const url = `${base}/v2/applicant/employeenumber/${number}`
          const response = await fetch(url, { method: 'PUT', headers, body }).catch(() => undefined)
          if (response?.status === 201) acknowledged.push(number)
          if (!response) return
        }
      })
      const before = acknowledged.length
      while (acknowledged.length < before + 5) await sleep(5)
      await sleep(Math.random() * 100)
      service.child.kill('SIGKILL')
      await service.exited
      writing = false
      await Promise.all(writers)
    }
    const last = await launch({ DATA_DIR: dataDir })
    await ready(last)
    const headers = { authorization: `Bearer ${await tokenOf(dataDir, last.port)}` }
    for (const number of acknowledged) {
      const response = await fetch(`http://127.0.0.1:${last.port}/v2/applicant/employeenumber/${number}`, {
        headers,
      })
      assert.equal(response.status, 200, number)
      await response.arrayBuffer()
    }
    last.child.kill('SIGTERM')
    await last.exited
    assert.deepEqual(orphans(dataDir), [])
  })

  it('does not run requests that were aborted while it was paused', {
    timeout: 220_000,
  }, async () => {
    const dataDir = join(root, 'paused')
    const service = await launch({ DATA_DIR: dataDir })
    await ready(service)
    const { child, port } = service
    const authorization = `Bearer ${await tokenOf(dataDir, port)}`
    const path = '/v2/applicant/employeenumber/P-1'
    const bodyOf = (lastName: string) => JSON.stringify({ primaryApplicant: { firstName: 'Anna', lastName } })
    const headers = { authorization, 'content-type': 'application/json' }
    const first = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'PUT',
      headers,
      body: bodyOf('First'),
    })
    assert.equal(first.status, 201)
    const open = async () => {
      const socket = connect({ port, host: '127.0.0.1' })
      await once(socket, 'connect')
      return socket
    }
    const before = await open()
    child.kill('SIGSTOP')
    for (const socket of [before, await open()]) {
      const body = bodyOf('Late')
      const lines = [`PUT ${path} HTTP/1.1`, 'host: x', `authorization: ${authorization}`]
      const more = ['content-type: application/json', `content-length: ${body.length}`]
      socket.write(`${[...lines, ...more].join('\r\n')}\r\n\r\n${body}`)
      await sleep(100)
      socket.destroy()
    }
    await sleep(200)
    child.kill('SIGCONT')
    await sleep(1_000)
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
    assert.equal(((await response.json()) as { lastName: string }).lastName, 'First')
    child.kill('SIGTERM')
    assert.equal(await service.exited, 0)
  })

  it('finishes requests in flight when it is stopped', { timeout: 220_000 }, async () => {
    const dataDir = join(root, 'drained')
    const service = await launch({ DATA_DIR: dataDir })
    await ready(service)
    const headers = {
      authorization: `Bearer ${await tokenOf(dataDir, service.port)}`,
      'content-type': 'application/json',
    }
    const body = JSON.stringify({ primaryApplicant: { firstName: 'A', lastName: 'B' } })
    const sent = Array.from({ length: 40 }, () =>
      fetch(`http://127.0.0.1:${service.port}/v2/applicant`, { method: 'POST', headers, body }),
    )
    await sent[0]
    service.child.kill('SIGTERM')
    await expectFinished(sent)
    assert.equal(await service.exited, 0)
  })

  const responds = (port: number) =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => true,
      () => false,
    )

  /** Sends requests, stops the service while they are in flight, and checks how it ended. */
  const stopped = async (service: Started, dataDir: string, stop: (pid: number) => void) => {
    await ready(service)
    const headers = {
      authorization: `Bearer ${await tokenOf(dataDir, service.port)}`,
      'content-type': 'application/json',
    }
    const body = JSON.stringify({ primaryApplicant: { firstName: 'A', lastName: 'B' } })
    const sent = Array.from({ length: 40 }, () =>
      fetch(`http://127.0.0.1:${service.port}/v2/applicant`, { method: 'POST', headers, body }),
    )
    await sent[0]
    stop(service.child.pid ?? 0)
    await expectFinished(sent)
    await service.exited
    assert.equal(await responds(service.port), false, 'it still serves')
    assert.deepEqual(orphans(dataDir), [])
    assert.match(service.output(), /"stopped"/)
  }

  const ways: Record<string, (pid: number) => void> = {
    'SIGTERM is sent to the npm start process': pid => process.kill(pid, 'SIGTERM'),
    'SIGINT is sent to npm and the service at once, as Ctrl-C does': pid => process.kill(-pid, 'SIGINT'),
    'the npm start process is killed': pid => process.kill(pid, 'SIGKILL'),
  }
  for (const [how, stop] of Object.entries(ways))
    it(`drains and stops its database when ${how}`, { timeout: 220_000 }, async () => {
      const dataDir = join(root, how.replace(/\W/g, '-'))
      await stopped(await launchNpm({ DATA_DIR: dataDir, LOG_LEVEL: 'info' }), dataDir, stop)
    })

  it('prints why it cannot start, in one line without a stack', { timeout: 220_000 }, async () => {
    const fails = async (env: Record<string, string>, message: RegExp, args: string[] = []) => {
      const service = await launch({ DATA_DIR: join(root, 'faulty'), ...env }, args)
      assert.equal(await service.exited, 1)
      assert.match(service.output(), message)
      assert.doesNotMatch(service.output(), /^ {4}at /m)
    }
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as { port: number }
    await fails(
      { PORT: String(port) },
      /^Cannot listen on 127\.0\.0\.1:\d+: another program has this port\./m,
    )
    assert.ok(!existsSync(join(root, 'faulty')), 'a start that cannot listen has made something')
    taken.close()
    const file = join(root, 'a-file')
    writeFileSync(file, '')
    await fails({ DATA_DIR: file }, /^DATA_DIR .* not a folder/m)
    await fails({ PORT: 'x', TOKEN_TTL: '5' }, /^Bad setting PORT: .*\nBad setting TOKEN_TTL: /m)
    await fails({}, /^Unknown argument --nonsense/m, ['--nonsense'])
  })
})
