// Passwords: which ones are accepted, and how they are hashed. argon2id takes memory and time on purpose, so that few run at
// once: a flood of sign-ins waits or is rejected, and other requests are served.
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { BudgetExceeded, createBudget } from '../lib/budget.ts'
import { fold } from '../lib/fold.ts'
import { declareProblem } from '../lib/problem.ts'
import { COMMON_PASSWORDS } from './common-passwords.ts'

export const signInBusy = declareProblem({
  code: 'sign-in-busy',
  status: 503,
  title: 'Too many people sign in at the moment.',
  remedy: 'Try again after the seconds in Retry-After.',
})

export const MIN_LENGTH = 12
export const MAX_LENGTH = 256

interface Cost {
  /** KiB */
  memory: number
  passes: number
}

// The hash names its cost: raise it here, and each password is hashed anew when its owner next signs in.
const COST: Cost = { memory: 19_456, passes: 2 }
const HASH_BYTES = 32
/** In all processes of the service, but at least one in each. */
const CONCURRENT = 2
const MAX_WAITING = 100
const MAX_WAIT_MS = 5_000

export type Passwords = ReturnType<typeof createPasswords>

export function createPasswords({
  cost = COST,
  processes = 1,
}: {
  cost?: Cost
  /** How many processes serve the requests of this service. */
  processes?: number
} = {}) {
  const capacity = Math.max(1, Math.floor(CONCURRENT / processes))
  const budget = createBudget({ capacity, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS })

  const derive = async (password: string, salt: Buffer, { memory, passes }: Cost): Promise<Buffer> => {
    const slot = await budget.reserve(1).catch(error => {
      if (error instanceof BudgetExceeded) throw signInBusy(undefined, { headers: { 'retry-after': '2' } })
      throw error
    })
    try {
      return await runArgon2(password, salt, { memory, passes })
    } finally {
      slot.release()
    }
  }

  const hash = async (password: string): Promise<string> => {
    const salt = randomBytes(16)
    const key = await derive(password, salt, cost)
    return format(cost, salt, key)
  }

  // Compared when there is no such user or password, so that it takes as long as a wrong password.
  const dummySalt = randomBytes(16)
  const dummy = format(cost, dummySalt, randomBytes(HASH_BYTES))

  return {
    hash,

    async verify(password: string, stored: string | undefined): Promise<boolean> {
      const parsed = parse(stored ?? dummy)
      if (!parsed) return false
      const key = await derive(password, parsed.salt, parsed)
      return key.length === parsed.key.length && timingSafeEqual(key, parsed.key) && stored !== undefined
    },

    isOutdated(stored: string): boolean {
      const parsed = parse(stored)
      return parsed?.memory !== cost.memory || parsed.passes !== cost.passes
    },
  }
}

/** Why the password is not accepted, or undefined. */
export function passwordErrorOf(
  password: string,
  { email, name }: { email: string; name: string },
): string | undefined {
  const length = [...password].length
  // Spaces around it add nothing that is hard to guess, and the checks below do not see them.
  if ([...password.trim()].length < MIN_LENGTH) return `Must have at least ${MIN_LENGTH} characters.`
  if (length > MAX_LENGTH) return `Must have at most ${MAX_LENGTH} characters.`
  const folded = fold(password)
  const stem = folded.replace(/[^\p{L}]+$/u, '')
  const own = [fold(email), fold(email).split('@')[0] ?? '', fold(name), fold(name).replaceAll(' ', '')]
  if (own.some(text => text !== '' && (folded === text || stem === text)))
    return 'Must not be your e-mail address or name. Choose other words.'
  const repeated = /^(.{1,4})\1+$/su.test(folded)
  const digitsOnly = /^\d+$/.test(folded)
  if (repeated || digitsOnly || COMMON_PASSWORDS.has(folded) || COMMON_PASSWORDS.has(stem))
    return 'Is easy to guess. Choose several words that do not belong together.'
  return undefined
}

function runArgon2(password: string, salt: Buffer, { memory, passes }: Cost): Promise<Buffer> {
  const parameters = {
    // The same characters from another keyboard or system are the same password.
    message: password.normalize('NFKC'),
    nonce: salt,
    parallelism: 1,
    tagLength: HASH_BYTES,
    memory,
    passes,
  }
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

const encode = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

/** As other implementations of argon2 write it: $argon2id$v=19$m=…,t=…,p=1$salt$hash. */
function format({ memory, passes }: Cost, salt: Buffer, key: Buffer): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$${encode(salt)}$${encode(key)}`
}

function parse(stored: string): (Cost & { salt: Buffer; key: Buffer }) | undefined {
  const [, memory, passes, salt = '', key = ''] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([\w+/]+)\$([\w+/]+)$/.exec(stored) ?? []
  if (!memory) return undefined
  return {
    memory: Number(memory),
    passes: Number(passes),
    salt: Buffer.from(salt, 'base64'),
    key: Buffer.from(key, 'base64'),
  }
}
