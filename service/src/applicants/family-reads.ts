// What a write of a family reads and locks before it is planned. One request runs each read as a statement of its own
// (`readsOf`); an import runs those of many families together (family-batch-reads.ts). The rules are the same.
import { requireOwnCompany } from '../companies/companies.service.ts'
import type { Tx } from '../db/database.ts'
import { isLimited } from '../db/limited.ts'
import {
  type DocumentState,
  listDocumentStates,
  listKnownDocuments,
} from '../documents/applicant-documents.service.ts'
import type { Problem } from '../lib/problem.ts'
import type { FormerDependents, Key, StoredRow } from './applicants.store.ts'
import * as store from './applicants.store.ts'
import { absentApplicant } from './merges.errors.ts'
import { findMergedInto } from './merges.store.ts'
import { listTakenNumbers, lockDependentKeys, lockItemIds } from './numbers.store.ts'

export interface LockedFamily {
  /** Whether the row of the primary applicant was found and locked. */
  locked: boolean
  rows: StoredRow[]
}

export interface FamilyReads {
  isLimited: boolean
  /** The company of a limited caller's record. Throws where it is none of the caller's. */
  requireOwnCompany(text: string | null | undefined, pointer: string): Promise<string | null | undefined>
  lockFamily(key: Key): Promise<LockedFamily>
  lockPrimary(key: Key): Promise<boolean>
  lockDependentKeys(keys: string[]): Promise<void>
  /** Returns the ids of the primaries that were locked. */
  lockFamilies(ids: string[], numbers: string[]): Promise<string[]>
  listRecords(ids: string[], numbers: string[]): Promise<StoredRow[]>
  listFormerDependents(wanted: FormerDependents): Promise<StoredRow[]>
  listTakenNumbers(numbers: string[]): Promise<ReadonlySet<string>>
  listDocumentStates(applicantIds: string[]): Promise<DocumentState[]>
  lockItemIds(ids: string[]): Promise<void>
  listKnownItems(ids: string[]): Promise<string[]>
  listKnownDocuments(ids: string[]): Promise<string[]>
  /** The id of the record that a merge has made of this one. */
  findMergedInto(key: Key): Promise<string | undefined>
  /** The error for a primary applicant that does not exist. */
  absentApplicant(key: Key): Promise<Problem>
}

/** The reads of one request: each is a statement of its own. */
export function readsOf(tx: Tx): FamilyReads {
  return {
    isLimited: isLimited(tx),
    requireOwnCompany: (text, pointer) => requireOwnCompany(tx, text, pointer),
    async lockFamily(key) {
      // One round trip. The second statement starts after the lock is granted, so it sees what its previous holder committed.
      const [locked, rows] = await Promise.all([store.lockPrimary(tx, key), store.listFamily(tx, key)])
      return { locked, rows }
    },
    lockPrimary: key => store.lockPrimary(tx, key),
    lockDependentKeys: keys => lockDependentKeys(tx, keys),
    lockFamilies: (ids, numbers) => store.lockFamilies(tx, ids, numbers),
    listRecords: (ids, numbers) => store.listRecords(tx, ids, numbers),
    listFormerDependents: wanted => store.listFormerDependents(tx, wanted),
    listTakenNumbers: numbers => listTakenNumbers(tx, numbers),
    listDocumentStates: ids => listDocumentStates(tx, ids),
    lockItemIds: ids => lockItemIds(tx, ids),
    listKnownItems: ids => store.listKnownItems(tx, ids),
    listKnownDocuments: ids => listKnownDocuments(tx, ids),
    findMergedInto: key => findMergedInto(tx, key),
    absentApplicant: key => absentApplicant(tx, key),
  }
}
