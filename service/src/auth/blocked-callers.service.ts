// Blocks callers of the external issuer. A local client is disabled instead.
import type { Database } from '../db/database.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { requireAllCompanies } from '../lib/boundary.ts'
import { newId } from '../lib/ids.ts'
import { declareProblem, invalid } from '../lib/problem.ts'
import * as store from './blocked-callers.store.ts'

export const blockNotFound = declareProblem({
  code: 'block-not-found',
  status: 404,
  title: 'No caller is blocked under this id.',
  remedy: 'List the blocked callers with GET /admin/v1/blocked-callers.',
})

interface Options {
  db: Database
  /** How the ids of the external issuer's callers begin; undefined where there is none. */
  externalPrefix: string | undefined
}

export type BlockedCallers = ReturnType<typeof createBlockedCallers>

export function createBlockedCallers({ db, externalPrefix }: Options) {
  return {
    list: () => store.listBlocked(db.sql),

    /** Blocking a blocked caller again is a no-op. */
    async block(
      { tx, audit, actor, now }: UnitOfWork,
      { caller, reason }: { caller: string; reason: string },
    ): Promise<{ blocked: store.BlockedCaller; created: boolean }> {
      requireAllCompanies(actor)
      requireIssuer('/caller', caller, externalPrefix)
      const given = {
        blockId: newId<'block'>() as string,
        caller,
        reason,
        createdBy: actor.clientId,
        createdAt: now,
      }
      const inserted = await store.insertBlocked(tx, given)
      if (inserted) audit({ action: 'caller.block', recordId: caller })
      const blocked = inserted ?? (await store.findBlocked(tx, caller))
      // Unblocked by another transaction in between.
      if (!blocked) throw blockNotFound()
      return { blocked, created: inserted !== undefined }
    },

    async unblock({ tx, audit, actor }: UnitOfWork, blockId: string): Promise<void> {
      requireAllCompanies(actor)
      const caller = await store.deleteBlocked(tx, blockId)
      if (!caller) throw blockNotFound()
      audit({ action: 'caller.unblock', recordId: caller })
    },
  }
}

/** A misspelled issuer would match no token, without any sign of it. */
export function requireIssuer(pointer: string, caller: string, externalPrefix: string | undefined): void {
  if (externalPrefix && !caller.startsWith(externalPrefix))
    throw invalid([{ pointer, detail: `Expected an id of the issuer in OIDC_ISSUER: ${externalPrefix}…` }])
}
