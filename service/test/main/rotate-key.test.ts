// `npm run rotate-key` as a process, on the embedded database of a service that runs.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { freePort } from '../../../scripts/free-port.ts'
import { totpCode } from '../../../scripts/totp-code.ts'
import { connectionsOf } from '../../src/embedded-postgres/connections.ts'
import { readKeyFile } from '../../src/lib/key-file.ts'
import { startSink } from '../events/webhook-sink.ts'
import { createExternalPostgres, type ExternalPostgres } from '../support/external-postgres.ts'
import { PROGRAM_ENV } from '../support/program-env.ts'

const SOURCE = join(import.meta.dirname, '../../src')
const root = mkdtempSync(join(tmpdir(), 'caseport-rotate-'))
const running = new Set<ChildProcess>()
const servers: ExternalPostgres[] = []
after(async () => {
  for (const child of running) child.kill('SIGKILL')
  for (const server of servers) await server.kill()
  rmSync(root, { recursive: true, force: true, maxRetries: 20 })
})

function run(file: string, env: Record<string, string>, args: string[] = []) {
  const child = spawn(process.execPath, [join(SOURCE, file), ...args], {
    cwd: root,
    env: { ...PROGRAM_ENV, LOG_LEVEL: 'warn', ...env },
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
  return { child, exited, output: () => output }
}

async function startService(env: Record<string, string>) {
  const port = await freePort()
  const service = run('main.ts', { ...env, PORT: String(port), WEBHOOK_ALLOW_PRIVATE: 'on' })
  const url = `http://127.0.0.1:${port}`
  let over = false
  void service.exited.then(() => {
    over = true
  })
  for (;;) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined)
    if (response?.ok) break
    if (over) throw new Error(`The service ended: ${service.output()}`)
    await sleep(20)
  }
  return {
    url,
    async stop() {
      service.child.kill('SIGTERM')
      assert.equal(await service.exited, 0)
    },
  }
}

/** Runs the command and returns its output; it must end with this status. */
async function rotateKey(env: Record<string, string>, args: string[] = [], status = 0): Promise<string> {
  const { exited, output } = run('rotate-key.cli.ts', env, args)
  assert.equal(await exited, status, output())
  return output()
}

const tokenOf = (dataDir: string, url: string): Promise<string> =>
  tokenFor(url, JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')))

async function tokenFor(
  url: string,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): Promise<string> {
  const response = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    }),
  })
  return ((await response.json()) as { access_token: string }).access_token
}

const callerOf = (url: string, token: string) => async (method: string, path: string, body?: object) => {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`)
  return text ? JSON.parse(text) : undefined
}

const idsIn = (file: string) => readKeyFile(file).map(({ id }) => id)

/** The command keeps an old key for two minutes after the file was changed. */
const letGracePass = (file: string) => utimesSync(file, new Date(), new Date(Date.now() - 121_000))

describe('npm run rotate-key', () => {
  it('rotates while a service runs: tokens, cursors and webhook signatures stay valid', {
    timeout: 220_000,
  }, async () => {
    const dataDir = join(root, 'running')
    const file = join(dataDir, 'encryption.key')
    const env = { DATA_DIR: dataDir }
    let service = await startService(env)
    const token = await tokenOf(dataDir, service.url)
    let call = callerOf(service.url, token)
    const sink = await startSink()
    const { secret } = await call('POST', '/admin/v1/webhooks', { url: sink.url })
    const [first] = idsIn(file)

    assert.match(await rotateKey(env, ['--finish']), /one key; there is nothing to remove/)
    assert.match(await rotateKey(env), /3 secrets were sealed with the current key/)
    const [second, ...others] = idsIn(file)
    assert.notEqual(second, first)
    assert.deepEqual(others, [first])
    assert.equal(statSync(file).mode & 0o777, 0o600)

    /** The service opens what is sealed with the new key, without a restart. */
    const isDelivered = async () => {
      const before = sink.received.length
      await call('POST', '/admin/v1/companies', {
        name: `Company ${before}`,
        code: `C${before}`,
        country: 'DE',
      })
      await call('POST', '/v2/applicant', { primaryApplicant: { firstName: 'A', lastName: 'B' } })
      for (let tries = 0; sink.received.length === before && tries < 500; tries++) await sleep(20)
      const { headers, text } = sink.received.at(-1) ?? assert.fail('nothing was delivered')
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
      const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
      const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
      assert.equal(headers['webhook-signature'], expected)
    }
    await isDelivered()

    assert.match(await rotateKey(env, ['--finish'], 1), /Run this again in 1\d\d seconds/)
    assert.equal(idsIn(file).length, 2)
    // What the service stores now is sealed with the new key.
    await call('POST', '/admin/v1/webhooks', { url: sink.url, active: false })
    letGracePass(file)
    assert.match(await rotateKey(env, ['--finish']), /0 secrets were sealed .*\n.*the only one/)
    assert.deepEqual(idsIn(file), [second])
    await isDelivered()
    await service.stop()

    service = await startService(env)
    call = callerOf(service.url, token)
    await isDelivered()
    await service.stop()
    // Without a service, the command starts the database itself.
    assert.match(await rotateKey(env), /4 secrets were sealed with the current key/)
  })

  it('adds a key without using it, and makes that one the current one later', {
    timeout: 220_000,
  }, async () => {
    const dataDir = join(root, 'added')
    const file = join(dataDir, 'encryption.key')
    const env = { DATA_DIR: dataDir }
    const service = await startService(env)
    const [first] = idsIn(file)
    await rotateKey(env, ['--add'])
    const [current, added] = idsIn(file)
    assert.equal(current, first)
    assert.match(await rotateKey(env, ['--finish'], 1), /newest key is not in use yet/)
    await rotateKey(env)
    assert.deepEqual(idsIn(file), [added, first])
    // An interrupted rotation is continued: no third key is made.
    await rotateKey(env)
    assert.deepEqual(idsIn(file), [added, first])
    await service.stop()
  })

  it('leaves a state that works wherever it is killed', { timeout: 220_000 }, async () => {
    const dataDir = join(root, 'killed')
    const file = join(dataDir, 'encryption.key')
    const env = { DATA_DIR: dataDir }
    const service = await startService(env)
    const token = await tokenOf(dataDir, service.url)
    const call = callerOf(service.url, token)
    const sql = postgres({ ...connectionsOf(dataDir).owner, max: 1, onnotice: () => {} })
    await sql`
      insert into webhooks (webhook_id, url, description, event_types, secret, active, created_at, updated_at)
      select 'w-' || n, 'https://receiver.example', '', '{}', 'whsec_' || n, false, now(), now()
      from generate_series(1, 2000) n`
    await rotateKey(env)
    letGracePass(file)
    await rotateKey(env, ['--finish'])

    let interrupted = 0
    for (let round = 0; round < 4; round++) {
      const { child, exited } = run('rotate-key.cli.ts', env)
      const began = idsIn(file).length
      // From the change of the file on, at another moment of the sealing each time.
      while (idsIn(file).length === began && child.exitCode === null) await sleep(1)
      await sleep(round * 40)
      child.kill('SIGKILL')
      if ((await exited) === null) interrupted += 1
      const used = await sql<{ id: string }[]>`
        select distinct split_part(secret, ':', 3) as id from webhooks where starts_with(secret, 'sealed:')`
      for (const { id } of used) assert.ok(idsIn(file).includes(id), `the key ${id} is lost`)
      await call('GET', '/v2/applicant/health')
      await rotateKey(env)
      letGracePass(file)
      await rotateKey(env, ['--finish'])
      assert.equal(idsIn(file).length, 1)
    }
    assert.ok(interrupted > 0, 'the command always ended before it was killed')
    await sql.end()
    await service.stop()
    await (await startService(env)).stop()
  })

  it('makes a missing ENCRYPTION_KEY_FILE, but not where sealed secrets depend on another one', {
    timeout: 220_000,
  }, async () => {
    const dataDir = join(root, 'missing')
    const own = join(root, 'own.key')
    const env = { DATA_DIR: dataDir, ENCRYPTION_KEY_FILE: own }
    const without = run('main.ts', { ...env, PORT: String(await freePort()) })
    assert.equal(await without.exited, 1)
    assert.match(without.output(), new RegExp(`^ENCRYPTION_KEY_FILE ${own} does not exist`, 'm'))
    assert.match(await rotateKey(env), /was made/)
    await (await startService(env)).stop()
    copyFileSync(own, `${own}.kept`)
    rmSync(own)
    assert.match(await rotateKey(env, [], 1), /Restore the file from its backup/)
    assert.match(await rotateKey(env, ['--nonsense'], 1), /There are: --add, --finish, --lost/)
    assert.match(
      await rotateKey({ DATA_DIR: dataDir, DATABASE_URL: 'postgres://x/y' }, [], 1),
      /Set ENCRYPTION_KEY_FILE/,
    )
  })

  for (const kind of ['embedded', 'external'])
    it(`deletes what a lost key has sealed, on an ${kind} database, and says who is concerned`, {
      timeout: 220_000,
    }, async () => {
      const dataDir = join(root, `lost-${kind}`)
      const file = kind === 'embedded' ? join(dataDir, 'encryption.key') : join(root, 'lost.key')
      const env: Record<string, string> = {
        DATA_DIR: dataDir,
        BOOTSTRAP_CLIENT_ID: 'first',
        BOOTSTRAP_CLIENT_SECRET: 'the secret of the first client',
      }
      if (kind === 'external') {
        const server = await createExternalPostgres({ folder: join(root, 'server') })
        servers.push(server)
        Object.assign(env, { DATABASE_URL: server.url, ENCRYPTION_KEY_FILE: file })
        assert.equal(await run('main.ts', env, ['migrate']).exited, 0)
        await rotateKey(env)
      }
      let service = await startService(env)
      const bootstrap = { clientId: 'first', clientSecret: 'the secret of the first client' }
      let call = callerOf(service.url, await tokenFor(service.url, bootstrap))
      const { webhookId } = await call('POST', '/admin/v1/webhooks', { url: 'https://receiver.example' })
      const email = `ruth@${kind}.example`
      const password = 'a bakery in the fog'
      await enrolTotp(
        service.url,
        await call('POST', '/admin/v1/users', {
          email,
          name: 'Ruth Okafor',
          roles: ['viewer'],
        }),
        password,
      )
      const signIn = () =>
        fetch(`${service.url}/auth/v1/session`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email, password }),
        })
      assert.equal((await signIn()).status, 200, 'a second factor is asked for')
      await service.stop()

      rmSync(file)
      const without = run('main.ts', { ...env, PORT: String(await freePort()) })
      assert.equal(await without.exited, 1)
      assert.match(without.output(), /rotate-key -- --lost|does not exist/)
      const shown = await rotateKey(env, ['--lost'], 1)
      assert.match(
        shown,
        new RegExp(`1 authenticator apps .* 1 people .*: ${email.replaceAll('.', '\\.')}$`, 'm'),
      )
      assert.match(shown, new RegExp(`1 secrets of webhooks.*${webhookId}`))
      assert.match(shown, /^Nothing was changed\./m)
      assert.match(await rotateKey(env, ['--lost'], 1), /^1 authenticator apps/m)
      const deleted = await rotateKey(env, ['--lost', '--confirm'])
      assert.match(deleted, /All of these were deleted.*\n.*was made/)

      service = await startService(env)
      assert.equal((await signIn()).status, 201, 'the password alone')
      call = callerOf(service.url, await tokenFor(service.url, bootstrap))
      const webhook = await call('GET', `/admin/v1/webhooks/${webhookId}`)
      assert.deepEqual([webhook.active, webhook.disabledReason], [false, 'secret-lost'])
      const day = new Date().toISOString().slice(0, 10)
      const { records } = await call(
        'GET',
        `/admin/v1/audit?startDate=${day}&endDate=${day}&clientId=operator`,
      )
      const actions = records.map(({ action }: { action: string }) => action)
      for (const action of ['key.lost', 'user.remove_totp', 'webhook.rotate_secret'])
        assert.ok(actions.includes(action), action)
      await service.stop()
      assert.match(await rotateKey(env, ['--lost']), /Nothing in the database is sealed with a lost key/)
    })
})

/** Accepts the invitation and sets up an authenticator app. */
async function enrolTotp(url: string, { invitation }: { invitation: { url: string } }, password: string) {
  let cookie = ''
  const post = async (path: string, body: object) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url, cookie },
      body: JSON.stringify(body),
    })
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie
    const text = await response.text()
    assert.ok(response.ok, `${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }
  const token = new URL(invitation.url).searchParams.get('invitation')
  await post('/auth/v1/invitation', { token, password })
  const { secret } = await post('/auth/v1/totp', {})
  const { recoveryCodes } = await post('/auth/v1/totp/confirm', { code: totpCode(secret) })
  assert.equal(recoveryCodes.length, 10)
}
