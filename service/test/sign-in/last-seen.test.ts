// Reads of people who are signed in, while the database cannot store when they were last seen.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { createExternalPostgres } from '../support/external-postgres.ts'
import { createTestApp, silent, type TestApp } from '../support/harness.ts'
import { createPerson, type Visitor } from '../support/people.ts'

const root = mkdtempSync(join(tmpdir(), 'caseport-seen-'))
after(() => rmSync(root, { recursive: true, force: true, maxRetries: 20 }))

const LATE = Symbol('no response within two seconds')

/** A read a minute later, when the time of the last request is stored again. */
async function readLater(test: TestApp, visitor: Visitor) {
  test.clock.advance(61)
  // What is cached is forgotten after this time.
  await sleep(2_600)
  const response = visitor.call({ url: '/v2/case/health' })
  return Promise.race([response.then(({ status }) => status), sleep(2_000, LATE)])
}

async function seenAt(test: TestApp, userId: string) {
  const [row] = await test.db.sql<{ at: Date }[]>`
    select last_seen_at as at from sessions where user_id = ${userId} and ended_at is null`
  return row?.at.getTime()
}

describe('a read of a person who is signed in', () => {
  it('does not wait for a synchronous standby that does not respond', async () => {
    const server = await createExternalPostgres({ folder: join(root, 'postgres') })
    after(() => server.kill())
    const db = connect({ connection: { url: server.url }, log: silent })
    after(() => db.close())
    await migrate(db, silent)
    const test = await createTestApp({ db })
    const { user, visitor } = await createPerson(test)
    const admin = server.sql()
    await admin.unsafe("alter system set synchronous_standby_names = 'missing'")
    await admin`select pg_reload_conf()`
    for (let read = 0; read < 2; read++) {
      assert.equal(await readLater(test, visitor), 200)
      const now = test.clock.now().getTime()
      for (let tries = 0; (await seenAt(test, user.userId)) !== now && tries < 100; tries++) await sleep(20)
      assert.equal(await seenAt(test, user.userId), now)
    }
    await admin.unsafe('alter system reset synchronous_standby_names')
    await admin`select pg_reload_conf()`
    await admin.end()
  })

  it('does not wait for a transaction that changes the session', async () => {
    const test = await createTestApp()
    const { user, visitor } = await createPerson(test)
    await test.db.transaction(async tx => {
      await tx`select from sessions where user_id = ${user.userId} for update`
      assert.equal(await readLater(test, visitor), 200)
    })
  })
})
