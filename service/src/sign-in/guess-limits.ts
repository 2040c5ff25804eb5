// Limits on guessing passwords and codes. Beyond them a wrong guess is 429, for every account alike. The right password still
// passes: guesses from elsewhere cannot keep its owner out. After a hundred of them it passes only at an address from which
// the person has signed in before, as a right code does after ten.
import { createLimiter, tooManyRequests } from '../lib/limiter.ts'
import { networkOf } from '../lib/network-address.ts'
import { ONE_PROCESS, type WorkerBus } from '../lib/worker-bus.ts'

const WINDOW_SECONDS = 15 * 60
const PER_ACCOUNT = 10
const PER_ADDRESS = 100
/** Of one account beyond the limit, from anywhere: many addresses together must not guess for ever. */
const BEYOND_PER_ACCOUNT = 90

export interface Guess {
  /** The folded e-mail address, or the user id: whether it exists makes no difference. */
  account: string
  address: string
  /** Whether the person has signed in from this address before. */
  isKnown: boolean
  /** For guesses within a session: they count for the person, from whatever address a stolen cookie is used. */
  isSignedIn?: boolean
  /** A code of six digits: there are too few for more guesses. */
  isCode?: boolean
}

export type GuessLimits = ReturnType<typeof createGuessLimits>

export function createGuessLimits({ now, bus = ONE_PROCESS }: { now: () => number; bus?: WorkerBus }) {
  const limiterOf = (name: string, limit: number) =>
    createLimiter({ limit, windowSeconds: WINDOW_SECONDS, now, shared: bus.counts(name) })
  const byAccount = limiterOf('passwords by account', PER_ACCOUNT)
  const byAddress = limiterOf('passwords by address', PER_ADDRESS)
  const beyondByAccount = limiterOf('passwords by account beyond its limit', BEYOND_PER_ACCOUNT)
  const keysOf = ({ account, address }: Guess) => ({
    signedIn: `${account} signed in`,
    anywhere: `${account} anywhere`,
    here: `${account} ${networkOf(address)}`,
    hereBeyond: `${account} ${networkOf(address)} beyond`,
  })

  /** Seconds without a verdict on wrong guesses: the same whether the person is known at the address, and exists at all. */
  const secondsWithoutVerdict = (guess: Guess): number => {
    const { signedIn, anywhere, here } = keysOf(guess)
    if (guess.isSignedIn) return byAccount.blockedFor(signedIn)
    const ofAccount = Math.max(byAccount.blockedFor(anywhere), byAccount.blockedFor(here))
    return Math.max(ofAccount, byAddress.blockedFor(networkOf(guess.address)))
  }

  /** What a wrong guess gets instead of a verdict, where the limit is reached. */
  const errorBeyond = (guess: Guess) => {
    const seconds = secondsWithoutVerdict(guess)
    if (seconds === 0) return undefined
    return tooManyRequests(`Too many wrong passwords or codes. Wait ${seconds} seconds.`, {
      headers: { 'retry-after': String(seconds) },
    })
  }

  /** Whether even a right guess is rejected. Where the person is known, guesses from elsewhere or for others do not count. */
  const isBlocked = (guess: Guess): boolean => {
    if (secondsWithoutVerdict(guess) === 0) return false
    if (guess.isSignedIn) return true
    const { here, hereBeyond } = keysOf(guess)
    if (byAccount.blockedFor(here) > 0 || byAccount.blockedFor(hereBeyond) > 0) return true
    if (guess.isKnown) return false
    const ofAddress = byAddress.blockedFor(networkOf(guess.address))
    return guess.isCode === true || ofAddress > 0 || beyondByAccount.blockedFor(guess.account) > 0
  }

  return {
    errorBeyond,
    isBlocked,

    /** Throws where even a right guess is rejected. */
    requireAllowed(guess: Guess): void {
      const error = isBlocked(guess) ? errorBeyond(guess) : undefined
      if (error) throw error
    },

    countWrong(guess: Guess): void {
      const { signedIn, anywhere, here, hereBeyond } = keysOf(guess)
      if (secondsWithoutVerdict(guess) > 0) {
        // Only guesses that are compared: a flood of invented accounts would drop the windows of others.
        if (isBlocked(guess)) return
        byAccount.count(hereBeyond)
        beyondByAccount.count(guess.account)
        return
      }
      for (const key of guess.isSignedIn ? [signedIn] : [anywhere, here]) byAccount.count(key)
      byAddress.count(networkOf(guess.address))
    },
  }
}
