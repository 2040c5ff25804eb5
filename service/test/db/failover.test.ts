// Two PostgreSQL servers, of which the second follows the first: the primary is killed, and the standby promoted.
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
  it('loses nothing that was acknowledged, keeps nobody waiting, and needs no restart', async () => {
    const primary = await createExternalPostgres({ folder: join(root, 'one') })
    after(() => primary.kill())
    const standby = await createStandby(primary, { folder: join(root, 'two') })
    after(() => standby.kill())
    // The standby comes first, so that order alone would lead to the wrong one.
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

    const [asked, worked] = [performance.now(), process.cpuUsage()]
    const crowd = await Promise.all(numbers('crowd').map(number => save(app, number)))
    assert.deepEqual(new Set(crowd.map(({ status }) => status)), new Set([503]))
    assert.ok(crowd.every(({ headers }) => headers['retry-after'] === '2'))
    const waited = performance.now() - asked
    assert.ok(waited < 1000, `a crowd waited for ${waited} ms`)
    await sleep(2000 - waited)
    const { user, system } = process.cpuUsage(worked)
    assert.ok(
      (user + system) / 1000 < 1000,
      `looking for a primary took ${(user + system) / 1000} ms of 2000`,
    )

    await standby.promote()
    const deadline = performance.now() + 10_000
    while ((await write('after')) !== 201) {
      assert.ok(performance.now() < deadline, 'the new primary is never found')
      await sleep(50)
    }
    assert.deepEqual(new Set(await Promise.all(numbers('later').map(write))), new Set([201]))
    for (const number of acknowledged)
      assert.equal((await app.call({ url: `/v2/applicant/employeenumber/${number}` })).status, 200, number)
    await app.app.close()
  })
})
