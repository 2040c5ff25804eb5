// Reads of applicants and dependents. Writes are in families.service.ts, changes of numbers in numbers.service.ts.
import { batched } from '../db/batch.ts'
import type { Sql } from '../db/database.ts'
import { applicantNotFound, dependentNotFound } from './applicants.errors.ts'
import type { Key } from './applicants.store.ts'
import * as store from './applicants.store.ts'
import { type Outgoing, showRow } from './stored.ts'

export type Applicants = ReturnType<typeof createApplicants>

export function createApplicants(sql: Sql) {
  const findById = batched(ids => store.listPrimariesById(sql, ids))
  const findByNumber = batched(numbers => store.listPrimariesByNumber(sql, numbers))

  return {
    async get(key: Key): Promise<Outgoing> {
      const row = 'id' in key ? await findById(key.id) : await findByNumber(key.number)
      if (!row) throw applicantNotFound()
      return showRow(row)
    },
    async getDependents(key: Key): Promise<Outgoing[]> {
      const rows = isFindable(...Object.values(key)) ? await store.findDependents(sql, key) : undefined
      if (!rows) throw applicantNotFound()
      return rows.map(showRow)
    },
    async getDependent(key: Key, dependent: string): Promise<Outgoing> {
      const findable = isFindable(dependent, ...Object.values(key))
      const row = findable ? await store.findDependent(sql, key, dependent) : undefined
      if (!row) throw dependentNotFound()
      return showRow(row)
    },
  }
}

/** PostgreSQL does not even look for text with a NUL. */
function isFindable(...keys: string[]): boolean {
  return keys.every(key => !key.includes('\0'))
}
