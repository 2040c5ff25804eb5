// Idempotency-Key: the first response is stored in the transaction of the write, so that after a crash either both the
// effect and its response exist, or neither. Each client has its own keys.
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Sql, Tx } from '../db/database.ts'
import { RetryTransaction } from '../db/sqlstate.ts'
import type { Actor } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import { declareProblem, invalidRequest, type Problem } from '../lib/problem.ts'
import { SealedValueError, type Sealer } from '../lib/sealing.ts'
import type { Operation } from './app-types.ts'
import * as store from './idempotency.store.ts'

export const keyReused = declareProblem({
  code: 'idempotency-key-reused',
  status: 422,
  title: 'This Idempotency-Key was used for a different request.',
  remedy:
    'Use a new key for every new request. Reuse a key only to retry the same request, with a token of the same scopes where the response has a secret.',
})
export const keyInProgress = declareProblem({
  code: 'idempotency-key-in-progress',
  status: 409,
  title: 'A request with this Idempotency-Key is still in progress.',
  remedy: 'Retry after the seconds in Retry-After to get its response.',
})

export const KEY_PATTERN = '^[!-~]{1,255}$'
const KEY = new RegExp(KEY_PATTERN)
const TTL_SECONDS = 86_400

export interface WriteResponse {
  status: number
  json: string
  headers?: Record<string, string>
}

/** A key, with the fingerprint of the request that it was sent with. */
interface IdempotencyKey {
  clientId: string
  key: string
  fingerprint: Buffer
  companies: readonly string[] | null
  /** Whether the response has a secret, and is sealed. */
  isSealed: boolean
}

/** The rows live for a day, so that they are not sealed anew when the key of the service is rotated. */
const placeOf = ({ clientId, key }: IdempotencyKey) => ({
  column: 'idempotency_keys.body',
  id: `${clientId}\n${key}`,
})

export function createIdempotency(clock: Clock, sealer: Sealer) {
  const open = (body: string, key: IdempotencyKey): string => {
    try {
      return key.isSealed ? sealer.unseal(body, placeOf(key)) : body
    } catch (error) {
      if (!(error instanceof SealedValueError)) throw error
      throw keyReused('The stored response has a secret, and was sealed with a key that was removed since.')
    }
  }

  /** Without a key of the service to seal it with, a response with a secret is not stored. */
  const upsert = async (sql: Sql, key: IdempotencyKey, response: WriteResponse): Promise<boolean> => {
    const json = key.isSealed ? sealer.seal(response.json, placeOf(key)) : response.json
    if (key.isSealed && json === response.json) return true
    return store.upsertResponse(sql, {
      key,
      response: { ...response, json },
      at: clock.now(),
      oldest: oldest(),
    })
  }

  const oldest = () => new Date(clock.now().getTime() - TTL_SECONDS * 1000)

  return {
    keyOf(request: FastifyRequest, { clientId, companies }: Actor): IdempotencyKey | undefined {
      const key = request.headers['idempotency-key']
      const operation = request.routeOptions.schema as Operation | undefined
      if (key === undefined || !operation?.idempotent) return undefined
      if (typeof key !== 'string' || !KEY.test(key))
        throw invalidRequest('Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.')
      const isSealed = operation.idempotent === 'sealed'
      const fingerprint = createHash('sha256').update(
        `${request.method} ${request.url}\n${JSON.stringify(request.body ?? null)}`,
      )
      // A token with fewer scopes could not create this secret, so that it gets none either.
      if (isSealed) fingerprint.update(`\n${[...(request.principal?.scopes ?? [])].sort().join(' ')}`)
      return { clientId, key, fingerprint: fingerprint.digest(), companies, isSealed }
    },

    /** The stored response, or undefined for a new key. */
    async begin(tx: Tx, key: IdempotencyKey): Promise<WriteResponse | undefined> {
      // Two statements in one round trip: the second must see what the previous holder of the lock committed.
      const [locked, stored] = await Promise.all([
        store.lockKey(tx, key),
        store.findResponse(tx, key, oldest()),
      ])
      if (!locked) throw keyInProgress(undefined, { headers: { 'retry-after': '1' } })
      if (!stored) return undefined
      if (!stored.fingerprint.equals(key.fingerprint)) throw keyReused()
      // The response may hold a record of a company that the client has lost since.
      if (!includesAll(key.companies, stored.companies))
        throw keyReused('The companies of this client have changed since this Idempotency-Key was used.')
      return {
        status: stored.status,
        json: open(stored.body, key),
        headers: { ...stored.headers, 'idempotent-replayed': 'true' },
      }
    },

    /** Stores the response in the transaction of its effect. The primary key is the last guard against a second effect. */
    async finish(tx: Tx, key: IdempotencyKey, response: WriteResponse): Promise<void> {
      if (!(await upsert(tx, key, response))) throw new RetryTransaction()
    },

    deleteExpired: (sql: Sql) => store.deleteResponses(sql, oldest()),

    /** Whether a retry with the same key gets this error again. Errors that ask the client to retry are not stored. */
    isFinal: ({ kind }: Problem) =>
      kind.status >= 400 &&
      kind.status < 500 &&
      ![401, 403, 429].includes(kind.status) &&
      kind.code !== keyInProgress.kind.code &&
      kind.code !== keyReused.kind.code,

    storeResponse: upsert,
  }
}

/** Null is all companies. */
function includesAll(companies: readonly string[] | null, others: readonly string[] | null): boolean {
  if (companies === null) return true
  return others?.every(company => companies.includes(company)) ?? false
}
