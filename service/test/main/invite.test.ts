// The links that the service prints, and the users of the demo, as an operator sees them.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../scripts/free-port.ts'
import { PROGRAM_ENV } from '../support/program-env.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')
const root = mkdtempSync(join(tmpdir(), 'caseport-invite-'))
const running = new Set<ChildProcess>()
after(() => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true, maxRetries: 20 })
})

async function launch(dataDir: string, port: number, args: string[] = []) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: root,
    env: { ...PROGRAM_ENV, LOG_LEVEL: 'warn', DATA_DIR: dataDir, PORT: String(port) },
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', data => {
      output += data
    })
  const exited = once(child, 'close').then(([code]) => {
    running.delete(child)
    return code as number | null
  })
  return { child, exited, output: () => output }
}

async function untilPrinted({ output, exited }: Awaited<ReturnType<typeof launch>>, pattern: RegExp) {
  let over = false
  void exited.then(() => {
    over = true
  })
  while (!pattern.test(output())) {
    if (over) throw new Error(`The service ended: ${output()}`)
    await sleep(20)
  }
}

const tokenIn = (output: string) => /sign-in\?invitation=([\w-]{43})/.exec(output)?.[1] ?? ''

async function send(port: number, path: string, body: object) {
  const response = await fetch(`http://localhost:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at any response.
  return { status: response.status, body: (await response.json()) as any }
}

describe('the service as a process', () => {
  it('prints a link for the first administrator, and invites others while it runs and while it does not', {
    timeout: 220_000,
  }, async () => {
    const dataDir = join(root, 'first')
    const port = await freePort()
    const first = await launch(dataDir, port)
    await untilPrinted(first, /--invite <email>/)
    assert.match(first.output(), new RegExp(`http://localhost:${port}/sign-in\\?invitation=`))
    const admin = {
      token: tokenIn(first.output()),
      email: 'ada@example.com',
      name: 'Ada Brandt',
      password: 'a bakery in the fog',
    }
    const accepted = await send(port, '/auth/v1/invitation', admin)
    assert.deepEqual([accepted.status, accepted.body.user?.roles], [201, ['admin']])
    assert.equal((await send(port, '/auth/v1/invitation', admin)).body.code, 'invitation-invalid')

    const beside = await launch(dataDir, port, ['--invite', 'zoe@example.com'])
    assert.equal(await beside.exited, 0, beside.output())
    const zoe = { token: tokenIn(beside.output()), name: 'Zoe', password: 'seven umbrellas on Tuesday' }
    assert.equal((await send(port, '/auth/v1/invitation', zoe)).status, 201)
    const wrong = await launch(dataDir, port, ['--invite', 'zoe'])
    assert.equal(await wrong.exited, 1)
    assert.match(wrong.output(), /^--invite: expected an e-mail address/)

    first.child.kill('SIGTERM')
    assert.equal(await first.exited, 0)
    const alone = await launch(dataDir, port, ['--invite', 'ada@example.com'])
    assert.equal(await alone.exited, 0, alone.output())
    const again = await launch(dataDir, port)
    await untilPrinted(again, /listens on/)
    const back = { token: tokenIn(alone.output()), password: 'nine lamps and a ladder' }
    const returned = await send(port, '/auth/v1/invitation', back)
    assert.deepEqual([returned.status, returned.body.user?.email], [201, 'ada@example.com'])
    assert.equal(tokenIn(again.output()), '')
    again.child.kill('SIGTERM')
    assert.equal(await again.exited, 0)
  })

  it('invites the first person before the first start', { timeout: 120_000 }, async () => {
    const invited = await launch(join(root, 'new'), await freePort(), ['--invite', 'ada@example.com'])
    assert.equal(await invited.exited, 0, invited.output())
    assert.notEqual(tokenIn(invited.output()), '')
  })

  it('makes the users of the demo with --demo, with passwords in a private file and nowhere else', {
    timeout: 220_000,
  }, async () => {
    const dataDir = join(root, 'demo')
    const port = await freePort()
    const demo = await launch(dataDir, port, ['--demo'])
    await untilPrinted(demo, /hr@demo\.example/)
    const file = join(dataDir, 'credentials.json')
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const stored = JSON.parse(readFileSync(file, 'utf8'))
    assert.ok(stored.clientId && stored.clientSecret)
    assert.deepEqual(
      stored.users.map(({ role }: { role: string }) => role),
      ['viewer', 'case-manager', 'auditor', 'admin', 'case-manager'],
    )
    for (const { email, password, role } of stored.users) {
      const signedIn = await send(port, '/auth/v1/session', { email, password })
      assert.deepEqual([signedIn.status, signedIn.body.user?.roles], [201, [role]])
      // Not a terminal: the output may end in a journal.
      assert.ok(!demo.output().includes(password))
    }
    demo.child.kill('SIGTERM')
    assert.equal(await demo.exited, 0)
    const again = await launch(dataDir, port, ['--demo'])
    await untilPrinted(again, /hr@demo\.example/)
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), stored)
    again.child.kill('SIGTERM')
    assert.equal(await again.exited, 0)
  })
})
