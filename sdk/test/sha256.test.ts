import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { createSha256, paddingOf, portableSha256 } from '../src/sha256.ts'

describe('portableSha256', () => {
  it('equals the SHA-256 of Node for every length around the block size', () => {
    for (let length = 0; length <= 200; length++) {
      const bytes = randomBytes(length)
      const hash = portableSha256()
      hash.update(bytes)
      assert.equal(hash.hex(), createHash('sha256').update(bytes).digest('hex'), `${length} bytes`)
    }
  })

  it('does not depend on how the bytes are split', () => {
    const bytes = randomBytes(10_000)
    const expected = createHash('sha256').update(bytes).digest('hex')
    for (const size of [1, 63, 64, 65, 1_000]) {
      const hash = portableSha256()
      for (let at = 0; at < bytes.length; at += size) hash.update(bytes.subarray(at, at + size))
      assert.equal(hash.hex(), expected, `chunks of ${size}`)
    }
  })

  it('pads to whole blocks with the length in bits, also beyond 32 bits', () => {
    for (const length of [0, 1, 55, 56, 63, 64, 2 ** 29 - 1, 2 ** 29, 2 ** 40 + 3]) {
      const padding = Buffer.from(paddingOf(length))
      assert.equal((length + padding.length) % 64, 0, `${length} bytes`)
      assert.equal(padding.readBigUInt64BE(padding.length - 8), BigInt(length) * 8n)
      assert.ok(padding.length >= 9 && padding.length <= 72)
    }
  })
})

describe('createSha256', () => {
  it('equals the portable hash', () => {
    const [native, portable] = [createSha256(), portableSha256()]
    for (const hash of [native, portable]) hash.update(Buffer.from('a permit'))
    assert.equal(native.hex(), portable.hex())
  })
})
