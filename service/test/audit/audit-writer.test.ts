import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AuditRow } from '../../src/audit/audit.store.ts'
import { createAuditWriter } from '../../src/audit/audit-writer.ts'

const row = (requestId: string) => ({ requestId }) as AuditRow

describe('the audit writer', () => {
  it('writes the entries of concurrent requests in one statement, and those that arrive meanwhile in the next', async () => {
    const batches: string[][] = []
    const running: PromiseWithResolvers<void>[] = []
    const write = createAuditWriter(rows => {
      batches.push(rows.map(({ requestId }) => requestId))
      const insert = Promise.withResolvers<void>()
      running.push(insert)
      return insert.promise
    })
    const first = [write(row('a')), write(row('b'))]
    await new Promise(setImmediate)
    const later = [write(row('c')), write(row('d'))]
    await new Promise(setImmediate)
    assert.deepEqual(batches, [['a', 'b']])
    running[0]?.resolve()
    await Promise.all(first)
    await new Promise(setImmediate)
    assert.deepEqual(batches, [
      ['a', 'b'],
      ['c', 'd'],
    ])
    running[1]?.resolve()
    await Promise.all(later)
  })

  it('rejects the entries of a failed statement, and no others', async () => {
    let fail = true
    const write = createAuditWriter(async () => {
      if (fail) throw new Error('no space left')
    })
    const failed = await Promise.allSettled([write(row('a')), write(row('b'))])
    assert.deepEqual(
      failed.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    fail = false
    await write(row('c'))
  })

  it('splits a very large batch', async () => {
    const sizes: number[] = []
    const write = createAuditWriter(async rows => void sizes.push(rows.length))
    await Promise.all(Array.from({ length: 1_200 }, (_, index) => write(row(String(index)))))
    assert.deepEqual(sizes, [500, 500, 200])
  })
})
