import type { Sql } from '../db/database.ts'
import type { Unit } from '../db/unit.ts'
import { declareProblem, type Fault, type Problem } from '../lib/problem.ts'
import * as applicants from './applicants.store.ts'
import * as store from './search.store.ts'
import { emailKey, fromRow, passportKey, type Stored, savingOf, searchable } from './stored.ts'

export const archivedNotFound = declareProblem({
  code: 'archived-applicant-not-found',
  status: 404,
  title: 'There is no archived record of this id.',
  remedy: 'List the archived ones with GET /admin/v1/applicants?archived=true.',
})

export interface Search {
  name?: string
  employeeNumber?: string
  email?: string
  passportNumber?: string
  archived?: boolean
  maxRecords?: number
}

export type ApplicantSearch = ReturnType<typeof createSearch>

export function createSearch({ sql, invalid }: { sql: Sql; invalid: (faults: Fault[]) => Problem }) {
  return {
    async find({ name, employeeNumber, email, passportNumber, archived = false, maxRecords = 100 }: Search) {
      if (!archived && !name?.trim() && !employeeNumber && !email && !passportNumber)
        throw invalid([{ pointer: '/name', detail: 'Give a name, or another criterion to search by.' }])
      const keys = [
        ...(email ? [emailKey(email)] : []),
        ...(passportNumber ? [passportKey(passportNumber)] : []),
      ]
      const folded = name === undefined ? undefined : searchable(name)
      return store.searchApplicants(sql, {
        archived,
        name: folded || undefined,
        employeeNumber,
        keys,
        limit: maxRecords,
      })
    },

    async restore(unit: Unit, applicantId: string, { withoutEmployeeNumber = false }): Promise<Stored> {
      const { tx, now } = unit
      const [, rows] = await Promise.all([
        applicants.lockFamilies(tx, [applicantId], []),
        applicants.listRecords(tx, [applicantId], []),
      ])
      const stored = rows.map(fromRow).find(({ archived }) => archived)
      if (!stored) throw archivedNotFound()
      const record = withoutEmployeeNumber ? { ...stored.record, employeeNumber: null } : stored.record
      const { primaryId } = stored
      unit.audit({ action: 'applicant.restore', recordId: applicantId })
      unit.emit({
        type: 'dependent.updated',
        recordId: applicantId,
        data: { applicantId, primaryApplicantId: primaryId },
      })
      await applicants.updateApplicant(tx, savingOf(record, primaryId, now))
      return { ...stored, record, archived: false, version: stored.version + 1, updatedAt: now }
    },
  }
}
