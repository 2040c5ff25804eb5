// Owns the proof that the embedded PostgreSQL starts, survives and ends as promised, with real processes.
// Must not leave a process or a folder behind, whatever fails.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
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
const log = { info() {}, warn() {}, error() {} }
const { connection, stop } = await startEmbedded({ dataDir, log })
const sql = postgres({ ...connection, max: 1, fetch_types: false, onnotice: () => {} })
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

interface Place {
  root: string
  dataDir: string
  databaseDir: string
  logged: { level: string; message: string }[]
  start(options?: Partial<EmbeddedOptions>): Promise<EmbeddedPostgres>
  run(mode: string, uid?: number): ChildProcess
}

function makePlace(t: TestContext, below = 'data'): Place {
  const root = mkdtempSync(join(tmpdir(), 'caseport-embedded-'))
  const dataDir = join(root, below)
  const databaseDir = join(dataDir, 'postgres')
  const started: EmbeddedPostgres[] = []
  const children: ChildProcess[] = []
  const logged: Place['logged'] = []
  const note = (level: string) => (_fields: object, message: string) => void logged.push({ level, message })
  const log = { info: note('info'), warn: note('warn'), error: note('error') }

  t.after(async () => {
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(started.map(({ stop }) => stop()))
    await until(() => serversIn(databaseDir).length === 0)
    rmSync(root, { recursive: true, force: true })
  })
  return {
    root,
    dataDir,
    databaseDir,
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
  const sql = postgres({ ...embedded.connection, max: 1, fetch_types: false, onnotice: () => {} })
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

function serversIn(databaseDir: string): number[] {
  return existsSync(databaseDir) && !onlyLinux ? processesIn(databaseDir) : []
}

function postmasterOf(place: Place): number {
  const { pid } = readPostmasterFile(place.databaseDir)
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
    const log = { info() {}, warn() {}, error() {} }
    const embedded = await startEmbedded({ dataDir: ready, log, durable: false })
    await query(embedded, 'create table kept (id int primary key); insert into kept values (0)')
    await embedded.stop()
  })
  after(() => rmSync(ready, { recursive: true, force: true }))

  /** A DATA_DIR with a database in it, without the time that initdb takes. */
  function makeUsedPlace(t: TestContext, below?: string): Place {
    const place = makePlace(t, below)
    mkdirSync(dirname(place.dataDir), { recursive: true })
    assert.equal(spawnSync('cp', ['-a', ready, place.dataDir]).status, 0)
    return place
  }

  test('starts in an empty folder, and again with the data kept', async t => {
    const place = makePlace(t)
    const first = await place.start({ durable: true })
    assert.equal(lstatSync(place.dataDir).mode & 0o777, 0o700)
    assert.equal(lstatSync(place.databaseDir).mode & 0o777, 0o700)
    if (isRoot) assert.notEqual(lstatSync(place.databaseDir).uid, 0)
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
    assert.deepEqual(serversIn(place.databaseDir), [])

    const second = await place.start()
    assert.deepEqual([...(await query(second, 'select n from t'))], [{ n: 42 }])
    assert.deepEqual(place.logged, [])
  })

  test('an operator’s own settings win over ours, but not over those the service relies on', async t => {
    const place = makeUsedPlace(t)
    const own = "work_mem = '5MB'\nlisten_addresses = '*'\n"
    writeFileSync(join(place.databaseDir, 'postgresql.auto.conf'), own)
    const embedded = await place.start({ settings: { autovacuum_naptime: '7s' } })
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
    const place = makeUsedPlace(t, join('a'.repeat(75), 'b'.repeat(75)))
    assert.equal((await query(await place.start(), 'select 1')).length, 1)
  })

  test('works as root below a folder that only root can enter', { skip: onlyRoot }, async t => {
    const place = makePlace(t, 'closed/data')
    mkdirSync(dirname(place.dataDir), { mode: 0o700 })
    assert.equal((await query(await place.start(), 'select 1')).length, 1)
    const { uid } = statSync(`/proc/${postmasterOf(place)}`)
    assert.notEqual(uid, 0)
    assert.equal(uid, statSync(place.databaseDir).uid)
  })

  test('takes over a database folder that root has put back', { skip: onlyRoot }, async t => {
    const place = makeUsedPlace(t)
    spawnSync('chown', ['-R', '0:0', place.databaseDir])
    assert.equal((await query(await place.start(), 'select from kept')).length, 1)
    assert.notEqual(statSync(join(place.databaseDir, 'base')).uid, 0)
  })

  test('works as an ordinary user', { skip: onlyRoot }, async t => {
    const place = makePlace(t)
    chmodSync(place.root, 0o711)
    mkdirSync(place.dataDir, { mode: 0o700 })
    chownSync(place.dataDir, NOBODY, NOBODY)
    const reachable = spawnSync(process.execPath, ['-e', ''], { cwd: '/', uid: NOBODY, gid: NOBODY })
    if (reachable.status !== 0) return t.skip('the checkout is closed to other users')
    const child = place.run('stop', NOBODY)
    await ended(child)
    assert.equal(child.exitCode, 0)
    assert.equal(statSync(place.databaseDir).uid, NOBODY)
  })

  suite('the package with the binaries', () => {
    function copyPackage(place: Place): string {
      const name = `@embedded-postgres/${process.platform}-${process.arch}`
      const original = dirname(dirname(fileURLToPath(import.meta.resolve(name))))
      const packageDir = join(place.root, 'package')
      spawnSync('cp', ['-a', original, packageDir])
      const lib = join(packageDir, 'native/lib')
      for (const entry of readdirSync(lib, { withFileTypes: true }))
        if (entry.isSymbolicLink()) rmSync(join(lib, entry.name))
      return packageDir
    }

    test('gets the links its install script did not make', async t => {
      const place = makeUsedPlace(t)
      chmodSync(place.root, 0o755)
      const packageDir = copyPackage(place)
      await place.start({ internals: { packageDir, copiesDir: '/proc/none' } })
      const links = JSON.parse(readFileSync(join(packageDir, 'native/pg-symlinks.json'), 'utf8'))
      for (const { target } of links) assert.ok(existsSync(join(packageDir, target)), target)
    })

    test('is copied when the user of PostgreSQL cannot reach it', { skip: onlyRoot }, async t => {
      const place = makeUsedPlace(t)
      chmodSync(place.root, 0o755)
      const packageDir = copyPackage(place)
      chmodSync(packageDir, 0o700)
      const copiesDir = join(place.root, 'copies')
      const internals = { packageDir, copiesDir }
      mkdirSync(copiesDir)
      const { version } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8'))
      const copy = join(copiesDir, `postgresql-${version}-${process.arch}`)
      mkdirSync(join(`${copy}.new-999999999`, 'half-made'), { recursive: true })

      await (await place.start({ internals })).stop()
      const { ino, uid, mode } = statSync(copy)
      assert.deepEqual([uid, mode & 0o777], [0, 0o755])
      assert.equal(readdirSync(copiesDir).length, 1)

      await (await place.start({ internals })).stop()
      assert.equal(statSync(copy).ino, ino)

      chmodSync(copy, 0o777)
      await assert.rejects(place.start({ internals }), failsWith(/can be written to by others/))
    })
  })

  suite('one service per DATA_DIR', () => {
    test('a second one is told who is there', { skip: onlyLinux }, async t => {
      const place = makeUsedPlace(t)
      const child = place.run('wait')
      await linesUntil(child, line => line === 'ready')
      await assert.rejects(
        place.start(),
        failsWith(new RegExp(`in use by another Caseport \\(pid ${child.pid}\\)`)),
      )
      const files = readdirSync(`/proc/${postmasterOf(place)}/fd`).map(fd => {
        return readlinkSync(`/proc/${postmasterOf(place)}/fd/${fd}`)
      })
      assert.ok(!files.includes(join(place.dataDir, 'lock')), 'PostgreSQL has inherited the lock')
    })

    test('it is free after a stop, and after a start that failed', async t => {
      const place = makeUsedPlace(t)
      await assert.rejects(place.start({ settings: { shared_buffers: 'many' } }), failsWith(/shared_buffers/))
      await (await place.start()).stop()
      await place.start()
    })
  })

  suite('when something is killed', { skip: onlyLinux }, () => {
    test('kill -9 of the service ends PostgreSQL and loses no acknowledged row', async t => {
      const place = makeUsedPlace(t)
      const child = place.run('insert')
      const lines = await linesUntil(child, line => line === '300')
      child.kill('SIGKILL')
      await until(() => processesIn(place.databaseDir).length === 0)
      const acknowledged = lines.length - 1
      const embedded = await place.start()
      const [row] = await query(
        embedded,
        `select count(*)::int as n from kept where id between 1 and ${acknowledged}`,
      )
      assert.equal(row?.['n'], acknowledged)
    })

    test('kill -9 of the service and its watchdog: the next start ends what they left', async t => {
      const place = makeUsedPlace(t)
      const child = place.run('wait')
      await linesUntil(child, line => line === 'ready')
      const orphan = postmasterOf(place)
      process.kill(watchdogOf(orphan), 'SIGKILL')
      child.kill('SIGKILL')
      await ended(child)
      await sleep(300)
      assert.ok(processesIn(place.databaseDir).includes(orphan))

      const embedded = await place.start()
      assert.equal((await query(embedded, 'select 1')).length, 1)
      assert.notEqual(postmasterOf(place), orphan)
      assert.ok(!processesIn(place.databaseDir).includes(orphan))
      assert.match(place.logged[0]?.message ?? '', /earlier run/)
    })

    test('kill -9 of PostgreSQL: the service gets it back in the same place', async t => {
      const place = makeUsedPlace(t)
      const embedded = await place.start()
      const killed = postmasterOf(place)
      process.kill(killed, 'SIGKILL')
      await until(() =>
        query(embedded, 'select from kept').then(
          rows => rows.length === 1,
          () => false,
        ),
      )
      assert.notEqual(postmasterOf(place), killed)
      await until(() => place.logged.length === 2)
      assert.deepEqual(
        place.logged.map(({ level }) => level),
        ['error', 'info'],
      )
    })

    test('stop() also ends a PostgreSQL that is just being started again', async t => {
      const place = makeUsedPlace(t)
      const embedded = await place.start()
      process.kill(postmasterOf(place), 'SIGKILL')
      await until(() => place.logged.length > 0)
      await embedded.stop()
      await sleep(300)
      assert.deepEqual(processesIn(place.databaseDir), [])
    })

    test('kill -9 of the watchdog: there is a new one, which goes with PostgreSQL', async t => {
      const place = makeUsedPlace(t)
      const embedded = await place.start()
      const postmaster = postmasterOf(place)
      const killed = watchdogOf(postmaster)
      process.kill(killed, 'SIGKILL')
      await until(() => ![killed, undefined].includes(findWatchdog(postmaster)))
      await embedded.stop()
      assert.equal(findWatchdog(postmaster), undefined)
    })

    test('a service that ends without stop() is not held up, and PostgreSQL ends with it', async t => {
      const place = makeUsedPlace(t)
      const child = place.run('leave')
      await ended(child)
      assert.equal(child.exitCode, 0)
      await until(() => processesIn(place.databaseDir).length === 0)
    })

    test('a postmaster.pid whose number has gone to another process is no obstacle', async t => {
      const place = makeUsedPlace(t)
      const { uid, gid } = statSync(place.databaseDir)
      const other = spawn('sleep', ['60'], isRoot ? { uid, gid } : {})
      t.after(() => other.kill())
      for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
        writeFileSync(join(place.databaseDir, name), `${other.pid}\n/\n0\n5432\n.\n\n\nready\n`, {
          mode: 0o600,
        })
        chownSync(join(place.databaseDir, name), uid, gid)
      }
      await place.start()
      assert.equal(other.exitCode, null)
    })
  })

  suite('what an operator is told', () => {
    test('a database of another PostgreSQL', async t => {
      const place = makePlace(t)
      mkdirSync(place.databaseDir, { recursive: true })
      writeFileSync(join(place.databaseDir, 'PG_VERSION'), '16\n')
      await assert.rejects(place.start(), failsWith(/PostgreSQL 16 database .* PostgreSQL 18: dump it/))
    })

    test('a DATA_DIR that cannot be used', async t => {
      const place = makePlace(t)
      writeFileSync(place.dataDir, '')
      await assert.rejects(place.start(), failsWith(new RegExp(`DATA_DIR ${place.dataDir} .* not a folder`)))
      const below = join(place.dataDir, 'x')
      await assert.rejects(
        place.start({ dataDir: below }),
        failsWith(/DATA_DIR .*: not a directory \(ENOTDIR\)/),
      )
      await assert.rejects(
        place.start({ dataDir: '/proc/x' }),
        failsWith(/DATA_DIR \/proc\/x .* no such file/),
      )
    })

    test('a folder in the place of the database that holds none', async t => {
      const place = makePlace(t)
      mkdirSync(join(place.databaseDir, 'something'), { recursive: true })
      await assert.rejects(place.start(), failsWith(/holds no database/))
    })
  })

  test('an initdb that was cut short is begun anew', async t => {
    const place = makePlace(t)
    mkdirSync(join(place.dataDir, 'postgres.new', 'base'), { recursive: true })
    writeFileSync(join(place.dataDir, 'postgres.new', 'PG_VERSION'), '18\n')
    assert.equal((await query(await place.start(), 'select 1')).length, 1)
    assert.ok(!existsSync(join(place.dataDir, 'postgres.new')))
  })

  test('values of a failing query do not reach the log, which is kept short', async t => {
    const place = makeUsedPlace(t)
    writeFileSync(join(place.dataDir, 'postgres.log'), Buffer.alloc(11 * 1024 * 1024, '\n'))
    const embedded = await place.start()
    await query(embedded, "create table person (name text primary key); insert into person values ('Secret')")
    await assert.rejects(query(embedded, "insert into person values ('Secret')"), /duplicate key/)
    await assert.rejects(query(embedded, "select 'Secret'::date"), /invalid input syntax/)
    await embedded.stop()
    const log = readFileSync(join(place.dataDir, 'postgres.log'), 'utf8')
    assert.match(log, /ready to accept connections/)
    assert.doesNotMatch(log, /Secret/)
    assert.equal(statSync(join(place.dataDir, 'postgres.log')).mode & 0o777, 0o600)
    assert.ok(existsSync(join(place.dataDir, 'postgres.log.1')))
  })
})
