import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createGuessLimit, TooManyGuessesError } from '../../src/lib/guess-limit.ts'

function create() {
  const time = { now: 1_000_000 }
  const limit = createGuessLimit({ now: () => time.now, name: 'test', concurrency: 2 })
  let checks = 0
  /** 'right', 'wrong' or the seconds of Retry-After. */
  const guess = async (account: string, address: string, right: boolean) => {
    const check = async () => {
      checks += 1
      return right || undefined
    }
    try {
      return (await limit.attempt({ account, address }, check)) ? 'right' : 'wrong'
    } catch (error) {
      if (error instanceof TooManyGuessesError) return error.retryAfter
      throw error
    }
  }
  const wrong = async (count: number, account: string, address: string) => {
    for (let n = 0; n < count; n++) await guess(account, address, false)
  }
  return { time, guess, wrong, checks: () => checks }
}

describe('guesses', () => {
  it('beyond ten of an account and address get no verdict for the rest of five minutes', async () => {
    const { guess, wrong, time } = create()
    for (let n = 0; n < 10; n++) assert.equal(await guess('a', '192.0.2.1', false), 'wrong')
    time.now += 60_000
    assert.equal(await guess('a', '192.0.2.1', false), 240)
    assert.equal(await guess('b', '192.0.2.1', false), 'wrong')
    assert.equal(await guess('a', '192.0.2.2', false), 'wrong')
    time.now += 240_000
    assert.equal(await guess('a', '192.0.2.1', false), 'wrong')
    await wrong(9, 'a', '192.0.2.1')
    assert.equal(await guess('a', '192.0.2.1', false), 300)
  })

  it('beyond a hundred of an address get no verdict, whatever the accounts', async () => {
    const { guess, wrong } = create()
    for (let n = 0; n < 100; n++) await wrong(1, `account-${n}`, '192.0.2.1')
    assert.equal(await guess('another', '192.0.2.1', false), 300)
    assert.equal(await guess('another', '192.0.2.2', false), 'wrong')
  })

  it('of others do not keep out the right secret, from their address or from elsewhere', async () => {
    const { guess, wrong } = create()
    await wrong(20, 'a', '192.0.2.1')
    for (let n = 0; n < 100; n++) await wrong(1, `account-${n}`, '192.0.2.1')
    assert.equal(await guess('a', '192.0.2.1', true), 'right')
    assert.equal(await guess('never seen', '192.0.2.1', true), 'right')
    assert.equal(await guess('a', '192.0.2.9', true), 'right')
  })

  it('are counted together for all addresses of an IPv6 network', async () => {
    const { guess } = create()
    for (let n = 0; n < 10; n++) assert.equal(await guess('a', `2001:db8::${n}`, false), 'wrong')
    assert.equal(await guess('a', '2001:db8::ffff', false), 300)
    assert.equal(await guess('a', '2001:db8:0:1::1', false), 'wrong')
  })

  it('are counted together for an IPv4 address and the same one mapped to IPv6', async () => {
    const { guess, wrong } = create()
    await wrong(10, 'a', '::ffff:192.0.2.1')
    assert.equal(await guess('a', '192.0.2.1', false), 300)
  })

  it('beyond the limit are checked ten times a second at most', async () => {
    const { wrong, guess, checks } = create()
    await wrong(10, 'a', '192.0.2.1')
    const began = performance.now()
    const before = checks()
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => guess('a', '192.0.2.1', false)))
    const seconds = (performance.now() - began) / 1_000
    const checked = checks() - before
    assert.ok(checked <= Math.ceil(seconds * 10) + 1, `${checked} checks in ${seconds} seconds`)
    assert.ok(checked >= 10, `${checked} checks`)
    assert.ok(outcomes.every(outcome => typeof outcome === 'number'))
    assert.ok(outcomes.includes(1), 'some were rejected at once')
  })

  it('at once are slowed down as soon as ten of them were wrong', async () => {
    const { guess, checks } = create()
    const began = performance.now()
    const guesses = Array.from({ length: 300 }, () => guess('a', '192.0.2.1', false))
    const outcomes = await Promise.all([...guesses, guess('a', '192.0.2.1', true)])
    const seconds = (performance.now() - began) / 1_000
    assert.equal(outcomes.filter(outcome => outcome === 'wrong').length, 10)
    assert.equal(outcomes.at(-1), 'right')
    assert.ok(checks() <= 12 + Math.ceil(seconds * 10), `${checks()} checks in ${seconds} seconds`)
  })

  it('with the right secret are not limited, however many there are at once', async () => {
    const { guess } = create()
    const outcomes = await Promise.all(Array.from({ length: 500 }, () => guess('a', '192.0.2.1', true)))
    assert.ok(outcomes.every(outcome => outcome === 'right'))
  })

  it('of many accounts do not delay an account that is known at the address', async () => {
    const { guess, wrong } = create()
    assert.equal(await guess('known', '192.0.2.1', true), 'right')
    for (let n = 0; n < 100; n++) await wrong(1, `account-${n}`, '192.0.2.1')
    const flood = Promise.all(Array.from({ length: 40 }, (_, n) => guess(`more-${n}`, '192.0.2.1', false)))
    const began = performance.now()
    assert.equal(await guess('known', '192.0.2.1', true), 'right')
    assert.ok(performance.now() - began < 100)
    await flood
  })

  it('pass on an error of the check and do not count it', async () => {
    const limit = createGuessLimit({ now: () => 0, name: 'test' })
    const broken = async () => {
      throw new Error('no database')
    }
    for (let n = 0; n < 12; n++)
      await assert.rejects(limit.attempt({ account: 'a', address: '192.0.2.1' }, broken), /no database/)
    assert.equal(
      await limit.attempt({ account: 'a', address: '192.0.2.1' }, async () => undefined),
      undefined,
    )
  })
})
