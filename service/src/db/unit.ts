// A unit of work: one transaction, who asked for it, and what it leaves behind. Services take it as their first
// parameter; what they audit and emit is written in the same transaction, or not at all.
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

export interface Event {
  type: string
  recordId: string
  /** Ids only, never personal data. */
  data: Record<string, string | null>
}

export interface Unit {
  tx: Tx
  now: Date
  actor: Actor
  audit(entry: AuditEntry): void
  emit(event: Event): void
}
