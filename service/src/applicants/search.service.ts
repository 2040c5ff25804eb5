// The operators' search for applicants, and the restore of archived dependents.
import type { Companies } from '../companies/companies.service.ts'
import type { Sql } from '../db/database.ts'
import type { PageRequest } from '../db/keyset.ts'
import { EXACT_TOTAL } from '../db/ordered-list.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { countrySpellings } from '../lib/countries.ts'
import { isFindable } from '../lib/ids.ts'
import { declareProblem } from '../lib/problem.ts'
import { manyDependentsErrorsOf } from './applicant.ts'
import { applicantNotFound } from './applicants.errors.ts'
import { fromRow, type Stored, toRow } from './applicants.mapper.ts'
import * as applicants from './applicants.store.ts'
import { familyOf } from './family-lookup.ts'
import { check } from './family-planning.ts'
import type { TouchReferences } from './references.service.ts'
import * as store from './search.store.ts'
import { emailKey, namePrefixOf, passportKey, wholeKeys } from './search-keys.ts'

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
  /** Name, code or id. */
  company?: string
  nationality?: string
  status?: string
}

interface FoundPage {
  records: store.FoundRow[]
  next: store.SearchPosition | undefined
  prev: store.SearchPosition | undefined
  total: number
}

export type ApplicantSearch = ReturnType<typeof createSearch>

interface Dependencies {
  sql: Sql
  companies: Pick<Companies, 'findId'>
  touchReferences: TouchReferences
}

export function createSearch({ sql, companies, touchReferences }: Dependencies) {
  return {
    async list(
      search: Search,
      { limit, after, before }: PageRequest<store.SearchPosition>,
    ): Promise<FoundPage> {
      const { company } = search
      const companyId = company === undefined ? undefined : await companies.findId(company)
      if (company !== undefined && companyId === undefined)
        return { records: [], next: undefined, prev: undefined, total: 0 }
      const criteria = criteriaOf(search, companyId)
      const from = after ?? before
      const backwards = before !== undefined
      const opposite = from && { ...from, inclusive: !from.inclusive }
      const countAll = () => store.countApplicants(sql, criteria, EXACT_TOTAL + 1)
      // What a person types is mostly found on one page, which needs no count.
      const isTyped = criteria.any !== undefined && !from
      const [rows, behind, counted] = await Promise.all([
        store.listApplicants(sql, criteria, { from, backwards, limit: limit + 1 }),
        from && store.listApplicants(sql, criteria, { from: opposite, backwards: !backwards, limit: 1 }),
        isTyped ? undefined : countAll(),
      ])
      const more = rows.length > limit
      // The only page has all there are, whatever was written since they were counted.
      const total = from || more ? (counted ?? (await countAll())) : rows.length
      const records = backwards ? rows.slice(0, limit).reverse() : rows.slice(0, limit)
      const hasBehind = behind !== undefined && behind.length > 0
      const [hasNext, hasPrev] = backwards ? [hasBehind, more] : [more, hasBehind]
      // An empty page leads back to the position it was entered from.
      const positionAt = (row: store.FoundAt | undefined) => (row ? positionOf(row) : opposite)
      return {
        records: records.map(({ part: _part, key: _key, ...row }) => row),
        next: hasNext ? positionAt(records.at(-1)) : undefined,
        prev: hasPrev ? positionAt(records[0]) : undefined,
        total,
      }
    },

    async get(applicantId: string): Promise<store.FoundRow> {
      const row = isFindable(applicantId) ? await store.findApplicant(sql, applicantId) : undefined
      if (!row) throw applicantNotFound('There is no such person.')
      return row
    },

    /** The best matches of `q`, without pages. */
    async best(q: string, limit: number): Promise<store.FoundRow[]> {
      const rows = await store.listApplicants(sql, criteriaOf({ q }, undefined), {
        from: undefined,
        backwards: false,
        limit,
      })
      return rows.map(({ part: _part, key: _key, ...row }) => row)
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
      const { dependents } = familyOf({ id: primaryId }, await applicants.listFamily(tx, { id: primaryId }))
      check(manyDependentsErrorsOf(dependents.length + 1, dependents.length, ''))
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

function criteriaOf(
  { q, name, employeeNumber, email, passportNumber, archived = false, nationality, status }: Search,
  companyId: string | undefined,
): store.Criteria {
  return {
    archived,
    any: q === undefined ? undefined : { name: namePrefixOf(q), keys: wholeKeys(q) },
    name: name === undefined ? undefined : namePrefixOf(name),
    employeeNumber,
    keys: [
      ...(email === undefined ? [] : [emailKey(email)]),
      ...(passportNumber === undefined ? [] : [passportKey(passportNumber)]),
    ],
    companyId,
    nationalities: nationality === undefined ? undefined : countrySpellings(nationality),
    status: status?.toUpperCase(),
  }
}

function positionOf({ part, key, applicantId }: store.FoundAt): store.SearchPosition {
  return { part, key, applicantId, inclusive: false }
}
