// The code that an authenticator app shows, computed independently of the service (RFC 6238).
import { createHmac } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export function totpCode(secret: string, now = Date.now()): string {
  let bits = 0n
  for (const letter of secret) bits = (bits << 5n) | BigInt(ALPHABET.indexOf(letter))
  const bytes = Math.floor((secret.length * 5) / 8)
  const key = Buffer.from(
    (bits >> BigInt(secret.length * 5 - bytes * 8)).toString(16).padStart(bytes * 2, '0'),
    'hex',
  )
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(now / 30_000)))
  const digest = createHmac('sha1', key).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 0xf
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
