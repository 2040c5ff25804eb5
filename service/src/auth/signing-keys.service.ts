// Owns the keys that sign access tokens. A key is published some minutes before it signs and is kept until the last
// token it signed has run out, so that rotating refuses nobody, on this service or on one beside it.
import { setTimeout as sleep } from 'node:timers/promises'
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import * as store from './signing-keys.store.ts'

/** The one algorithm of our own tokens. */
export const ALGORITHM = 'ES256'

const DAY = 86_400_000
const LIFETIME = 30 * DAY
const PUBLISHED_BEFORE = 10 * 60_000
// The longest TOKEN_TTL is a day; the second one is for clocks that disagree.
const KEPT_AFTER = 2 * DAY
const SHORTEST_RELOAD = 1_000
// With the time for which the published set may be kept (five minutes) this is well below PUBLISHED_BEFORE.
const LONGEST_PUBLISHED = 60_000

export interface SigningKey {
  kid: string
  issuer: string
  signsFrom: number
  createdAt: number
  privateKey: CryptoKey
  publicKey: CryptoKey
  publicJwk: JWK
}

export type SigningKeys = ReturnType<typeof createSigningKeys>

interface Options {
  db: Database
  clock: Clock
  /** The issuer's URL; where it is not configured, the one in use goes on, or the fallback starts. */
  issuer: { configured: string | undefined; fallback: string }
}

export function createSigningKeys({ db, clock, issuer }: Options) {
  let keys: SigningKey[] = []
  let loadedAt = 0
  let publishedUntil = 0
  let reloading: Promise<void> | undefined

  const load = async () => {
    loadedAt = performance.now()
    publishedUntil = clock.now().getTime() + LONGEST_PUBLISHED
    keys = await Promise.all((await store.listSigningKeys(db.sql)).map(importKey))
  }

  /** However many tokens name an unknown key, the database is asked once a second; they wait for that answer. */
  const reload = () => {
    reloading ??= sleep(Math.max(0, loadedAt + SHORTEST_RELOAD - performance.now()))
      .then(load)
      .finally(() => {
        reloading = undefined
      })
    return reloading
  }

  /** Makes the next key when the newest is old, or of another issuer; drops those that no living token was signed with. */
  const rotate = async ({ force = false } = {}) => {
    await db.transaction(async tx => {
      await store.lockSigningKeys(tx)
      const now = clock.now().getTime()
      const rows = await store.listSigningKeys(tx)
      const [newest] = rows
      const wanted = issuer.configured ?? newest?.issuer ?? issuer.fallback
      const moved = newest?.issuer !== wanted
      if (!newest || moved || force || now - newest.createdAt.getTime() > LIFETIME) {
        const signsFrom = new Date(!newest || moved ? now : now + PUBLISHED_BEFORE)
        await store.insertSigningKey(
          tx,
          await makeKey({ issuer: wanted, createdAt: new Date(now), signsFrom }),
        )
      }
      await store.deleteSigningKeys(tx, supersededBefore(rows, now - KEPT_AFTER))
    })
    await load()
  }

  return {
    /** Must have run once before a token is issued or verified. */
    rotate,
    /** The key that signs now. */
    current(): SigningKey {
      const now = clock.now().getTime()
      const key = keys.find(candidate => candidate.signsFrom <= now) ?? keys.at(-1)
      if (!key) throw new Error('There is no signing key.')
      return key
    },
    /** Looks again in the database for a key that a service beside us may have made. */
    async find(kid: string): Promise<SigningKey | undefined> {
      const known = () => keys.find(key => key.kid === kid)
      if (!known()) await reload()
      return known()
    },
    /** Looks again for keys that a service beside us has made; while the database is away, those we know have to do. */
    async publicJwks() {
      if (publishedUntil <= clock.now().getTime()) await reload().catch(() => {})
      return { keys: keys.map(key => key.publicJwk) }
    },
  }
}

function supersededBefore(rows: store.SigningKeyRow[], time: number): string[] {
  // Newest first: a key stopped signing when the one before it in this list began.
  return rows.slice(1).flatMap((row, index) => {
    const successor = rows[index]
    return successor && successor.signsFrom.getTime() < time ? [row.kid] : []
  })
}

async function makeKey(key: Omit<store.SigningKeyRow, 'kid' | 'privateJwk'>): Promise<store.SigningKeyRow> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true })
  return { ...key, kid: newId<'signingKey'>(), privateJwk: await exportJWK(privateKey) }
}

async function importKey(row: store.SigningKeyRow): Promise<SigningKey> {
  const { d: _private, ...publicPart } = row.privateJwk
  const publicJwk = { ...publicPart, kid: row.kid, use: 'sig', alg: ALGORITHM }
  return {
    kid: row.kid,
    issuer: row.issuer,
    signsFrom: row.signsFrom.getTime(),
    createdAt: row.createdAt.getTime(),
    privateKey: (await importJWK(row.privateJwk, ALGORITHM)) as CryptoKey,
    publicKey: (await importJWK(publicJwk, ALGORITHM)) as CryptoKey,
    publicJwk,
  }
}
