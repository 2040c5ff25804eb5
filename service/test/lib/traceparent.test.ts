import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseTraceparent } from '../../src/lib/traceparent.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

describe('parseTraceparent', () => {
  it('reads trace, span and whether the caller records the trace', () => {
    const both = { traceId: TRACE, spanId: SPAN }
    assert.deepEqual(parseTraceparent(`00-${TRACE}-${SPAN}-01`), { ...both, isSampled: true })
    assert.deepEqual(parseTraceparent(`00-${TRACE}-${SPAN}-00`), { ...both, isSampled: false })
    assert.deepEqual(parseTraceparent(`cc-${TRACE}-${SPAN}-03-more`), { ...both, isSampled: true })
  })

  it('ignores what is no valid header', () => {
    const zeros = (length: number) => '0'.repeat(length)
    const invalid = [
      undefined,
      '',
      [`00-${TRACE}-${SPAN}-01`],
      `ff-${TRACE}-${SPAN}-01`,
      `00-${zeros(32)}-${SPAN}-01`,
      `00-${TRACE}-${zeros(16)}-01`,
      `00-${TRACE.toUpperCase()}-${SPAN}-01`,
      `00-${TRACE}-${SPAN}`,
      `00-${TRACE}-${SPAN}-01more`,
    ]
    for (const header of invalid) assert.equal(parseTraceparent(header), undefined)
  })
})
