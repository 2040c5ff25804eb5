// Recognises rows that a former import has found to leave their family as it is. While neither the row nor a record of the
// family has changed, the row need not be read, and the family need not be compared.
import { hash as hashOf } from 'node:crypto'
import { LISTS, TEXT_FIELDS } from '../applicants/applicant.ts'
import type { FamilyBatches } from '../applicants/family-batches.ts'
import type { Tx } from '../db/database.ts'
import type { Import } from './import.ts'
import type { Fingerprint, PendingRow, StagedDependent } from './staged-rows.store.ts'
import * as store from './staged-rows.store.ts'

/** Raised when the rules of writes change, so that a row may mean something else than before. */
const RULES_VERSION = 1
const RULES = hashOf('sha256', JSON.stringify([RULES_VERSION, TEXT_FIELDS, LISTS]), 'base64')

/** The row with its dependents, and what decides how they are read; undefined for one that cannot be read. */
export function fingerprintOf(
  { mode, format, hasDependents, companies }: Import,
  row: Pick<PendingRow, 'hash' | 'problem' | 'firstRow' | 'row' | 'employeeNumber'>,
  dependents: StagedDependent[],
): string | undefined {
  const isReadable = row.hash !== null && row.problem === null && row.employeeNumber !== null
  if (!isReadable || row.firstRow !== row.row) return undefined
  const reading = [RULES, mode, format, hasDependents, companies && [...companies].sort()]
  return hashOf('sha256', JSON.stringify([reading, row.hash, dependents.map(({ hash }) => hash)]), 'base64')
}

export interface KnownRow {
  applicantId: string
  people: number
}

interface Fingerprinted {
  row: PendingRow
  hash: string | undefined
}

/** The rows that are known to change nothing, and the states that the others were compared with, by number. */
export async function findKnown(tx: Tx, batches: FamilyBatches, rows: Fingerprinted[]) {
  const numbers = rows.flatMap(({ row, hash }) => (hash && row.employeeNumber ? [row.employeeNumber] : []))
  const states = await batches.listStates(tx, numbers)
  const ids = [...states.values()].map(({ applicantId }) => applicantId)
  const prints = ids.length > 0 ? await store.listFingerprints(tx, ids) : []
  const byId = new Map(prints.map(print => [print.applicantId, print]))
  const known = new Map<PendingRow, KnownRow>()
  for (const { row, hash } of rows) {
    const family = states.get(row.employeeNumber ?? '')
    const print = family && byId.get(family.applicantId)
    if (print && hash === print.hash && family.state === print.state)
      known.set(row, { applicantId: print.applicantId, people: print.people })
  }
  return { known, states }
}

type States = Awaited<ReturnType<FamilyBatches['listStates']>>

/** Remembers rows that leave their families as they are. `states` were read before the comparison, or after the write. */
export async function remember(
  tx: Tx,
  states: States,
  rows: (Fingerprinted & { people: number })[],
): Promise<void> {
  const prints = rows.flatMap(({ row, hash, people }): Fingerprint[] => {
    const family = states.get(row.employeeNumber ?? '')
    return hash && family ? [{ applicantId: family.applicantId, hash, state: family.state, people }] : []
  })
  if (prints.length > 0) await store.saveFingerprints(tx, prints)
}
