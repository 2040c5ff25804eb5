// Finds the applicant that a case names by employee number, and reports which identity fields differ.
import type { UnitOfWork } from '../db/unit-of-work.ts'
import type { WorkerBus } from '../lib/worker-bus.ts'
import {
  createIdentityChecks,
  differences,
  type IdentityField,
  type KnownIdentity,
} from './identity-checks.ts'
import { findIdentityByNumber } from './numbers.store.ts'

export interface Link {
  applicantId: string
  /** The claimed fields that differ from the record; null where the client has exceeded the limit on guesses. */
  differs: IdentityField[] | null
}

export type Links = ReturnType<typeof createLinks>

export function createLinks({ now, bus }: { now: () => number; bus?: WorkerBus }) {
  // Separate from the checks of number changes: cases with other names are allowed, and must not block number changes.
  const checks = createIdentityChecks({ now, name: 'people of cases', bus })

  return {
    /** Returns undefined if no live record has this number. */
    async find({ tx, actor }: UnitOfWork, number: string, claimed: KnownIdentity): Promise<Link | undefined> {
      const known = await findIdentityByNumber(tx, number)
      if (!known) return undefined
      const { applicantId, ...record } = known
      if (checks.blockedFor(actor.clientId, applicantId) > 0) return { applicantId, differs: null }
      const differs = differences(record, claimed)
      if (differs.length > 0) checks.countFailure(actor.clientId, applicantId)
      return { applicantId, differs }
    },
  }
}
