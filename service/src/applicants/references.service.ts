// Marks the records of other features that contain an applicant's employee number as updated. Clients mirror them with
// lists by date, so every change of a number must call this.
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { touchDocumentsOf } from '../documents/applicant-documents.service.ts'
import { allInOrder } from '../lib/async.ts'
import * as store from './applicants.store.ts'

interface Touched {
  cases: number
  documents: number
}

/** Marks the cases, steps, notes and documents of these applicants as updated now. */
export type TouchReferences = (unit: UnitOfWork, applicantIds: string[]) => Promise<Touched>

interface Dependencies {
  /** Marks cases with their steps and notes, and returns the number of cases. */
  touchCases: (unit: UnitOfWork, applicantIds: string[]) => Promise<number>
}

/**
 * Lock order: the primary's row (held by the caller), the applicants' own rows by id, their cases by id, then documents.
 * All statements are sent in this order without waiting for one another.
 */
export function createTouchReferences({ touchCases }: Dependencies): TouchReferences {
  return async (unit, applicantIds) => {
    if (applicantIds.length === 0) return { cases: 0, documents: 0 }
    const [, cases, documents] = await allInOrder([
      store.lockRecords(unit.tx, applicantIds),
      touchCases(unit, applicantIds),
      touchDocumentsOf(unit, applicantIds),
    ])
    return { cases, documents }
  }
}
