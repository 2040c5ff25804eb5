// Two PostgreSQL servers, a primary and its standby: the primary is killed, and the standby promoted.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { primaryFirst } from '../../src/db/primary.ts'
import { createExternalPostgres, createStandby } from '../support/external-postgres.ts'
import { createTestApp, silent, type TestApp } from '../support/harness.ts'

const root = mkdtempSync(join(tmpdir(), 'caseport-failover-'))
after(() => rmSync(root, { recursive: true, force: true, maxRetries: 20 }))

const save = (app: TestApp, number: string) =>
  app.call({
    method: 'PUT',
    url: `/v2/applicant/employeenumber/${number}`,
    body: { primaryApplicant: { firstName: 'A', lastName: 'B' } },
  })

describe('a failover', () => {
  it('loses no acknowledged write, rejects requests at once meanwhile, and needs no restart', async () => {
    const primary = await createExternalPostgres({ folder: join(root, 'one') })
    after(() => primary.kill())
    const standby = await createStandby(primary, { folder: join(root, 'two') })
    after(() => standby.kill())
    // The standby is named first, so that the order alone would lead to the wrong host.
    const both = `postgres://caseport@${standby.host},${primary.host}/caseport`
    const url = await primaryFirst(both, 10)
    const db = connect({ connection: { url }, log: silent })
    after(() => db.close())
    await migrate(db, silent)
    const app = await createTestApp({ db })

    const acknowledged: string[] = []
    const write = async (number: string) => {
      const { status } = await save(app, number)
      if (status === 201) acknowledged.push(number)
      return status
    }
    const numbers = (round: string) => Array.from({ length: 40 }, (_, each) => `${round}-${each}`)
    assert.deepEqual(new Set(await Promise.all(numbers('before').map(write))), new Set([201]))

    const during = Promise.all(numbers('during').map(write))
    await sleep(20)
    await primary.kill()
    await during

    const [startedAt, cpuBefore] = [performance.now(), process.cpuUsage()]
    const rejected = await Promise.all(numbers('rejected').map(number => save(app, number)))
    assert.deepEqual(new Set(rejected.map(({ status }) => status)), new Set([503]))
    assert.ok(rejected.every(({ headers }) => headers['retry-after'] === '2'))
    const waited = performance.now() - startedAt
    assert.ok(waited < 1000, `the requests waited for ${waited} ms`)
    await sleep(2000 - waited)
    const { user, system } = process.cpuUsage(cpuBefore)
    assert.ok(
      (user + system) / 1000 < 1000,
      `looking for a primary took ${(user + system) / 1000} ms of 2000`,
    )

    await standby.promote()
    const deadline = performance.now() + 10_000
    while ((await write('after')) !== 201) {
      assert.ok(performance.now() < deadline, 'the new primary was not found')
      await sleep(50)
    }
    assert.deepEqual(new Set(await Promise.all(numbers('later').map(write))), new Set([201]))
    assert.ok(acknowledged.length >= 80, String(acknowledged.length))
    for (const number of acknowledged)
      assert.equal((await app.call({ url: `/v2/applicant/employeenumber/${number}` })).status, 200, number)
    await app.app.close()
  })
})
