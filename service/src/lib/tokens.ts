// Random tokens that are stored as a hash only: sessions, invitations, steps of a sign-in.
import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits, in characters that need no escaping in a URL or a cookie. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Whether `newToken` can have made it. */
export const isToken = (text: string) => /^[\w-]{43}$/.test(text)

/** A token is random, so that a fast hash protects it. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
