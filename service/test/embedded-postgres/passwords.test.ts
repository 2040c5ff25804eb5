// The accounts of the embedded PostgreSQL: every connection needs a password, also on data of an earlier release, and
// whenever the conversion of that was interrupted.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import type { SocketConnection } from '../../src/db/database.ts'
import { connectionsOf } from '../../src/embedded-postgres/connections.ts'
import { type EmbeddedPostgres, startEmbedded } from '../../src/embedded-postgres/embedded.ts'

const root = mkdtempSync(join(tmpdir(), 'caseport-passwords-'))
const started = new Set<EmbeddedPostgres>()
after(async () => {
  await Promise.all([...started].map(({ stop }) => stop()))
  rmSync(root, { recursive: true, force: true, maxRetries: 20 })
})

const log = { debug() {}, info() {}, warn() {}, error() {} }
let count = 0
const newDataDir = () => join(root, `data-${++count}`)

async function start(dataDir: string): Promise<EmbeddedPostgres> {
  const embedded = await startEmbedded({ dataDir, log, durable: false })
  started.add(embedded)
  return embedded
}

async function stop(embedded: EmbeddedPostgres): Promise<void> {
  started.delete(embedded)
  await embedded.stop()
}

async function query(connection: SocketConnection, text: string): Promise<Record<string, unknown>[]> {
  const sql = postgres({ ...connection, max: 1, fetch_types: false, onnotice: () => {} })
  try {
    return [...(await sql.unsafe(text))]
  } finally {
    await sql.end()
  }
}

/** The DATA_DIR of an earlier release: no passwords, no account for the service, and a socket that trusts everyone. */
let earlier: string

before(async () => {
  earlier = newDataDir()
  const embedded = await start(earlier)
  await query(
    embedded.owner,
    `create table kept (id int); insert into kept select generate_series(1, 1000);
      drop role caseport_service; alter role caseport password null`,
  )
  await stop(embedded)
  const pgData = join(earlier, 'postgres')
  writeFileSync(join(pgData, 'pg_hba.conf'), 'local all all trust\n')
  rmSync(join(earlier, 'pgpass'))
  rmSync(join(pgData, 'caseport_hba.conf'))
})

function copyOfEarlier(): string {
  const dataDir = newDataDir()
  assert.equal(spawnSync('cp', ['-a', earlier, dataDir]).status, 0)
  return dataDir
}

/** Both accounts work with their passwords alone, and the data is there. */
async function expectConverted(dataDir: string, embedded: EmbeddedPostgres): Promise<void> {
  const rows = 'select count(*)::int as rows, current_user as user from kept'
  assert.deepEqual(await query(embedded.owner, rows), [{ rows: 1000, user: 'caseport' }])
  await query(embedded.owner, 'grant select on kept to caseport_service')
  assert.deepEqual(await query(embedded.service, rows), [{ rows: 1000, user: 'caseport_service' }])
  const isRejected = (error: unknown) => ['28P01', '28000'].includes((error as { code: string }).code)
  for (const connection of [embedded.owner, embedded.service])
    for (const password of ['', 'wrong'])
      await assert.rejects(query({ ...connection, password }, 'select 1'), isRejected)
  assert.equal(statSync(join(dataDir, 'pgpass')).mode & 0o777, 0o600)
  const methods = await query(embedded.owner, 'select distinct auth_method as method from pg_hba_file_rules')
  assert.deepEqual(methods, [{ method: 'scram-sha-256' }])
  const verifiers = await query(
    embedded.owner,
    "select rolname as name from pg_authid where rolpassword like 'SCRAM-SHA-256$%' order by 1",
  )
  assert.deepEqual(verifiers, [{ name: 'caseport' }, { name: 'caseport_service' }])
  // Another process on this machine gets the same connections from the files.
  assert.deepEqual(await query(connectionsOf(dataDir).service, rows), [
    { rows: 1000, user: 'caseport_service' },
  ])
}

describe('the accounts of the embedded PostgreSQL', () => {
  it('have random passwords in a file for the owner only, which the next start uses again', {
    timeout: 220_000,
  }, async () => {
    const dataDir = newDataDir()
    const first = await start(dataDir)
    await query(first.owner, 'create table kept as select generate_series(1, 1000) as id')
    await expectConverted(dataDir, first)
    await stop(first)
    const file = readFileSync(join(dataDir, 'pgpass'), 'utf8')
    assert.match(file, /^\*:\*:\*:caseport:[\w-]{43}\n\*:\*:\*:caseport_service:[\w-]{43}$/m)
    assert.notEqual(first.owner.password, first.service.password)
    const second = await start(dataDir)
    await expectConverted(dataDir, second)
    assert.equal(readFileSync(join(dataDir, 'pgpass'), 'utf8'), file)
    await stop(second)
    const conf = readFileSync(join(dataDir, 'postgres', 'pg_hba.conf'), 'utf8')
    assert.doesNotMatch(conf, /^[^#]*trust/m)
    const log = readFileSync(join(dataDir, 'postgres.log'), 'utf8')
    assert.ok(!log.includes(String(first.owner.password)))
  })

  it('are made on data of an earlier release, which is kept', { timeout: 220_000 }, async () => {
    const dataDir = copyOfEarlier()
    const embedded = await start(dataDir)
    await expectConverted(dataDir, embedded)
    await stop(embedded)
  })

  it('are made again where the file is missing, and a damaged or foreign file is reported', {
    timeout: 220_000,
  }, async () => {
    const dataDir = copyOfEarlier()
    await stop(await start(dataDir))
    const file = join(dataDir, 'pgpass')
    const old = readFileSync(file, 'utf8')
    rmSync(file)
    const embedded = await start(dataDir)
    await expectConverted(dataDir, embedded)
    await stop(embedded)
    assert.notEqual(readFileSync(file, 'utf8'), old)

    writeFileSync(file, old)
    await assert.rejects(start(dataDir), /pgpass are not those of its database\. Remove that file/)
    writeFileSync(file, 'nonsense')
    await assert.rejects(start(dataDir), /pgpass is damaged\. Remove it/)
    rmSync(file)
    const again = await start(dataDir)
    await expectConverted(dataDir, again)
    await stop(again)
  })

  it('are completed when the conversion was interrupted between any two steps', {
    timeout: 220_000,
  }, async () => {
    const done = copyOfEarlier()
    await stop(await start(done))
    const steps: Record<string, (dataDir: string) => void> = {
      'the password file is half written': dataDir =>
        writeFileSync(join(dataDir, 'pgpass.new'), '*:*:*:case'),
      'the accounts have no passwords yet': dataDir =>
        spawnSync('cp', ['-a', join(done, 'pgpass'), join(dataDir, 'pgpass')]),
      'the rules are half written': dataDir => {
        spawnSync('cp', ['-a', join(done, 'pgpass'), join(dataDir, 'pgpass')])
        writeFileSync(join(dataDir, 'postgres', 'caseport_hba.conf.new'), 'local all')
      },
    }
    for (const [name, interrupt] of Object.entries(steps)) {
      const dataDir = copyOfEarlier()
      interrupt(dataDir)
      const embedded = await start(dataDir)
      await expectConverted(dataDir, embedded).catch(error => {
        throw new Error(`where ${name}`, { cause: error })
      })
      await stop(embedded)
    }
    const converted = join(done, 'postgres', 'caseport_hba.conf')
    rmSync(converted)
    const embedded = await start(done)
    await expectConverted(done, embedded)
    await stop(embedded)
  })

  it('are completed when the service was killed at any moment of the conversion', {
    timeout: 220_000,
  }, async () => {
    const script = `
      const { startEmbedded } = await import(${JSON.stringify(import.meta.resolve('../../src/embedded-postgres/embedded.ts'))})
      const log = { debug() {}, info() {}, warn() {}, error() {} }
      console.log('begun')
      await startEmbedded({ dataDir: process.argv[1], log, durable: false })
      console.log('converted')
      setInterval(() => {}, 1000)`
    const moments = { before: 0, during: 0, after: 0 }
    for (let round = 0; round < 8; round++) {
      const dataDir = copyOfEarlier()
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(child.stdout, 'data')
      await sleep(round * 40)
      child.kill('SIGKILL')
      await once(child, 'exit')
      const hasPasswords = existsSync(join(dataDir, 'pgpass'))
      const hasRules = existsSync(join(dataDir, 'postgres', 'caseport_hba.conf'))
      moments[hasRules ? 'after' : hasPasswords ? 'during' : 'before'] += 1
      const embedded = await start(dataDir)
      await expectConverted(dataDir, embedded)
      await stop(embedded)
      assert.deepEqual(
        readdirSync(dataDir).filter(name => name.startsWith('pgpass')),
        ['pgpass'],
      )
    }
    assert.ok(moments.during > 0, `no kill came in the middle: ${JSON.stringify(moments)}`)
  })
})
