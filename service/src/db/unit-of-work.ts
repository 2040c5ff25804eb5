// A unit of work: a transaction, the caller that caused it, and its audit entries and events. Services take it as their
// first parameter; audit entries and events are written in the same transaction as the change.
import type { Event } from '../lib/event-types.ts'
import type { Tx } from './database.ts'

export interface Actor {
  clientId: string
  /** Undefined for a client. */
  user?: { userId: string; name: string }
  /** The ids of the companies whose records the caller can see; null is all of them. */
  companies: readonly string[] | null
  /** The IP address of the caller; null for work of the service itself. */
  address: string | null
  requestId: string
  traceId: string | undefined
  /** The operation of the request; undefined for work of the service itself. */
  operation?: { operationId: string; method: string }
}

export interface AuditEntry {
  action: string
  recordId: string
  /** The record before and after a change; the entry lists the fields that differ. Never secrets. */
  before?: object | undefined
  after?: object | undefined
}

/** The audit entry of a request that is not audited in a transaction: a read, or a call that was rejected or failed. */
export interface RequestEntry {
  actor: Actor
  action: string
  recordIds: readonly string[]
  /** Where the status of the response does not show it. */
  outcome?: 'refused' | undefined
  status: number
  /** The code of the error. */
  code: string | undefined
}

export interface UnitOfWork {
  tx: Tx
  now: Date
  actor: Actor
  audit(entry: AuditEntry): void
  emit(event: Event): void
}

/** The actor of work that no request has caused. */
export function systemActor(clientId: string, requestId: string): Actor {
  return { clientId, companies: null, address: null, requestId, traceId: undefined }
}

/** Write the audit entries and events of a unit of work; implemented in audit/ and events/. */
export interface Recorders {
  audit(tx: Tx, entries: AuditEntry[], context: { actor: Actor; now: Date; status?: number }): Promise<void>
  emit(tx: Tx, events: Event[], context: { actor: Actor; now: Date }): Promise<void>
}

interface UnitOfWorkOptions<T> {
  tx: Tx
  actor: Actor
  now: Date
  recorders: Recorders
  work: (unit: UnitOfWork) => Promise<T>
  /** Runs in the same transaction, once the result is known. */
  finish?: (result: T) => Promise<void>
  /** The status of the response with this result, for the audit. */
  statusOf?: (result: T) => number
}

/** Runs the work, then writes its audit entries and events in the same transaction. */
export async function runUnitOfWork<T>({
  tx,
  actor,
  now,
  recorders,
  work,
  finish,
  statusOf,
}: UnitOfWorkOptions<T>): Promise<T> {
  const audits: AuditEntry[] = []
  const events: Event[] = []
  const result = await work({
    tx,
    now,
    actor,
    audit: entry => audits.push(entry),
    emit: event => events.push(event),
  })
  // Pipelined, so that they take one round trip.
  await Promise.all([
    audits.length > 0 &&
      recorders.audit(tx, audits, { actor, now, ...(statusOf && { status: statusOf(result) }) }),
    events.length > 0 && recorders.emit(tx, events, { actor, now }),
    finish?.(result),
  ])
  return result
}
