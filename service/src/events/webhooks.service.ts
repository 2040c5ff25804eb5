import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Sql } from '../db/database.ts'
import type { Window } from '../db/keyset.ts'
import { placeOf } from '../db/sealed-columns.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import { EVENT_TYPES, type EventType, scopeOfEvent, TEST_EVENT } from '../lib/event-types.ts'
import { cannotGrant } from '../lib/grants.ts'
import { newId } from '../lib/ids.ts'
import { createLimiter, tooManyRequests } from '../lib/limiter.ts'
import type { Principal } from '../lib/principal.ts'
import { declareProblem, invalid } from '../lib/problem.ts'
import type { Sealer } from '../lib/sealing.ts'
import { ONE_PROCESS, type WorkerBus } from '../lib/worker-bus.ts'
import { urlError } from './addresses.ts'
import * as deliveries from './deliveries.store.ts'
import { isSuccess, REQUEST_TIMEOUT_MS, sendEvent } from './send-event.ts'
import { newSecret } from './signature.ts'
import type { Owner, Webhook } from './webhooks.store.ts'
import * as store from './webhooks.store.ts'

export const webhookNotFound = declareProblem({
  code: 'webhook-not-found',
  status: 404,
  title: 'The caller has no webhook with this id.',
  remedy: 'List the webhooks with GET /admin/v1/webhooks.',
})
export const deliveryNotFound = declareProblem({
  code: 'delivery-not-found',
  status: 404,
  title: 'The webhook has no delivery with this id.',
  remedy: 'List the deliveries of the webhook with GET /admin/v1/webhooks/{webhookId}/deliveries.',
})

const MAX_REPLAY_DAYS = 31
const DAY_MS = 86_400_000
/** For each client: a test makes this service send a request. */
const MAX_TESTS_PER_MINUTE = 10

export interface WebhookInput {
  url?: string
  description?: string
  eventTypes?: string[]
  active?: boolean
}

/** What happened to a test event. */
export interface TestOutcome {
  delivered: boolean
  status: number | null
  error: string | null
  milliseconds: number
}

type Caller = Pick<Principal, 'clientId' | 'scopes'>

interface Options {
  sql: Sql
  clock: Clock
  sealer: Sealer
  allowPrivate: boolean
  /** Milliseconds for one request. */
  timeout?: number
  bus?: WorkerBus
}

/** What the audit compares. */
const fieldsOf = ({
  url,
  description,
  eventTypes,
  active,
}: Pick<Webhook, 'url' | 'description' | 'eventTypes' | 'active'>) => ({
  url,
  description,
  eventTypes,
  active,
})

export type Webhooks = ReturnType<typeof createWebhooks>

export function createWebhooks({
  sql,
  sealer,
  clock,
  allowPrivate,
  timeout = REQUEST_TIMEOUT_MS,
  bus = ONE_PROCESS,
}: Options) {
  const tests = createLimiter({
    limit: MAX_TESTS_PER_MINUTE,
    windowSeconds: 60,
    now: () => clock.now().getTime(),
    shared: bus.counts('tests of webhooks'),
  })
  const checkUrl = (url: string) => {
    const detail = urlError(url, allowPrivate)
    if (detail) throw invalid([{ pointer: '/url', detail }])
  }
  const sealed = (webhookId: string, secret: string) =>
    sealer.seal(secret, placeOf(store.webhookSecretColumns[0], webhookId))
  const get = async (webhookId: string, caller: Caller): Promise<Webhook> => {
    const webhook = await store.findWebhook(sql, webhookId, ownerOf(caller))
    if (!webhook) throw webhookNotFound()
    return webhook
  }
  const lock = async ({ tx }: UnitOfWork, webhookId: string, caller: Caller): Promise<Webhook> => {
    const webhook = await store.lockWebhook(tx, webhookId, ownerOf(caller))
    if (!webhook) throw webhookNotFound()
    return webhook
  }
  const countTest = ({ clientId }: Caller) => {
    if (tests.count(clientId)) return
    throw tooManyRequests(`More than ${MAX_TESTS_PER_MINUTE} test deliveries a minute.`, {
      headers: { 'retry-after': String(Math.max(1, tests.blockedFor(clientId))) },
    })
  }

  return {
    list: (caller: Caller, { failing }: { failing?: boolean | undefined } = {}) =>
      store.listWebhooks(sql, ownerOf(caller), failing),
    /** How many webhooks of any owner do not get their deliveries through. */
    countFailing: () => store.countFailing(sql),
    get,

    async create(
      unit: UnitOfWork,
      { url = '', description = '', eventTypes = [], active = true }: WebhookInput,
      caller: Caller,
    ): Promise<Webhook & { secret: string }> {
      checkUrl(url)
      requireReadable(caller, eventTypes)
      const clientId = await newOwnerOf(unit, caller)
      const webhookId: string = newId<'webhook'>()
      const webhook = { webhookId, clientId, url, description, eventTypes, active }
      const secret = newSecret()
      unit.audit({ action: 'webhook.create', recordId: webhookId, after: fieldsOf(webhook) })
      const { companies } = unit.actor
      const stored = { webhook, companies, secret: sealed(webhookId, secret), now: unit.now }
      return { ...(await store.insertWebhook(unit.tx, stored)), secret }
    },

    async merge(
      unit: UnitOfWork,
      webhookId: string,
      {
        input,
        caller,
        requireState,
      }: { input: WebhookInput; caller: Caller; requireState: (etag: string) => void },
    ): Promise<Webhook> {
      const current = await lock(unit, webhookId, caller)
      requireState(etagOf(current))
      if (input.url !== undefined) checkUrl(input.url)
      const next = { ...current, ...input }
      requireReadable(caller, next.eventTypes)
      const before = fieldsOf(current)
      const after = fieldsOf(next)
      if (isDeepStrictEqual(before, after)) return current
      unit.audit({ action: 'webhook.write', recordId: webhookId, before, after })
      return store.updateWebhook(unit.tx, { webhook: next, now: unit.now })
    },

    async rotateSecret(
      unit: UnitOfWork,
      webhookId: string,
      { graceSeconds, caller }: { graceSeconds: number; caller: Caller },
    ): Promise<Webhook & { secret: string }> {
      const secret = newSecret()
      const { tx, now } = unit
      const oldUntil = new Date(now.getTime() + graceSeconds * 1000)
      unit.audit({ action: 'webhook.rotate_secret', recordId: webhookId })
      const stored = { webhookId, owner: ownerOf(caller), secret: sealed(webhookId, secret), oldUntil, now }
      const webhook = await store.rotateSecret(tx, stored)
      if (!webhook) throw webhookNotFound()
      return { ...webhook, secret }
    },

    async remove(unit: UnitOfWork, webhookId: string, caller: Caller): Promise<void> {
      const current = await lock(unit, webhookId, caller)
      if (!(await store.deleteWebhook(unit.tx, webhookId, ownerOf(caller)))) throw webhookNotFound()
      unit.audit({ action: 'webhook.delete', recordId: webhookId, before: fieldsOf(current) })
    },

    /** After a client has lost companies: its webhooks lose them, too, and stay visible to it. */
    limitOf: ({ tx, now }: UnitOfWork, clientId: string, companies: readonly string[]): Promise<void> =>
      store.limitWebhooksOf(tx, { clientId, companies, now }),

    /**
     * Sends a test event and waits for the response. Nothing is stored, and it is not repeated. Must not run in a
     * transaction, which it would keep open for as long as the receiver takes.
     */
    async test(webhookId: string, caller: Caller): Promise<TestOutcome> {
      const now = clock.now()
      const target = await store.findTarget(sql, webhookId, { owner: ownerOf(caller), now })
      if (!target) throw webhookNotFound()
      countTest(caller)
      const event = {
        ...target,
        webhookId,
        eventId: `evt_${randomUUID()}`,
        type: TEST_EVENT,
        data: { webhookId },
        occurredAt: now,
        traceId: null,
      }
      const began = performance.now()
      const outcome = await sendEvent(event, { sealer, sentAt: now, allowPrivate, timeoutMs: timeout })
      return {
        delivered: isSuccess(outcome),
        status: outcome.status,
        error: outcome.error,
        milliseconds: Math.round(performance.now() - began),
      }
    },

    async listDeliveries(
      webhookId: string,
      window: Window,
      { filter, caller }: { filter: { state?: string }; caller: Caller },
    ) {
      await get(webhookId, caller)
      return deliveries.listDeliveries(sql, window, { webhookId, ...filter })
    },

    async replay(
      unit: UnitOfWork,
      webhookId: string,
      { deliveryId, caller }: { deliveryId: string; caller: Caller },
    ): Promise<string> {
      if (!(await store.findWebhook(unit.tx, webhookId, ownerOf(caller)))) throw deliveryNotFound()
      unit.audit({ action: 'webhook.replay', recordId: webhookId })
      const json = await deliveries.replayDelivery(unit.tx, { webhookId, deliveryId, now: unit.now })
      if (!json) throw deliveryNotFound()
      return json
    },

    /** Returns the number of new deliveries. */
    async replayRange(
      unit: UnitOfWork,
      webhookId: string,
      { startDate, endDate, caller }: { startDate: string; endDate: string; caller: Caller },
    ): Promise<number> {
      if (endDate < startDate)
        throw invalid([{ pointer: '/endDate', detail: 'Must not be before startDate.' }])
      if (Date.parse(endDate) - Date.parse(startDate) >= MAX_REPLAY_DAYS * DAY_MS)
        throw invalid([
          { pointer: '/endDate', detail: `The range may have at most ${MAX_REPLAY_DAYS} days.` },
        ])
      await lock(unit, webhookId, caller)
      unit.audit({ action: 'webhook.replay', recordId: webhookId })
      return deliveries.replayRange(unit.tx, { webhookId, startDate, endDate, now: unit.now })
    },
  }
}

/** A caller with `admin` uses all webhooks, another one those of its client. */
const ownerOf = ({ clientId, scopes }: Caller): Owner => (scopes.has('admin') ? null : clientId)

/** The client, or the operator where the caller is a person or comes from another issuer. */
async function newOwnerOf({ tx }: UnitOfWork, { clientId, scopes }: Caller): Promise<Owner> {
  if (await store.isClient(tx, clientId)) return clientId
  if (scopes.has('admin')) return null
  throw cannotGrant(
    'A webhook belongs to a client of this service. A caller that is none needs the scope admin to create one.',
  )
}

/** Throws unless the caller may read the records of all types that the webhook subscribes to. */
function requireReadable({ scopes }: Caller, eventTypes: string[]): void {
  const unreadable = (eventTypes.length > 0 ? (eventTypes as EventType[]) : EVENT_TYPES).filter(
    type => !scopes.has(scopeOfEvent(type)),
  )
  if (unreadable.length === 0) return
  const lacking = [...new Set(unreadable.map(scopeOfEvent))]
  const errors =
    eventTypes.length > 0
      ? unreadable.map(type => ({
          pointer: `/eventTypes/${eventTypes.indexOf(type)}`,
          detail: `The caller lacks ${scopeOfEvent(type)}, which events of this type need.`,
        }))
      : [
          {
            pointer: '/eventTypes',
            detail: 'An empty list means all types. List those that the caller may read.',
          },
        ]
  throw cannotGrant(`The caller lacks scopes that these events need: ${lacking.join(', ')}.`, { errors })
}

export function etagOf({ version }: Webhook): string {
  return `"${version}"`
}
