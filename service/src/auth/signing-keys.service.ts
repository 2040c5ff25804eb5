// The keys that sign access tokens. A key is published ten minutes before it signs, and is kept until the last token that it
// signed has expired, so that a rotation invalidates no token, on this service or on another one on the same database.
import { setTimeout as sleep } from 'node:timers/promises'
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { Database } from '../db/database.ts'
import { placeOf } from '../db/sealed-columns.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Sealer } from '../lib/sealing.ts'
import * as store from './signing-keys.store.ts'

/** The only algorithm of our own tokens. */
export const ALGORITHM = 'ES256'

const DAY = 86_400_000
const ROTATE_AFTER = 30 * DAY
const PUBLISHED_BEFORE = 10 * 60_000
// TOKEN_TTL is at most a day; the second day allows for clock skew.
const DELETE_AFTER = 2 * DAY
const MIN_RELOAD_INTERVAL = 1_000
// Together with the max-age of the published key set (five minutes) this is well below PUBLISHED_BEFORE.
const MAX_JWKS_AGE = 60_000

interface SigningKey {
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
  sealer: Sealer
  clock: Clock
  /** The issuer's URL. When it is not configured, the issuer of the newest key is kept; the first key gets the fallback. */
  issuer: { configured: string | undefined; fallback: string }
}

export function createSigningKeys({ db, sealer, clock, issuer }: Options) {
  let keys: SigningKey[] = []
  let loadedAt = 0
  let jwksExpiresAt = 0
  let reloading: Promise<void> | undefined

  const load = async () => {
    loadedAt = performance.now()
    jwksExpiresAt = clock.now().getTime() + MAX_JWKS_AGE
    keys = await Promise.all((await store.listSigningKeys(db.sql)).map(row => importKey(row, sealer)))
  }

  /** Coalesces reloads, at most one per second, however many tokens have an unknown key. */
  const reload = () => {
    reloading ??= sleep(Math.max(0, loadedAt + MIN_RELOAD_INTERVAL - performance.now()))
      .then(load)
      .finally(() => {
        reloading = undefined
      })
    return reloading
  }

  /** Creates the next key when the newest is old or of another issuer; deletes keys whose tokens have all expired. */
  const rotate = async ({ force = false } = {}) => {
    await db.transaction(async tx => {
      await store.lockSigningKeys(tx)
      const now = clock.now().getTime()
      const rows = await store.listSigningKeys(tx)
      const [newest] = rows
      const currentIssuer = issuer.configured ?? newest?.issuer ?? issuer.fallback
      const issuerChanged = newest?.issuer !== currentIssuer
      if (!newest || issuerChanged || force || now - newest.createdAt.getTime() > ROTATE_AFTER) {
        const signsFrom = new Date(!newest || issuerChanged ? now : now + PUBLISHED_BEFORE)
        await store.insertSigningKey(
          tx,
          await createKey({ issuer: currentIssuer, createdAt: new Date(now), signsFrom }, sealer),
        )
      }
      await store.deleteSigningKeys(tx, supersededBefore(rows, now - DELETE_AFTER))
    })
    await load()
  }

  return {
    /** Must have run once before a token is issued or verified. */
    rotate,
    /** The key that signs new tokens. */
    current(): SigningKey {
      const now = clock.now().getTime()
      const key = keys.find(candidate => candidate.signsFrom <= now) ?? keys.at(-1)
      if (!key) throw new Error('There is no signing key.')
      return key
    },
    /** Reloads the keys when this one is unknown: another service may have created it. */
    async find(kid: string): Promise<SigningKey | undefined> {
      const known = () => keys.find(key => key.kid === kid)
      if (!known()) await reload()
      return known()
    },
    /** Reloads the keys every minute, because another service may have created one; keeps the known ones while that fails. */
    async publicJwks() {
      if (jwksExpiresAt <= clock.now().getTime()) await reload().catch(() => {})
      return { keys: keys.map(key => key.publicJwk) }
    },
  }
}

function supersededBefore(rows: store.SigningKeyRow[], time: number): string[] {
  // Newest first: a key stops signing when the one before it in this list begins.
  return rows.slice(1).flatMap((row, index) => {
    const successor = rows[index]
    return successor && successor.signsFrom.getTime() < time ? [row.kid] : []
  })
}

async function createKey(
  key: Omit<store.SigningKeyRow, 'kid' | 'privateJwk'>,
  sealer: Sealer,
): Promise<store.SigningKeyRow> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true })
  const kid = newId<'signingKey'>()
  const json = JSON.stringify(await exportJWK(privateKey))
  const stored = sealer.seal(json, placeOf(store.signingKeyColumn, kid))
  return { ...key, kid, privateJwk: stored === json ? JSON.parse(json) : stored }
}

async function importKey(row: store.SigningKeyRow, sealer: Sealer): Promise<SigningKey> {
  const privateJwk: JWK =
    typeof row.privateJwk === 'string'
      ? JSON.parse(sealer.unseal(row.privateJwk, placeOf(store.signingKeyColumn, row.kid)))
      : row.privateJwk
  const { d: _private, ...publicPart } = privateJwk
  const publicJwk = { ...publicPart, kid: row.kid, use: 'sig', alg: ALGORITHM }
  return {
    kid: row.kid,
    issuer: row.issuer,
    signsFrom: row.signsFrom.getTime(),
    createdAt: row.createdAt.getTime(),
    privateKey: (await importJWK(privateJwk, ALGORITHM)) as CryptoKey,
    publicKey: (await importJWK(publicJwk, ALGORITHM)) as CryptoKey,
    publicJwk,
  }
}
