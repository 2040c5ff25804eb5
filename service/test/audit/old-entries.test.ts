// Entries that an earlier release has written stay readable, and are counted by the chain.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { verifyChain } from '../../src/audit/chain-verification.ts'
import { connect } from '../../src/db/database.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { createTestApp, silent, testConnection } from '../support/harness.ts'

async function createDatabaseBeforeTheChain() {
  const server = connect({ connection: testConnection('postgres'), log: silent, poolSize: 1 })
  const name = `test_${randomBytes(6).toString('hex')}`
  await server.sql.unsafe(`create database ${name} template template0`)
  const db = connect({ connection: testConnection(name), log: silent })
  after(async () => {
    await db.close()
    await server.sql.unsafe(`drop database ${name} with (force)`)
    await server.close()
  })
  const migrations = await readMigrations()
  const before = migrations.findIndex(migration => migration.name.includes('audit-chain'))
  await migrate(db, silent, migrations.slice(0, before))
  return db
}

describe('audit entries of an earlier release', () => {
  it('are listed among new ones, and counted by the chain', async () => {
    const db = await createDatabaseBeforeTheChain()
    await db.sql`
      insert into audit (at, client_id, action, record_id, request_id)
      select now() - interval '1 hour', 'old-client', 'applicant.read', 'old-record', 'old-' || n from generate_series(1, 3) n`
    await migrate(db, silent)
    const app = await createTestApp({ db })
    const day = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 10)
    const query = `startDate=${day(-2)}&endDate=${day(0)}`
    const { body } = await app.call({ url: `/admin/v1/audit?${query}&recordId=old-record` })
    assert.deepEqual(
      body.records.map(({ at: _at, seq: _seq, ...entry }: Record<string, unknown>) => entry)[0],
      {
        clientId: 'old-client',
        action: 'applicant.read',
        recordId: 'old-record',
        requestId: 'old-1',
        recordIds: ['old-record'],
        userId: null,
        userName: null,
        address: null,
        method: null,
        operationId: null,
        outcome: 'ok',
        status: null,
        code: null,
        changes: null,
      },
    )
    assert.equal(body.records.length, 3)
    const { earlier, findings } = await verifyChain(db.sql)
    assert.deepEqual({ earlier, findings }, { earlier: 3, findings: [] })
  })
})
