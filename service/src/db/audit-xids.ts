import type { Tx } from './database.ts'

/**
 * After a dump was restored into another server, its transaction ids are smaller than those of the audit entries: raises the
 * offset that entries add to them. A no-op otherwise. It needs the owner of the tables, and has to run before the service
 * writes.
 */
export async function alignAuditXids(tx: Tx): Promise<void> {
  await tx`select audit_align_xids()`
}
