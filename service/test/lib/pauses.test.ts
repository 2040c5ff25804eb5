import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPauses } from '../../src/lib/pauses.ts'

describe('pauses', () => {
  it('are due only after some milliseconds of work', async () => {
    const pauses = createPauses()()
    assert.equal(pauses.areDue(), false)
    for (const end = performance.now() + 50; performance.now() < end; );
    assert.equal(pauses.areDue(), true)
    await pauses.pause()
    assert.equal(pauses.areDue(), false)
  })

  it('that begin together end in different turns of the event loop', async () => {
    const create = createPauses()
    let turn = 0
    let isOver = false
    const count = () => {
      turn += 1
      if (!isOver) setImmediate(count)
    }
    count()
    const turns = await Promise.all(
      Array.from({ length: 4 }, async () => {
        await create().pause()
        return turn
      }),
    )
    isOver = true
    assert.equal(new Set(turns).size, 4, turns.join())
  })
})
