// Limits on guessing passwords and codes. An address from which a person has signed in before is counted by itself: guesses
// from elsewhere cannot keep that person out.
import { createLimiter, tooManyRequests } from '../lib/limiter.ts'
import { networkOf } from '../lib/network-address.ts'
import { ONE_PROCESS, type WorkerBus } from '../lib/worker-bus.ts'

const WINDOW_SECONDS = 15 * 60
const PER_ACCOUNT = 10
const PER_ADDRESS = 100

export interface Guess {
  /** The folded e-mail address, or the user id: whether it exists makes no difference. */
  account: string
  address: string
  /** Whether the person has signed in from this address before. */
  isKnown: boolean
  /** For guesses within a session: they count for the person, from whatever address a stolen cookie is used. */
  isSignedIn?: boolean
}

export type GuessLimits = ReturnType<typeof createGuessLimits>

export function createGuessLimits({ now, bus = ONE_PROCESS }: { now: () => number; bus?: WorkerBus }) {
  const limiterOf = (name: string, limit: number) =>
    createLimiter({ limit, windowSeconds: WINDOW_SECONDS, now, shared: bus.counts(name) })
  const byAccount = limiterOf('passwords by account', PER_ACCOUNT)
  const byAddress = limiterOf('passwords by address', PER_ADDRESS)
  const keyOf = ({ account, address, isKnown, isSignedIn = false }: Guess) =>
    `${account} ${isSignedIn ? 'signed in' : isKnown ? networkOf(address) : 'elsewhere'}`

  return {
    /** Throws where the limit is reached. */
    requireAllowed(guess: Guess): void {
      // Many people can share an address, so that the guesses of one must not keep the others out.
      const address = guess.isKnown ? 0 : byAddress.blockedFor(networkOf(guess.address))
      const seconds = Math.max(byAccount.blockedFor(keyOf(guess)), address)
      if (seconds > 0)
        throw tooManyRequests(`Too many wrong passwords or codes. Wait ${seconds} seconds.`, {
          headers: { 'retry-after': String(seconds) },
        })
    },
    countWrong(guess: Guess): void {
      byAccount.count(keyOf(guess))
      byAddress.count(networkOf(guess.address))
    },
  }
}
