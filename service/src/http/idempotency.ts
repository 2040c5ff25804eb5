// Owns Idempotency-Key: the first answer is kept in the transaction that it answers for, so that after any crash the
// effect and its answer are both there or both not. Keys are each client's own.
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Sql, Tx } from '../db/database.ts'
import { RetryTransaction } from '../db/sqlstate.ts'
import type { Clock } from '../lib/clock.ts'
import { declareProblem, invalidRequest, type Problem } from '../lib/problem.ts'
import type { Operation } from './app-types.ts'
import * as store from './idempotency.store.ts'

export const keyReused = declareProblem({
  code: 'idempotency-key-reused',
  status: 422,
  title: 'This Idempotency-Key was used for a different request.',
  remedy: 'Use a new key for every new request. Reuse a key only to retry the same request.',
})
export const keyInProgress = declareProblem({
  code: 'idempotency-key-in-progress',
  status: 409,
  title: 'A request with this Idempotency-Key is still in progress.',
  remedy: 'Retry after the seconds in Retry-After to get its response.',
})

export const KEY_PATTERN = '^[!-~]{1,255}$'
const KEY = new RegExp(KEY_PATTERN)
const KEPT_SECONDS = 86_400

export interface WriteResponse {
  status: number
  json: string
  headers?: Record<string, string>
}

/** A key with what it was sent for. */
export interface Held {
  clientId: string
  key: string
  fingerprint: Buffer
}

export function createIdempotency(clock: Clock) {
  const oldest = () => new Date(clock.now().getTime() - KEPT_SECONDS * 1000)

  return {
    keyOf(request: FastifyRequest, clientId: string): Held | undefined {
      const key = request.headers['idempotency-key']
      const operation = request.routeOptions.schema as Operation | undefined
      if (key === undefined || !operation?.idempotent) return undefined
      if (typeof key !== 'string' || !KEY.test(key))
        throw invalidRequest('Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.')
      const fingerprint = createHash('sha256')
        .update(`${request.method} ${request.url}\n${JSON.stringify(request.body ?? null)}`)
        .digest()
      return { clientId, key, fingerprint }
    },

    /** The kept answer, or undefined where the work is ours to do. */
    async begin(tx: Tx, held: Held): Promise<WriteResponse | undefined> {
      // Two statements in one round trip: the second must see what the holder of the lock committed.
      const [locked, kept] = await Promise.all([
        store.lockKey(tx, held),
        store.findAnswer(tx, held, oldest()),
      ])
      if (!locked) throw keyInProgress(undefined, { headers: { 'retry-after': '1' } })
      if (!kept) return undefined
      if (!kept.fingerprint.equals(held.fingerprint)) throw keyReused()
      return {
        status: kept.status,
        json: kept.body,
        headers: { ...kept.headers, 'idempotent-replayed': 'true' },
      }
    },

    /** Keeps the answer in the transaction of its effect; the primary key is the last guard against a second effect. */
    async finish(tx: Tx, held: Held, answer: WriteResponse): Promise<void> {
      const kept = await store.keepAnswer(tx, { held, answer, at: clock.now(), oldest: oldest() })
      if (!kept) throw new RetryTransaction()
    },

    forget: (sql: Sql) => store.deleteAnswers(sql, oldest()),

    /** An answer that a repetition should get again; not one that tells the caller to try later. */
    isFinal: ({ kind }: Problem) =>
      kind.status >= 400 &&
      kind.status < 500 &&
      ![401, 403, 429].includes(kind.status) &&
      kind.code !== keyInProgress.kind.code &&
      kind.code !== keyReused.kind.code,

    keep: (sql: Sql, held: Held, answer: WriteResponse) =>
      store.keepAnswer(sql, { held, answer, at: clock.now(), oldest: oldest() }),
  }
}
