// Generates and hashes secrets.
import { createHash, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

const COST = { N: 16_384, r: 8, p: 1 }
const LENGTH = 32

/** 256 random bits, in characters that need no escaping in a shell, a URL or HTTP Basic. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * A person may have chosen the secret of a client, so that it needs a slow hash. `like` is an earlier hash of the client:
 * with its salt, one computation compares a secret with both.
 */
export async function hashSecret(secret: string, like?: string): Promise<string> {
  const { salt, cost } = (like && parseHash(like)) || { salt: randomBytes(16), cost: COST }
  const hash = await derive(secret, salt, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** Whether one of the hashes is that of the secret. Takes as long for several hashes with one salt as for one. */
export async function verifySecret(secret: string, ...stored: string[]): Promise<boolean> {
  const parsed = stored.map(parseHash).filter(hash => hash !== undefined)
  const bySalt = Map.groupBy(parsed, ({ salt, cost }) => JSON.stringify([salt.toString('hex'), cost]))
  const matches = await Promise.all(
    [...bySalt.values()].map(async hashes => {
      const [{ salt, cost }] = hashes as [ParsedHash]
      const actual = await derive(secret, salt, cost)
      return hashes.filter(({ hash }) => timingSafeEqual(actual, hash)).length > 0
    }),
  )
  return matches.includes(true)
}

interface ParsedHash {
  salt: Buffer
  hash: Buffer
  cost: { N: number; r: number; p: number }
}

function parseHash(stored: string): ParsedHash | undefined {
  const [scheme, N, r, p, salt, hash] = stored.split('$')
  if (scheme !== 'scrypt' || !salt || !hash) return undefined
  return {
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
    cost: { N: Number(N), r: Number(r), p: Number(p) },
  }
}

/** API keys are random, so that a fast hash protects them, and they are verified on every request that needs one. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

function derive(secret: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, LENGTH, cost, (error, key) => (error ? reject(error) : resolve(key)))
  })
}
