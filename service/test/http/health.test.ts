import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BlobStore } from '../../src/blobs/blob-store.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { createTestApp } from '../support/harness.ts'

let checks = 0
let broken = false
const counting = (store: BlobStore): BlobStore => ({
  ...store,
  async check() {
    checks += 1
    if (broken) throw new Error('broken')
    await store.check()
  },
})
const test = await createTestApp({
  blobs: repositories => ({ ...repositories, DE: counting(repositories.DE) }),
})

describe('GET /readyz', () => {
  it('writes to the repositories once for many requests', async () => {
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => test.call({ url: '/readyz', scopes: null })),
    )
    assert.ok(responses.every(({ status }) => status === 200))
    for (let n = 0; n < 50; n++) assert.equal((await test.call({ url: '/readyz', scopes: null })).status, 200)
    assert.equal(checks, 1)
  })

  it('reports a broken repository within seconds, and soon that it works again', async () => {
    broken = true
    const until = async (status: number, seconds: number) => {
      const end = performance.now() + seconds * 1_000
      while ((await test.call({ url: '/readyz', scopes: null })).status !== status) {
        assert.ok(performance.now() < end, `not ${status} within ${seconds} seconds`)
        await sleep(100)
      }
    }
    await until(503, 7)
    const response = await test.call({ url: '/readyz', scopes: null })
    expectProblem(response, { status: 503, code: 'not-ready' })
    assert.match(response.body.detail, /repositories/)
    broken = false
    await until(200, 3)
  })
})
