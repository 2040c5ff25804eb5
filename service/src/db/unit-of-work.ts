// A unit of work: one transaction, who asked for it, and what it leaves behind. Services take it as their first
// parameter; what they audit and emit is written in the same transaction, or not at all.
import type { Event } from '../lib/event-types.ts'
import type { Tx } from './database.ts'

export interface Actor {
  clientId: string
  requestId: string
  traceId: string | undefined
}

export interface AuditEntry {
  action: string
  recordId: string
}

export interface UnitOfWork {
  tx: Tx
  now: Date
  actor: Actor
  audit(entry: AuditEntry): void
  emit(event: Event): void
}

/** How a unit's audit and events are written; audit/ and events/ provide them. */
export interface Recorders {
  audit(tx: Tx, entries: AuditEntry[], context: { actor: Actor; now: Date }): Promise<void>
  emit(tx: Tx, events: Event[], context: { actor: Actor; now: Date }): Promise<void>
}

interface Performance<T> {
  tx: Tx
  actor: Actor
  now: Date
  recorders: Recorders
  work: (unit: UnitOfWork) => Promise<T>
  /** Anything else that belongs into the transaction, once the result is known. */
  finish?: (result: T) => Promise<void>
}

/** Does the work, then writes what it audited and emitted, in the same transaction. */
export async function runUnitOfWork<T>({
  tx,
  actor,
  now,
  recorders,
  work,
  finish,
}: Performance<T>): Promise<T> {
  const audits: AuditEntry[] = []
  const events: Event[] = []
  const result = await work({
    tx,
    now,
    actor,
    audit: entry => audits.push(entry),
    emit: event => events.push(event),
  })
  // Sent together, so that they cost one round trip.
  await Promise.all([
    audits.length > 0 && recorders.audit(tx, audits, { actor, now }),
    events.length > 0 && recorders.emit(tx, events, { actor, now }),
    finish?.(result),
  ])
  return result
}
