// The lock of a document: first that of its family, then its own row.
import { RetryTransaction } from '../db/sqlstate.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { documentNotFound } from './documents.errors.ts'
import { findOwner, lockDocument, type Owner } from './documents.store.ts'

/** Part of the applicants' service. That feature depends on this one, so `services.ts` passes it in. */
export interface DocumentFamilies {
  /** Locks the row of the primary applicant, which comes first in the lock order. */
  lock(unit: UnitOfWork, primaryId: string): Promise<unknown>
  /** Gives the applicant record a new version, because a document in it has changed. */
  touch(unit: UnitOfWork, applicantId: string): Promise<void>
  /** Throws where the applicant record has as many documents as it may have. */
  requireRoom(unit: UnitOfWork, applicantId: string): Promise<void>
}

/** Retries if a dependent moved to another family, which has another lock. */
export const createDocumentLock =
  (families: DocumentFamilies) =>
  async (unit: UnitOfWork, documentId: string, { orRemoved = false } = {}): Promise<Owner> => {
    const { tx } = unit
    const find = async () => {
      const owner = await findOwner(tx, documentId)
      if (!owner || (owner.removed && !orRemoved)) throw documentNotFound()
      return owner
    }
    const before = await find()
    const [, , owner] = await Promise.all([
      families.lock(unit, before.primaryId),
      lockDocument(tx, documentId),
      find(),
    ])
    if (owner.primaryId !== before.primaryId) throw new RetryTransaction()
    return owner
  }
