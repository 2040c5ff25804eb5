// Codes by an authenticator app (RFC 6238): six digits, SHA-1, a new one every thirty seconds.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const STEP_SECONDS = 30
const DIGITS = 6
/** Clocks of telephones differ: the code before and the one after are accepted too. */
const TOLERANCE = 1
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export function newSeed(): string {
  return base32(randomBytes(20))
}

/** The time step that the code belongs to, or undefined where it is wrong or was used before. */
export function stepOf(seed: string, code: string, { now, lastStep }: { now: Date; lastStep: number }) {
  if (!/^\d{6}$/.test(code)) return undefined
  const current = Math.floor(now.getTime() / 1000 / STEP_SECONDS)
  const given = Buffer.from(code)
  let found: number | undefined
  for (let step = current - TOLERANCE; step <= current + TOLERANCE; step++)
    if (timingSafeEqual(Buffer.from(codeAt(seed, step)), given) && step > lastStep) found ??= step
  return found
}

export function codeAt(seed: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', fromBase32(seed)).update(counter).digest()
  const offset = (digest[digest.length - 1] as number) & 0xf
  const number = digest.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** What authenticator apps read. */
export function uriOf(seed: string, email: string): string {
  const label = `Caseport:${encodeURIComponent(email)}`
  return `otpauth://totp/${label}?secret=${seed}&issuer=Caseport&digits=${DIGITS}&period=${STEP_SECONDS}`
}

export function base32(bytes: Uint8Array): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map(group => ALPHABET[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map(letter => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map(byte => Number.parseInt(byte, 2)))
}
