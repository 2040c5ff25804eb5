// The embedded PostgreSQL with real processes: start, kill, recovery, stop. Each test removes its processes and directories,
// also when it fails.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, suite, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import {
  type EmbeddedOptions,
  type EmbeddedPostgres,
  startEmbedded,
} from '../../src/embedded-postgres/embedded.ts'
import { processesIn, readPostmasterFile } from '../../src/embedded-postgres/orphans.ts'
import { StartError } from '../../src/lib/problem.ts'

const isRoot = process.getuid?.() === 0
const onlyRoot = isRoot ? false : 'only root can run PostgreSQL as another user'
const onlyLinux = process.platform === 'linux' ? false : 'looks into /proc'
const NOBODY = 65534

const CHILD = `
const [embedded, driver, dataDir, mode] = process.argv.slice(1)
const { startEmbedded } = await import(embedded)
const { default: postgres } = await import(driver)
const log = { debug() {}, info() {}, warn() {}, error() {} }
const { owner, stop } = await startEmbedded({ dataDir, log })
const sql = postgres({ ...owner, max: 1, fetch_types: false, onnotice: () => {} })
await sql\`create table if not exists kept (id int primary key)\`
console.log('ready')
for (let id = 1; mode === 'insert'; id++) {
  await sql\`insert into kept values (\${id})\`
  console.log(id)
}
if (mode === 'wait') setInterval(() => {}, 1000)
if (mode === 'stop' || mode === 'leave') await sql.end()
if (mode === 'stop') await stop()
`

interface Fixture {
  root: string
  dataDir: string
  pgData: string
  logged: { level: string; message: string }[]
  start(options?: Partial<EmbeddedOptions>): Promise<EmbeddedPostgres>
  run(mode: string, uid?: number): ChildProcess
}

function createFixture(t: TestContext, below = 'data'): Fixture {
  const root = mkdtempSync(join(tmpdir(), 'caseport-embedded-'))
  const dataDir = join(root, below)
  const pgData = join(dataDir, 'postgres')
  const started: EmbeddedPostgres[] = []
  const children: ChildProcess[] = []
  const logged: Fixture['logged'] = []
  const note = (level: string) => (_fields: object, message: string) => void logged.push({ level, message })
  const log = { debug() {}, info: note('info'), warn: note('warn'), error: note('error') }

  t.after(async () => {
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(started.map(({ stop }) => stop()))
    await until(() => serversIn(pgData).length === 0)
    rmSync(root, { recursive: true, force: true })
  })
  return {
    root,
    dataDir,
    pgData,
    logged,
    async start(options = {}) {
      const embedded = await startEmbedded({ dataDir, log, durable: false, ...options })
      started.push(embedded)
      return embedded
    },
    run(mode, uid) {
      const modules = [
        import.meta.resolve('../../src/embedded-postgres/embedded.ts'),
        import.meta.resolve('postgres'),
      ]
      const child = spawn(process.execPath, ['--input-type=module', '-e', CHILD, ...modules, dataDir, mode], {
        cwd: '/',
        stdio: ['ignore', 'pipe', 'inherit'],
        ...(uid !== undefined && { uid, gid: uid }),
      })
      children.push(child)
      return child
    },
  }
}

async function query(embedded: EmbeddedPostgres, text: string) {
  const sql = postgres({ ...embedded.owner, max: 1, fetch_types: false, onnotice: () => {} })
  try {
    return await sql.unsafe(text)
  } finally {
    await sql.end()
  }
}

async function until(condition: () => boolean | Promise<boolean>, ms = 10_000): Promise<void> {
  for (const end = Date.now() + ms; !(await condition()); await sleep(20))
    assert.ok(Date.now() < end, `not within ${ms} ms: ${condition}`)
}

function serversIn(pgData: string): number[] {
  return existsSync(pgData) && !onlyLinux ? processesIn(pgData) : []
}

function postmasterOf(fixture: Fixture): number {
  const { pid } = readPostmasterFile(fixture.pgData)
  assert.ok(pid)
  return pid
}

function findWatchdog(postmaster: number): number | undefined {
  const pids = readdirSync('/proc')
    .map(Number)
    .filter(pid => pid > 0)
  return pids.find(pid => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').endsWith(`\0caseport-watchdog\0${postmaster}\0`)
    } catch {
      return false
    }
  })
}

function watchdogOf(postmaster: number): number {
  const pid = findWatchdog(postmaster)
  assert.ok(pid)
  return pid
}

async function linesUntil(child: ChildProcess, isLast: (line: string) => boolean): Promise<string[]> {
  assert.ok(child.stdout)
  const lines: string[] = []
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    if (isLast(line)) return lines
  }
  throw new Error(`the child ended after: ${lines.join(' ')}`)
}

function ended(child: ChildProcess): Promise<unknown> {
  return child.exitCode === null && child.signalCode === null
    ? new Promise(resolve => child.once('exit', resolve))
    : Promise.resolve()
}

function failsWith(pattern: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof StartError, String(error))
    assert.match(error.message, pattern)
    assert.doesNotMatch(error.message, /\n/)
    return true
  }
}

suite('embedded PostgreSQL', { timeout: 220_000 }, () => {
  let ready: string

  before(async () => {
    ready = mkdtempSync(join(tmpdir(), 'caseport-embedded-'))
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const embedded = await startEmbedded({ dataDir: ready, log, durable: false })
    await query(embedded, 'create table kept (id int primary key); insert into kept values (0)')
    await embedded.stop()
  })
  after(() => rmSync(ready, { recursive: true, force: true }))

  /** A DATA_DIR with a copy of a database, which is faster than initdb. */
  function createUsedFixture(t: TestContext, below?: string): Fixture {
    const fixture = createFixture(t, below)
    mkdirSync(dirname(fixture.dataDir), { recursive: true })
    assert.equal(spawnSync('cp', ['-a', ready, fixture.dataDir]).status, 0)
    return fixture
  }

  test('starts in an empty directory, and keeps the data for the next start', async t => {
    const fixture = createFixture(t)
    const first = await fixture.start({ durable: true })
    assert.equal(lstatSync(fixture.dataDir).mode & 0o777, 0o700)
    assert.equal(lstatSync(fixture.pgData).mode & 0o777, 0o700)
    if (isRoot) assert.notEqual(lstatSync(fixture.pgData).uid, 0)
    await query(first, 'create table t as select 42 as n')
    const settings = ['listen_addresses', 'fsync', 'data_checksums', 'max_connections', 'timezone']
    const [row] = await query(
      first,
      `select ${settings.map(name => `current_setting('${name}') as ${name}`)}`,
    )
    assert.deepEqual(row, {
      listen_addresses: '',
      fsync: 'on',
      data_checksums: 'on',
      max_connections: '60',
      timezone: 'UTC',
    })
    await first.stop()
    await first.stop()
    assert.deepEqual(serversIn(fixture.pgData), [])

    const second = await fixture.start()
    assert.deepEqual([...(await query(second, 'select n from t'))], [{ n: 42 }])
    assert.deepEqual(fixture.logged, [])
  })

  test('an operator’s settings override the tuning, but not the settings that the service relies on', async t => {
    const fixture = createUsedFixture(t)
    const own = "work_mem = '5MB'\nlisten_addresses = '*'\n"
    writeFileSync(join(fixture.pgData, 'postgresql.auto.conf'), own)
    const embedded = await fixture.start({ settings: { autovacuum_naptime: '7s' } })
    const names = "'work_mem', 'listen_addresses', 'autovacuum_naptime'"
    const rows = await query(
      embedded,
      `select name, setting from pg_settings where name in (${names}) order by name`,
    )
    assert.deepEqual(
      rows.map(({ name, setting }) => `${name}=${setting}`),
      ['autovacuum_naptime=7', 'listen_addresses=', 'work_mem=5120'],
    )
  })

  test('works in a DATA_DIR of 150 characters', async t => {
    const fixture = createUsedFixture(t, join('a'.repeat(75), 'b'.repeat(75)))
    assert.equal((await query(await fixture.start(), 'select 1')).length, 1)
  })

  test('works as root below a directory that only root has access to', { skip: onlyRoot }, async t => {
    const fixture = createFixture(t, 'closed/data')
    mkdirSync(dirname(fixture.dataDir), { mode: 0o700 })
    assert.equal((await query(await fixture.start(), 'select 1')).length, 1)
    const { uid } = statSync(`/proc/${postmasterOf(fixture)}`)
    assert.notEqual(uid, 0)
    assert.equal(uid, statSync(fixture.pgData).uid)
  })

  test('starts on a data directory that root has restored', { skip: onlyRoot }, async t => {
    const fixture = createUsedFixture(t)
    spawnSync('chown', ['-R', '0:0', fixture.pgData])
    assert.equal((await query(await fixture.start(), 'select from kept')).length, 1)
    assert.notEqual(statSync(join(fixture.pgData, 'base')).uid, 0)
  })

  test('works as an ordinary user', { skip: onlyRoot }, async t => {
    const fixture = createFixture(t)
    chmodSync(fixture.root, 0o711)
    mkdirSync(fixture.dataDir, { mode: 0o700 })
    chownSync(fixture.dataDir, NOBODY, NOBODY)
    const reachable = spawnSync(process.execPath, ['-e', ''], { cwd: '/', uid: NOBODY, gid: NOBODY })
    if (reachable.status !== 0) return t.skip('the checkout is closed to other users')
    const child = fixture.run('stop', NOBODY)
    await ended(child)
    assert.equal(child.exitCode, 0)
    assert.equal(statSync(fixture.pgData).uid, NOBODY)
  })

  suite('the package with the binaries', () => {
    function copyPackage(fixture: Fixture): string {
      const name = `@embedded-postgres/${process.platform}-${process.arch}`
      const original = dirname(dirname(fileURLToPath(import.meta.resolve(name))))
      const packageDir = join(fixture.root, 'package')
      spawnSync('cp', ['-a', original, packageDir])
      const lib = join(packageDir, 'native/lib')
      for (const entry of readdirSync(lib, { withFileTypes: true }))
        if (entry.isSymbolicLink()) rmSync(join(lib, entry.name))
      return packageDir
    }

    test('gets the symbolic links that its install script did not create', async t => {
      const fixture = createUsedFixture(t)
      chmodSync(fixture.root, 0o755)
      const packageDir = copyPackage(fixture)
      await fixture.start({ internals: { packageDir, copiesDir: '/proc/none' } })
      const links = JSON.parse(readFileSync(join(packageDir, 'native/pg-symlinks.json'), 'utf8'))
      assert.ok(links.length > 0)
      for (const { target } of links) assert.ok(existsSync(join(packageDir, target)), target)
    })

    test('is copied when the user of PostgreSQL has no access to it', { skip: onlyRoot }, async t => {
      const fixture = createUsedFixture(t)
      chmodSync(fixture.root, 0o755)
      const packageDir = copyPackage(fixture)
      chmodSync(packageDir, 0o700)
      const copiesDir = join(fixture.root, 'copies')
      const internals = { packageDir, copiesDir }
      mkdirSync(copiesDir)
      const { version } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8'))
      const copy = join(copiesDir, `postgresql-${version}-${process.arch}`)
      mkdirSync(join(`${copy}.new-999999999`, 'unfinished'), { recursive: true })

      await (await fixture.start({ internals })).stop()
      const { ino, uid, mode } = statSync(copy)
      assert.deepEqual([uid, mode & 0o777], [0, 0o755])
      assert.equal(readdirSync(copiesDir).length, 1)

      await (await fixture.start({ internals })).stop()
      assert.equal(statSync(copy).ino, ino)

      chmodSync(copy, 0o777)
      await assert.rejects(fixture.start({ internals }), failsWith(/can be written to by others/))
    })
  })

  suite('one service per DATA_DIR', () => {
    test('a second one fails with the pid of the first', { skip: onlyLinux }, async t => {
      const fixture = createUsedFixture(t)
      const child = fixture.run('wait')
      await linesUntil(child, line => line === 'ready')
      await assert.rejects(
        fixture.start(),
        failsWith(new RegExp(`in use by another Caseport \\(pid ${child.pid}\\)`)),
      )
      const files = readdirSync(`/proc/${postmasterOf(fixture)}/fd`).map(fd => {
        return readlinkSync(`/proc/${postmasterOf(fixture)}/fd/${fd}`)
      })
      assert.ok(!files.includes(join(fixture.dataDir, 'lock')), 'PostgreSQL has inherited the lock')
    })

    test('waits for a lock that a killed service has left to its command for a moment', {
      skip: onlyLinux,
    }, async t => {
      const fixture = createUsedFixture(t)
      const holder = spawn('flock', [join(fixture.dataDir, 'lock'), 'sh', '-c', 'echo locked; sleep 0.2'])
      await once(holder.stdout, 'data')
      await fixture.start()
      assert.equal(holder.exitCode, 0)
    })

    test('the lock is released after a stop, and after a failed start', async t => {
      const fixture = createUsedFixture(t)
      await assert.rejects(
        fixture.start({ settings: { shared_buffers: 'many' } }),
        failsWith(/shared_buffers/),
      )
      await (await fixture.start()).stop()
      await fixture.start()
    })
  })

  suite('when something is killed', { skip: onlyLinux }, () => {
    test('kill -9 of the service stops PostgreSQL and loses no acknowledged row', async t => {
      const fixture = createUsedFixture(t)
      const child = fixture.run('insert')
      const lines = await linesUntil(child, line => line === '300')
      child.kill('SIGKILL')
      await until(() => processesIn(fixture.pgData).length === 0)
      const acknowledged = lines.length - 1
      const embedded = await fixture.start()
      const [row] = await query(
        embedded,
        `select count(*)::int as n from kept where id between 1 and ${acknowledged}`,
      )
      assert.equal(row?.['n'], acknowledged)
    })

    test('kill -9 of the service and its watchdog: the next start stops the orphan processes', async t => {
      const fixture = createUsedFixture(t)
      const child = fixture.run('wait')
      await linesUntil(child, line => line === 'ready')
      const orphan = postmasterOf(fixture)
      process.kill(watchdogOf(orphan), 'SIGKILL')
      child.kill('SIGKILL')
      await ended(child)
      await sleep(300)
      assert.ok(processesIn(fixture.pgData).includes(orphan))

      const embedded = await fixture.start()
      assert.equal((await query(embedded, 'select 1')).length, 1)
      assert.notEqual(postmasterOf(fixture), orphan)
      assert.ok(!processesIn(fixture.pgData).includes(orphan))
      assert.match(fixture.logged[0]?.message ?? '', /earlier run/)
    })

    test('kill -9 of PostgreSQL: it is restarted in the same data directory', async t => {
      const fixture = createUsedFixture(t)
      const embedded = await fixture.start()
      const killed = postmasterOf(fixture)
      process.kill(killed, 'SIGKILL')
      await until(() =>
        query(embedded, 'select from kept').then(
          rows => rows.length === 1,
          () => false,
        ),
      )
      assert.notEqual(postmasterOf(fixture), killed)
      await until(() => fixture.logged.length === 2)
      assert.deepEqual(
        fixture.logged.map(({ level }) => level),
        ['error', 'info'],
      )
    })

    test('stop() also stops a PostgreSQL that is being restarted', async t => {
      const fixture = createUsedFixture(t)
      const embedded = await fixture.start()
      process.kill(postmasterOf(fixture), 'SIGKILL')
      await until(() => fixture.logged.length > 0)
      await embedded.stop()
      await sleep(300)
      assert.deepEqual(processesIn(fixture.pgData), [])
    })

    test('kill -9 of the watchdog: a new one is started, which ends with PostgreSQL', async t => {
      const fixture = createUsedFixture(t)
      const embedded = await fixture.start()
      const postmaster = postmasterOf(fixture)
      const killed = watchdogOf(postmaster)
      process.kill(killed, 'SIGKILL')
      await until(() => ![killed, undefined].includes(findWatchdog(postmaster)))
      await embedded.stop()
      assert.equal(findWatchdog(postmaster), undefined)
    })

    test('a service that exits without stop() is not delayed, and PostgreSQL stops', async t => {
      const fixture = createUsedFixture(t)
      const child = fixture.run('leave')
      await ended(child)
      assert.equal(child.exitCode, 0)
      await until(() => processesIn(fixture.pgData).length === 0)
    })

    test('a postmaster.pid with the pid of an unrelated process does not prevent a start', async t => {
      const fixture = createUsedFixture(t)
      const { uid, gid } = statSync(fixture.pgData)
      const other = spawn('sleep', ['60'], isRoot ? { uid, gid } : {})
      t.after(() => other.kill())
      for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
        writeFileSync(join(fixture.pgData, name), `${other.pid}\n/\n0\n5432\n.\n\n\nready\n`, {
          mode: 0o600,
        })
        chownSync(join(fixture.pgData, name), uid, gid)
      }
      await fixture.start()
      assert.equal(other.exitCode, null)
    })
  })

  suite('error messages', () => {
    test('report the version of a cluster of another PostgreSQL', async t => {
      const fixture = createFixture(t)
      mkdirSync(fixture.pgData, { recursive: true })
      writeFileSync(join(fixture.pgData, 'PG_VERSION'), '16\n')
      await assert.rejects(fixture.start(), failsWith(/PostgreSQL 16 database .* PostgreSQL 18: dump it/))
    })

    test('report why DATA_DIR cannot be used', async t => {
      const fixture = createFixture(t)
      writeFileSync(fixture.dataDir, '')
      await assert.rejects(
        fixture.start(),
        failsWith(new RegExp(`DATA_DIR ${fixture.dataDir} .* not a folder`)),
      )
      const below = join(fixture.dataDir, 'x')
      await assert.rejects(
        fixture.start({ dataDir: below }),
        failsWith(/DATA_DIR .*: not a directory \(ENOTDIR\)/),
      )
      await assert.rejects(
        fixture.start({ dataDir: '/proc/x' }),
        failsWith(/DATA_DIR \/proc\/x .* no such file/),
      )
    })

    test('report that the data directory contains no database', async t => {
      const fixture = createFixture(t)
      mkdirSync(join(fixture.pgData, 'something'), { recursive: true })
      await assert.rejects(fixture.start(), failsWith(/holds no database/))
    })
  })

  test('an interrupted initdb is retried', async t => {
    const fixture = createFixture(t)
    mkdirSync(join(fixture.dataDir, 'postgres.new', 'base'), { recursive: true })
    writeFileSync(join(fixture.dataDir, 'postgres.new', 'PG_VERSION'), '18\n')
    assert.equal((await query(await fixture.start(), 'select 1')).length, 1)
    assert.ok(!existsSync(join(fixture.dataDir, 'postgres.new')))
  })

  test('values of a failing query do not reach the log, and a large log is rotated', async t => {
    const fixture = createUsedFixture(t)
    writeFileSync(join(fixture.dataDir, 'postgres.log'), Buffer.alloc(11 * 1024 * 1024, '\n'))
    const embedded = await fixture.start()
    await query(embedded, "create table person (name text primary key); insert into person values ('Secret')")
    await assert.rejects(query(embedded, "insert into person values ('Secret')"), /duplicate key/)
    await assert.rejects(query(embedded, "select 'Secret'::date"), /invalid input syntax/)
    await embedded.stop()
    const log = readFileSync(join(fixture.dataDir, 'postgres.log'), 'utf8')
    assert.match(log, /ready to accept connections/)
    assert.doesNotMatch(log, /Secret/)
    assert.equal(statSync(join(fixture.dataDir, 'postgres.log')).mode & 0o777, 0o600)
    assert.ok(existsSync(join(fixture.dataDir, 'postgres.log.1')))
  })
})
