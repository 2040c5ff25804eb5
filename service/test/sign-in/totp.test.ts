import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { totpCode } from '../../../scripts/totp-code.ts'
import { base32, codeAt, newSeed, stepOf, uriOf } from '../../src/sign-in/totp.ts'

describe('authenticator codes', () => {
  it('are those of RFC 6238, appendix B', () => {
    const seed = base32(Buffer.from('12345678901234567890'))
    assert.equal(seed, 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
    for (const [seconds, code] of [
      [59, '287082'],
      [1_111_111_109, '081804'],
      [1_111_111_111, '050471'],
      [1_234_567_890, '005924'],
      [2_000_000_000, '279037'],
      [20_000_000_000, '353130'],
    ] as const) {
      assert.equal(codeAt(seed, Math.floor(seconds / 30)), code)
      assert.equal(totpCode(seed, seconds * 1000), code)
    }
  })

  it('are accepted one step early and one late, no more, and once', () => {
    const seed = newSeed()
    assert.match(seed, /^[A-Z2-7]{32}$/)
    const now = new Date(1_800_000_015_000)
    const current = 60_000_000
    for (const offset of [-1, 0, 1])
      assert.equal(stepOf(seed, codeAt(seed, current + offset), { now, lastStep: 0 }), current + offset)
    for (const offset of [-3, -2, 2, 3])
      assert.equal(stepOf(seed, codeAt(seed, current + offset), { now, lastStep: 0 }), undefined)
    assert.equal(stepOf(seed, codeAt(seed, current), { now, lastStep: current }), undefined)
    assert.equal(stepOf(seed, codeAt(seed, current), { now, lastStep: current + 1 }), undefined)
    assert.equal(stepOf(seed, codeAt(seed, current + 1), { now, lastStep: current }), current + 1)
  })

  it('are rejected when they are malformed', () => {
    const seed = newSeed()
    const now = new Date()
    const code = codeAt(seed, Math.floor(now.getTime() / 30_000))
    for (const wrong of ['', code.slice(1), `${code}0`, `${code} `, 'abcdef', '１２３４５６'])
      assert.equal(stepOf(seed, wrong, { now, lastStep: 0 }), undefined, wrong)
  })

  it('are described for apps', () => {
    const uri = new URL(uriOf('ABC', 'ruth@example.com'))
    assert.equal(uri.protocol, 'otpauth:')
    assert.equal(uri.searchParams.get('secret'), 'ABC')
    assert.equal(uri.searchParams.get('issuer'), 'Caseport')
    assert.ok(uri.href.includes('Caseport:ruth%40example.com'))
  })
})
