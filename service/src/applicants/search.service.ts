// The operators' search for applicants, and the restore of archived dependents.
import type { Sql } from '../db/database.ts'
import type { PageRequest } from '../db/keyset.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { declareProblem } from '../lib/problem.ts'
import { fromRow, type Stored, toRow } from './applicants.mapper.ts'
import * as applicants from './applicants.store.ts'
import type { TouchReferences } from './references.service.ts'
import * as store from './search.store.ts'
import { emailKey, numberKey, passportKey, searchable } from './search-keys.ts'

export const archivedNotFound = declareProblem({
  code: 'archived-applicant-not-found',
  status: 404,
  title: 'There is no archived record with this id.',
  remedy: 'List archived records with GET /admin/v1/applicants?archived=true.',
})

export interface Search {
  q?: string
  name?: string
  employeeNumber?: string
  email?: string
  passportNumber?: string
  archived?: boolean
}

interface FoundPage {
  records: store.FoundRow[]
  next: store.SearchPosition | undefined
  prev: store.SearchPosition | undefined
  total: number
}

/** The total stops here, so that a page does not cost as much as the whole list. */
export const MAX_COUNTED = 10_000

export type ApplicantSearch = ReturnType<typeof createSearch>

interface Dependencies {
  sql: Sql
  touchReferences: TouchReferences
}

export function createSearch({ sql, touchReferences }: Dependencies) {
  return {
    async list(
      search: Search,
      { limit, after, before }: PageRequest<store.SearchPosition>,
    ): Promise<FoundPage> {
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
      const hasBehind = behind !== undefined && behind.length > 0
      const [hasNext, hasPrev] = backwards ? [hasBehind, more] : [more, hasBehind]
      // An empty page leads back to the position it was entered from.
      const positionAt = (row: store.FoundAt | undefined) => (row ? positionOf(row) : opposite)
      return {
        records: records.map(({ part: _part, key: _key, ...row }) => row),
        next: hasNext ? positionAt(records.at(-1)) : undefined,
        prev: hasPrev ? positionAt(records[0]) : undefined,
        total: from || more ? await store.countApplicants(sql, criteria, MAX_COUNTED) : rows.length,
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
      const { employeeNumber } = record
      unit.audit({
        action: 'applicant.restore',
        recordId: applicantId,
        before: { archived: true, employeeNumber: stored.record.employeeNumber },
        after: { archived: false, employeeNumber },
      })
      unit.emit({
        type: 'dependent.restored',
        recordId: applicantId,
        data: { applicantId, primaryApplicantId: primaryId },
      })
      await Promise.all([
        applicants.updateApplicant(tx, toRow(record, primaryId, now)),
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

function positionOf({ part, key, applicantId }: store.FoundAt): store.SearchPosition {
  return { part, key, applicantId, inclusive: false }
}
