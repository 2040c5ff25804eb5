// Limits how many secrets can be tried, without locking out a caller that has the right one. After too many wrong secrets
// a further wrong one is 429, and further secrets are checked slowly: in turns and at a limited rate. The right one still
// passes (docs/decisions/0023-guesses.md).
import { availableParallelism } from 'node:os'
import { createFairQueue, QueueFullError } from './fair-queue.ts'
import { createLimiter } from './limiter.ts'
import { networkOf } from './network-address.ts'
import { ONE_PROCESS, type WorkerBus } from './worker-bus.ts'

const WINDOW_SECONDS = 300
const WRONG_PER_ACCOUNT = 10
const WRONG_PER_ADDRESS = 100
/** Between two checks of secrets for an account and address with too many wrong ones: ten a second, by all processes. */
const PACE_MS = 100
/** Secrets that wait to be checked, of one turn: fewer where they are checked slowly, so that each still gets its turn. */
const WAITING = { maxWaiting: 1_000, maxWaitingSlow: 50 }
const MAX_FAMILIAR = 10_000
const MAX_ACCOUNT_LENGTH = 128

export class TooManyGuessesError extends Error {
  readonly retryAfter: number
  constructor(retryAfter: number) {
    super(`Wait ${retryAfter} seconds.`)
    this.retryAfter = retryAfter
  }
}

interface Guess {
  /** Whose secret it is, in one spelling. */
  account: string
  address: string
}

export type GuessLimit = ReturnType<typeof createGuessLimit>

interface GuessLimitOptions {
  now: () => number
  /** What is guessed: the processes of a service share the limits of one name. */
  name: string
  bus?: WorkerBus
  /** Checks at the same time in this process. By default, slow hashes leave one core to everything else. */
  concurrency?: number
}

export function createGuessLimit({
  now,
  name,
  bus = ONE_PROCESS,
  concurrency = Math.max(1, Math.floor((availableParallelism() - 1) / bus.processes)),
}: GuessLimitOptions) {
  const limiterOf = (what: string, limit: number) =>
    createLimiter({ limit, windowSeconds: WINDOW_SECONDS, now, shared: bus.counts(`${name} ${what}`) })
  const byAccount = limiterOf('by account', WRONG_PER_ACCOUNT)
  const byAddress = limiterOf('by address', WRONG_PER_ADDRESS)
  const slowPace = PACE_MS * bus.processes
  const queue = createFairQueue({ concurrency, ...WAITING })
  /** Accounts that had the right secret, each with its address; the latest at the end. */
  const familiar = new Set<string>()

  const remember = (key: string) => {
    familiar.delete(key)
    familiar.add(key)
    const [oldest] = familiar
    if (familiar.size > MAX_FAMILIAR && oldest !== undefined) familiar.delete(oldest)
  }
  const topic = `familiar ${name}`
  bus.subscribe(topic, key => key !== undefined && remember(key))

  return {
    /**
     * Runs the check, which returns undefined for a wrong secret. Throws TooManyGuessesError for a wrong secret beyond the
     * limits, and where too many others wait to be checked.
     */
    async attempt<T>(guess: Guess, check: () => Promise<T | undefined>): Promise<T | undefined> {
      const address = networkOf(guess.address)
      // An account that cannot exist needs no limit of its own.
      const account = guess.account.length > MAX_ACCOUNT_LENGTH ? '' : guess.account
      const key = JSON.stringify([account, address])
      const blockedFor = () =>
        Math.max(byAccount.blockedFor(key), familiar.has(key) ? 0 : byAddress.blockedFor(address))

      // An address that tries many accounts has one turn for all of them. An account that is known there has its own turn.
      const hasOwnTurn =
        familiar.has(key) || (byAccount.blockedFor(key) > 0 && byAddress.blockedFor(address) === 0)
      const pace = () => (blockedFor() > 0 ? slowPace : 0)
      const found = await queue.run(hasOwnTurn ? key : address, check, pace).catch(error => {
        throw error instanceof QueueFullError ? new TooManyGuessesError(1) : error
      })
      if (found !== undefined) {
        if (!familiar.has(key)) bus.publish(topic, key)
        remember(key)
        return found
      }
      const wait = blockedFor()
      if (wait > 0) throw new TooManyGuessesError(wait)
      byAccount.count(key)
      byAddress.count(address)
      return undefined
    },
  }
}
