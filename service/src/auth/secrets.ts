// Generates and hashes secrets.
import { createHash, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

const COST = { N: 16_384, r: 8, p: 1 }
const LENGTH = 32

/** 256 random bits, in characters that need no escaping in a shell, a URL or HTTP Basic. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** A person may have chosen the secret of a client, so that it needs a slow hash. */
export async function hashSecret(secret: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(secret, salt, COST)
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

export async function verifySecret(secret: string, stored: string): Promise<boolean> {
  const [scheme, N, r, p, salt, hash] = stored.split('$')
  if (scheme !== 'scrypt' || !salt || !hash) return false
  const expected = Buffer.from(hash, 'base64url')
  const actual = await derive(secret, Buffer.from(salt, 'base64url'), {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  })
  return timingSafeEqual(actual, expected)
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
