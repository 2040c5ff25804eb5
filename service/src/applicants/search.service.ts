import type { Sql } from '../db/database.ts'
import type { PageRequest } from '../db/keyset.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { declareProblem } from '../lib/problem.ts'
import { fromRow, type Stored, savingOf } from './applicants.mapper.ts'
import * as applicants from './applicants.store.ts'
import type { TouchReferences } from './references.service.ts'
import * as store from './search.store.ts'
import { emailKey, numberKey, passportKey, searchable } from './search-keys.ts'

export const archivedNotFound = declareProblem({
  code: 'archived-applicant-not-found',
  status: 404,
  title: 'There is no archived record of this id.',
  remedy: 'List the archived ones with GET /admin/v1/applicants?archived=true.',
})

export interface Search {
  q?: string
  name?: string
  employeeNumber?: string
  email?: string
  passportNumber?: string
  archived?: boolean
}

export interface FoundPage {
  records: store.FoundRow[]
  next: store.SearchPlace | undefined
  prev: store.SearchPlace | undefined
  total: number
}

/** Counted no further: a page must not cost what the whole list costs. */
export const MOST_COUNTED = 10_000

export type ApplicantSearch = ReturnType<typeof createSearch>

interface Parts {
  sql: Sql
  touchReferences: TouchReferences
}

export function createSearch({ sql, touchReferences }: Parts) {
  return {
    async list(search: Search, { limit, after, before }: PageRequest<store.SearchPlace>): Promise<FoundPage> {
      const criteria = criteriaOf(search)
      const from = after ?? before
      const backwards = before !== undefined
      const opposite = from && { ...from, inclusive: !from.inclusive }
      const [rows, behind] = await Promise.all([
        store.listApplicants(sql, criteria, { from, backwards, limit: limit + 1 }),
        from && store.listApplicants(sql, criteria, { from: opposite, backwards: !backwards, limit: 1 }),
      ])
      const more = rows.length > limit
      const records = backwards ? rows.slice(0, limit).reverse() : rows.slice(0, limit)
      const turn = behind !== undefined && behind.length > 0
      const [hasNext, hasPrev] = backwards ? [turn, more] : [more, turn]
      // From an empty page the way back leads to where it was entered.
      const placeAt = (row: store.Placed | undefined) => (row ? placeOf(row) : opposite)
      return {
        records: records.map(({ part: _part, key: _key, ...row }) => row),
        next: hasNext ? placeAt(records.at(-1)) : undefined,
        prev: hasPrev ? placeAt(records[0]) : undefined,
        total: from || more ? await store.countApplicants(sql, criteria, MOST_COUNTED) : rows.length,
      }
    },

    async restore(unit: UnitOfWork, applicantId: string, { withoutEmployeeNumber = false }): Promise<Stored> {
      const { tx, now } = unit
      const [, rows] = await Promise.all([
        applicants.lockFamilies(tx, [applicantId], []),
        applicants.listRecords(tx, [applicantId], []),
      ])
      const stored = rows.map(fromRow).find(({ archived }) => archived)
      const primaryId = stored?.primaryId
      if (!stored || !primaryId) throw archivedNotFound()
      const record = withoutEmployeeNumber ? { ...stored.record, employeeNumber: null } : stored.record
      unit.audit({ action: 'applicant.restore', recordId: applicantId })
      unit.emit({
        type: 'dependent.restored',
        recordId: applicantId,
        data: { applicantId, primaryApplicantId: primaryId },
      })
      await Promise.all([
        applicants.updateApplicant(tx, savingOf(record, primaryId, now)),
        record.employeeNumber !== stored.record.employeeNumber && touchReferences(unit, [applicantId]),
      ])
      return { ...stored, record, archived: false, version: stored.version + 1, updatedAt: now }
    },
  }
}

function criteriaOf({
  q,
  name,
  employeeNumber,
  email,
  passportNumber,
  archived = false,
}: Search): store.Criteria {
  return {
    archived,
    any:
      q === undefined
        ? undefined
        : { name: searchable(q), keys: [numberKey(q), emailKey(q), passportKey(q)] },
    name: name === undefined ? undefined : searchable(name),
    employeeNumber,
    keys: [
      ...(email === undefined ? [] : [emailKey(email)]),
      ...(passportNumber === undefined ? [] : [passportKey(passportNumber)]),
    ],
  }
}

function placeOf({ part, key, applicantId }: store.Placed): store.SearchPlace {
  return { part, key, applicantId, inclusive: false }
}
