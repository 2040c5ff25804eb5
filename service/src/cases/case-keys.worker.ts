// What cases are searched by: the folded name that their applicant had when they were created. Recomputes those of cases that
// an earlier release wrote, as applicants/search-keys.worker.ts does.
import { KEYS_VERSION, nameKeysOf } from '../applicants/search-keys.ts'
import { createRefresh, type KeyRefresh } from '../applicants/search-keys.worker.ts'
import type { Database } from '../db/database.ts'
import type { Log } from '../lib/log.ts'
import type { CaseApplicant } from './case.ts'
import { lockOldKeys, updateKeys } from './case-keys.store.ts'

export function caseKeysOf(applicant: Partial<CaseApplicant>) {
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  const { firstName, middleName, lastName } = applicant
  const names = { firstName: text(firstName), middleName: text(middleName), lastName: text(lastName) }
  return { ...nameKeysOf(names), version: KEYS_VERSION }
}

export function createCaseKeyRefresh({ db, log }: { db: Database; log: Log }): KeyRefresh {
  const refreshBatch = (after: string, limit: number) =>
    db.transaction(async tx => {
      const rows = await lockOldKeys(tx, { after, limit, version: KEYS_VERSION })
      if (rows.length === 0) return { count: 0, last: undefined }
      const keys = rows.map(({ id, applicant }) => {
        const { name, nameReversed } = caseKeysOf(applicant)
        return { id, name, nameReversed }
      })
      await updateKeys(tx, keys, KEYS_VERSION)
      return { count: rows.length, last: rows.at(-1)?.id }
    })
  return createRefresh({ log, refreshBatch })
}
