// What a sign-in has to remember between two requests: a row that is found by the browser's token, can be used once, and expires
// after five minutes.
import type { Sql, Tx } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { hashToken, newToken } from '../lib/tokens.ts'
import * as store from './challenges.store.ts'
import { stepExpired } from './sign-in.errors.ts'

const LIFETIME_MS = 5 * 60_000

/** The challenge that an authenticator signs, and for which origin. */
export interface WebAuthnChallenge {
  challenge: string
  origin: string
  rpId: string
}

export interface ChallengeData {
  /** The first factor is right; one of the second ones is missing. */
  'second-factor': { first: string; passkey: WebAuthnChallenge | null }
  passkey: WebAuthnChallenge
  'passkey-registration': WebAuthnChallenge
  issuer: { state: string; nonce: string; verifier: string; redirectUri: string }
}

type Kind = keyof ChallengeData

export type Challenges = ReturnType<typeof createChallenges>

export function createChallenges({ sql, clock }: { sql: Sql; clock: Clock }) {
  return {
    async create<K extends Kind>(
      kind: K,
      data: ChallengeData[K],
      { userId = null, tx = sql }: { userId?: string | null; tx?: Tx | Sql } = {},
    ): Promise<string> {
      const token = newToken()
      const expiresAt = new Date(clock.now().getTime() + LIFETIME_MS)
      await store.insertChallenge(tx, { tokenHash: hashToken(token), kind, userId, data, expiresAt })
      return token
    },

    /** Does not use it up. */
    async find<K extends Kind>(
      token: string,
      kinds: readonly K[],
    ): Promise<{ [P in K]: { kind: P; userId: string | null; data: ChallengeData[P] } }[K]> {
      const found = await store.findChallenge(sql, { tokenHash: hashToken(token), kinds, now: clock.now() })
      if (!found) throw stepExpired()
      return found as never
    },

    /** Uses it up. */
    async take<K extends Kind>(
      tx: Tx | Sql,
      token: string,
      kind: K,
    ): Promise<{ userId: string | null; data: ChallengeData[K] }> {
      const taken = await store.takeChallenge<ChallengeData[K]>(tx, {
        tokenHash: hashToken(token),
        kind,
        now: clock.now(),
      })
      if (!taken) throw stepExpired()
      return taken
    },

    deleteExpired: () => store.deleteExpiredChallenges(sql, clock.now()),
  }
}
