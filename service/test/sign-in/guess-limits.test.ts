import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createGuessLimits } from '../../src/sign-in/guess-limits.ts'

const setUp = () => {
  let time = 0
  const limits = createGuessLimits({ now: () => time })
  return {
    ...limits,
    advance: (seconds: number) => {
      time += seconds * 1000
    },
    isAllowed(guess: Parameters<typeof limits.requireAllowed>[0]) {
      try {
        limits.requireAllowed(guess)
        return true
      } catch {
        return false
      }
    },
  }
}

describe('limits on guessing', () => {
  it('give no verdict on an account after ten wrong guesses, for 15 minutes', () => {
    const { countWrong, errorBeyond, advance } = setUp()
    for (let count = 0; count < 10; count++) {
      const guess = { account: 'ruth', address: `10.0.0.${count}`, isKnown: false }
      assert.equal(errorBeyond(guess), undefined)
      countWrong(guess)
    }
    assert.ok(errorBeyond({ account: 'ruth', address: '10.0.0.99', isKnown: false }))
    assert.equal(errorBeyond({ account: 'vera', address: '10.0.0.99', isKnown: false }), undefined)
    advance(901)
    assert.equal(errorBeyond({ account: 'ruth', address: '10.0.0.99', isKnown: false }), undefined)
  })

  it('block a right password after ten wrong ones from its address, and after a hundred from elsewhere', () => {
    const { countWrong, isAllowed, advance } = setUp()
    const guessFrom = (address: string) => ({ account: 'ruth', address, isKnown: false })
    for (let count = 0; count < 10; count++) countWrong(guessFrom('10.0.0.1'))
    assert.ok(!isAllowed(guessFrom('10.0.0.1')))
    for (let count = 10; count < 100; count++) {
      assert.ok(isAllowed(guessFrom('10.0.0.99')))
      countWrong(guessFrom(`10.1.0.${count}`))
    }
    assert.ok(!isAllowed(guessFrom('10.0.0.99')))
    assert.ok(isAllowed({ ...guessFrom('10.0.0.99'), isKnown: true }))
    assert.ok(isAllowed({ ...guessFrom('10.0.0.99'), account: 'vera' }))
    advance(901)
    assert.ok(isAllowed(guessFrom('10.0.0.99')))
  })

  it('block a right password after ten more wrong ones from an address beyond the limit', () => {
    const { countWrong, isAllowed } = setUp()
    const guessFrom = (address: string) => ({ account: 'ruth', address, isKnown: false })
    for (const address of ['10.0.0.1', '10.0.0.2']) {
      assert.ok(isAllowed(guessFrom(address)))
      for (let count = 0; count < 10; count++) countWrong(guessFrom(address))
      assert.ok(!isAllowed(guessFrom(address)))
    }
  })

  it('block a right code after ten wrong ones, also from elsewhere', () => {
    const { countWrong, isAllowed } = setUp()
    const guessFrom = (address: string) => ({ account: 'ruth', address, isKnown: false, isCode: true })
    for (let count = 0; count < 10; count++) countWrong(guessFrom(`10.0.0.${count}`))
    assert.ok(!isAllowed(guessFrom('10.0.0.99')))
    assert.ok(isAllowed({ ...guessFrom('10.0.0.99'), isKnown: true }))
  })

  it('count an address that the person has used before by itself', () => {
    const { countWrong, isAllowed } = setUp()
    for (let count = 0; count < 10; count++)
      countWrong({ account: 'ruth', address: '203.0.113.9', isKnown: false })
    const home = { account: 'ruth', address: '198.51.100.7', isKnown: true }
    assert.ok(isAllowed(home))
    for (let count = 0; count < 10; count++) countWrong(home)
    assert.ok(!isAllowed(home))
  })

  it('count for the person within a session, whatever its address', () => {
    const { countWrong, isAllowed } = setUp()
    const guessFrom = (address: string) => ({ account: 'ruth', address, isKnown: true, isSignedIn: true })
    for (let count = 0; count < 10; count++) countWrong(guessFrom(`10.0.${count}.1`))
    assert.ok(!isAllowed(guessFrom('10.0.99.1')))
    assert.ok(isAllowed({ account: 'ruth', address: '10.0.99.1', isKnown: true }))
    assert.ok(isAllowed({ account: 'ruth', address: '10.0.99.1', isKnown: false }))
  })

  it('block an address after a hundred wrong guesses, but not the people who use it', () => {
    const { countWrong, isAllowed } = setUp()
    const address = '192.0.2.1'
    for (let count = 0; count < 100; count++)
      countWrong({ account: `guess-${count}`, address, isKnown: false })
    assert.ok(!isAllowed({ account: 'another', address, isKnown: false }))
    assert.ok(isAllowed({ account: 'ruth', address, isKnown: true }))
    assert.ok(isAllowed({ account: 'another', address: '192.0.2.2', isKnown: false }))
  })

  it('reject wrong guesses for every account alike beyond the limit of an address, and of an account', () => {
    const { countWrong, errorBeyond, isBlocked, advance } = setUp()
    const address = '192.0.2.1'
    const known = { account: 'ruth', address, isKnown: true }
    const stranger = { account: 'vera', address, isKnown: false }
    const retryAfterOf = (guess: typeof known) => errorBeyond(guess)?.headers?.['retry-after']
    for (let count = 0; count < 100; count++)
      countWrong({ account: `guess-${count}`, address, isKnown: false })
    assert.equal(retryAfterOf(known), '900')
    assert.equal(retryAfterOf(stranger), '900')
    advance(901)
    for (const { account } of [known, stranger])
      for (let count = 0; count < 10; count++)
        countWrong({ account, address: `10.0.0.${count}`, isKnown: false })
    assert.equal(retryAfterOf(known), '900')
    assert.equal(retryAfterOf(stranger), '900')
    assert.ok(!isBlocked(known) && !isBlocked(stranger))
  })

  it('count alike whether the person is known at the address or not, also for other addresses and later', () => {
    const known = { account: 'ruth', address: '192.0.2.1', isKnown: true }
    const stranger = { account: 'vera', address: '192.0.2.1', isKnown: false }
    const { countWrong, errorBeyond, advance } = setUp()
    const verdicts = (guess: typeof known) =>
      ['192.0.2.1', '10.0.0.1'].map(address => errorBeyond({ ...guess, address })?.headers?.['retry-after'])
    for (const seconds of [300, 500, 200, 600, 10, 900]) {
      for (let count = 0; count < 6; count++) for (const guess of [known, stranger]) countWrong(guess)
      assert.deepEqual(verdicts(known), verdicts(stranger))
      advance(seconds)
      assert.deepEqual(verdicts(known), verdicts(stranger))
    }
  })

  it('block the right password of a known person after ten wrong ones beyond the limit of the address', () => {
    const { countWrong, isAllowed, advance } = setUp()
    const address = '192.0.2.1'
    for (let count = 0; count < 100; count++)
      countWrong({ account: `guess-${count}`, address, isKnown: false })
    const guess = { account: 'ruth', address, isKnown: true }
    for (let count = 0; count < 10; count++) {
      assert.ok(isAllowed(guess))
      countWrong(guess)
    }
    assert.ok(!isAllowed(guess))
    assert.ok(isAllowed({ ...guess, account: 'vera' }))
    advance(901)
    assert.ok(isAllowed(guess))
  })

  it('count all addresses of an IPv6 network as one', () => {
    const { countWrong, isAllowed } = setUp()
    for (let count = 0; count < 100; count++)
      countWrong({ account: `guess-${count}`, address: `2001:db8:1:2::${count}`, isKnown: false })
    assert.ok(!isAllowed({ account: 'another', address: '2001:db8:1:2:ffff::1', isKnown: false }))
    assert.ok(isAllowed({ account: 'another', address: '2001:db8:1:3::1', isKnown: false }))
  })
})
