import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createSealer, keyIdOf, keyRing, newSealingKey, SealedValueError } from '../../src/lib/sealing.ts'

const [first, second] = [newSealingKey(new Date()), newSealingKey(new Date())]
const place = { column: 'webhooks.secret', id: 'w-1' }
const sealer = createSealer(keyRing([first]))

describe('seal and unseal', () => {
  it('return the text that was sealed, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), fc.string(), (text, column, id) => {
        const stored = sealer.seal(text, { column, id })
        assert.equal(sealer.unseal(stored, { column, id }), Buffer.from(text).toString())
      }),
    )
  })

  it('store the version and the key id, never the text, and never the same value twice', () => {
    const stored = sealer.seal('whsec_secret', place)
    assert.match(stored, /^sealed:v1:[\w-]{8}:[\w-]{16}:[\w-]+$/)
    assert.equal(keyIdOf(stored), first.id)
    assert.ok(!stored.includes('whsec'))
    assert.notEqual(sealer.seal('whsec_secret', place), stored)
  })

  it('reject a value that was copied to another row or column', () => {
    const stored = sealer.seal('secret', place)
    for (const other of [
      { ...place, id: 'w-2' },
      { ...place, column: 'secrets.value' },
      { column: 'webhooks.secre', id: 'tw-1' },
    ])
      assert.throws(() => sealer.unseal(stored, other), SealedValueError)
  })

  it('reject a value with any altered character, and name its place', () => {
    const stored = sealer.seal('secret', place)
    const from = stored.indexOf(first.id) + first.id.length + 1
    for (let at = from; at < stored.length - 1; at++) {
      if (stored[at] === ':') continue
      const altered = stored.slice(0, at) + (stored[at] === 'A' ? 'B' : 'A') + stored.slice(at + 1)
      assert.throws(() => sealer.unseal(altered, place), /^Error: webhooks\.secret of w-1 was altered/)
    }
    for (const cut of [stored.slice(0, -8), `sealed:v1:${first.id}:`, `sealed:v1:${first.id}`])
      assert.throws(() => sealer.unseal(cut, place), SealedValueError)
  })

  it('open values of an old key after a new one was put first, and reject those of an unknown key', () => {
    const stored = sealer.seal('secret', place)
    const rotated = createSealer(keyRing([second, first]))
    assert.equal(rotated.unseal(stored, place), 'secret')
    assert.equal(keyIdOf(rotated.seal('secret', place)), second.id)
    const other = createSealer(keyRing([second]))
    assert.throws(() => other.unseal(stored, place), new RegExp(`the key ${first.id}, which is unknown`))
  })

  it('leave text as it is where there is no key, and return plain text unchanged', () => {
    const none = createSealer(keyRing([]))
    assert.equal(none.seal('secret', place), 'secret')
    assert.equal(sealer.unseal('whsec_plain', place), 'whsec_plain')
    assert.throws(() => none.unseal(sealer.seal('secret', place), place), SealedValueError)
  })
})
