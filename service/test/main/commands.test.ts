// The commands beside the service, as processes: only the service and `npm run migrate` migrate.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type postgres from 'postgres'
import { createExternalPostgres, type ExternalPostgres } from '../support/external-postgres.ts'
import { PROGRAM_ENV } from '../support/program-env.ts'

const SOURCE = join(import.meta.dirname, '../../src')
const root = mkdtempSync(join(tmpdir(), 'caseport-commands-'))
let server: ExternalPostgres
let admin: postgres.Sql
before(async () => {
  server = await createExternalPostgres({ folder: join(root, 'server') })
  admin = server.sql()
})
after(async () => {
  await admin.end()
  await server.kill()
  rmSync(root, { recursive: true, force: true, maxRetries: 20 })
})

const COMMANDS = [
  ['audit-verify.cli.ts'],
  ['audit-remove.cli.ts', '--before', '2020-01'],
  ['main.ts', '--invite', 'ruth@example.com'],
  ['rotate-key.cli.ts'],
]

async function run([file = '', ...args]: string[], databaseUrl = server.url) {
  const child = spawn(process.execPath, [join(SOURCE, file), ...args], {
    cwd: root,
    env: {
      ...PROGRAM_ENV,
      LOG_LEVEL: 'warn',
      DATABASE_URL: databaseUrl,
      DATA_DIR: join(root, 'data'),
      ENCRYPTION_KEY_FILE: join(root, 'encryption.key'),
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', data => {
      output += data
    })
  const [status] = await once(child, 'close')
  return { status: status as number, output }
}

const countTables = async () => {
  const rows = await admin`select from pg_class where relnamespace = 'public'::regnamespace`
  return rows.length
}

describe('a command beside the service', () => {
  it('does not migrate, and says what does', { timeout: 120_000 }, async () => {
    for (const command of COMMANDS) {
      const { status, output } = await run(command)
      assert.equal(status, 1, output)
      assert.match(output, /^\d+ migrations of this release are pending\. .* run npm run migrate/m)
      assert.equal(await countTables(), 0)
    }
    assert.match((await run(['main.ts', 'migrate'])).output, /\d+ migrations applied/)
    for (const command of COMMANDS.slice(0, 2)) {
      const { status, output } = await run(command)
      assert.equal(status, 0, output)
    }
    assert.match((await run(COMMANDS[3] ?? [])).output, /encryption\.key was made/)
  })

  it('of the owner of the tables warns of nothing where the service has a login of its own', {
    timeout: 120_000,
  }, async () => {
    await admin.unsafe('drop owned by caseport_service')
    await admin.unsafe('drop role caseport_service')
    await admin.unsafe('create role caseport_owner login')
    await admin.unsafe('create role caseport_service login')
    await admin.unsafe('create database two owner caseport_owner')
    const owner = `postgres://caseport_owner@${server.host}/two`
    const migrated = await run(['main.ts', 'migrate'], owner)
    assert.match(migrated.output, /^Caseport: \d+ migrations applied; the database is up to date\.\n$/)
    const removed = await run(['audit-remove.cli.ts', '--before', '2020-01'], owner)
    assert.match(removed.output, /^There is nothing to remove before 2020-01/)
    const verified = await run(['audit-verify.cli.ts'], `postgres://caseport_service@${server.host}/two`)
    assert.equal(verified.status, 0, verified.output)
  })
})
