// Finds the person that a record of another feature names by employee number, and tells where the two disagree.
import type { UnitOfWork } from '../db/unit-of-work.ts'
import * as store from './applicants.store.ts'
import {
  createIdentityChecks,
  differences,
  type IdentityField,
  type KnownIdentity,
} from './identity-checks.ts'

export interface Link {
  applicantId: string
  /** Which of the claimed fields differ from the record; null where the client has guessed too often to be told. */
  differs: IdentityField[] | null
}

export type Links = ReturnType<typeof createLinks>

export function createLinks({ now }: { now: () => number }) {
  // Apart from the checks of number changes: cases whose names differ are allowed, and must not block those.
  const checks = createIdentityChecks(now)

  return {
    /** Undefined where no live record has this number. */
    async find({ tx, actor }: UnitOfWork, number: string, claimed: KnownIdentity): Promise<Link | undefined> {
      const known = await store.findIdentityByNumber(tx, number)
      if (!known) return undefined
      const { applicantId, ...record } = known
      if (checks.blockedFor(actor.clientId, applicantId) > 0) return { applicantId, differs: null }
      const differs = differences(record, claimed)
      if (differs.length > 0) checks.countFailure(actor.clientId, applicantId)
      return { applicantId, differs }
    },
  }
}
