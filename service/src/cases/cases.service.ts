// Creates and reads cases and changes their status. Steps and notes have services of their own.
import { applicantNotFound } from '../applicants/applicants.errors.ts'
import type { Families } from '../applicants/families.service.ts'
import type { Links } from '../applicants/links.service.ts'
import type { Companies } from '../companies/companies.service.ts'
import { isLimitedCaller } from '../db/caller.ts'
import { coalesced } from '../db/coalesce.ts'
import type { Lookup, Tx } from '../db/database.ts'
import { cachedByEtag, type RenderedRecord } from '../db/etag-cache.ts'
import { RetryTransaction, violates } from '../db/sqlstate.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { allInOrder } from '../lib/async.ts'
import { isFindable, isId, newId } from '../lib/ids.ts'
import { declareProblem } from '../lib/problem.ts'
import type { Processes } from '../processes/processes.service.ts'
import {
  applicantOf,
  type CaseInput,
  type CaseStatus,
  identityOf,
  requireCaseTransition,
  warningsOf,
} from './case.ts'
import { caseToWire } from './cases.mapper.ts'
import type { CaseRow, CaseVersion } from './cases.store.ts'
import * as store from './cases.store.ts'
import * as notes from './notes.store.ts'
import * as steps from './steps.store.ts'

export const caseNotFound = declareProblem({
  code: 'case-not-found',
  status: 404,
  title: 'There is no such case.',
  remedy:
    'Check the id. GET /v2/cases/applicant/employeenumber/{employeeNumber} lists the cases of a person.',
})

interface Parts {
  lookup: Lookup
  families: Families
  links: Links
  companies: Companies
  processes: Processes
}

export type Cases = ReturnType<typeof createCases>

export function createCases({ lookup, families, links, companies, processes }: Parts) {
  const find = coalesced(
    cachedByEtag({
      loadEtags: async ids => {
        const versions = await lookup(sql => store.listVersions(sql, ids))
        return versions.map(version => ({ key: version.key, etag: etagOf(version) }))
      },
      loadRows: ids => lookup(sql => store.listCases(sql, ids)),
      render: render,
      bypass: isLimitedCaller,
    }),
  )

  const getRow = async (tx: Tx, caseId: string): Promise<CaseRow> => {
    const [row] = await store.listCases(tx, [caseId])
    if (!row) throw caseNotFound()
    return row
  }

  return {
    async get(caseId: string): Promise<RenderedRecord> {
      // Lookups are coalesced: text that is not an id could fail the statement for all callers in it.
      const found = isId(caseId) ? await find(caseId) : undefined
      if (!found) throw caseNotFound()
      return found
    },

    async listOf(key: { id: string } | { number: string }): Promise<RenderedRecord[]> {
      const isKey = 'id' in key ? isId(key.id) : isFindable(key.number)
      const rows = isKey ? await lookup(sql => store.findCasesOf(sql, key)) : undefined
      if (!rows) throw applicantNotFound()
      return rows.map(render)
    },

    /** Creates the case, and the applicant where none is on record, in one transaction. The JSON ends with `warnings`. */
    async create(
      unit: UnitOfWork,
      { details, employeeNumber, applicant }: CaseInput,
    ): Promise<RenderedRecord> {
      const { hostCompany, sendingCompany, billingCompany } = details
      const criteria = {
        processName: details.processName ?? '',
        caseType: details.caseType,
        hostCountry: details.hostCountry ?? '',
      }
      const [companyIds, process, linked] = await allInOrder([
        companies.resolve(unit, { hostCompany, sendingCompany, billingCompany }, 'sendingCompany'),
        processes.choose(unit, criteria),
        employeeNumber === null ? undefined : links.find(unit, employeeNumber, identityOf(applicant)),
      ])
      const applicantId =
        linked?.applicantId ?? (await createApplicant(unit, { details, employeeNumber, applicant }))
      const warnings = warningsOf({
        differs: linked?.differs,
        unknownProcess: criteria.processName.trim() !== '' && !process.named,
      })
      const caseId = newId<'case'>() as string
      const { now } = unit
      const today = now.toISOString().slice(0, 10)
      unit.emit({ type: 'case.created', recordId: caseId, data: { caseId, applicantId } })
      const [, , created] = await allInOrder([
        store.insertCase(unit.tx, { caseId, applicantId, companies: companyIds, details, applicant, now }),
        steps.insertSteps(unit.tx, caseId, {
          steps: process.steps.map((name, index) => ({
            stepId: newId<'step'>(),
            sequence: index + 1,
            name,
            status: index === 0 ? 'inProgress' : 'notStarted',
            startDate: index === 0 ? today : null,
            completionDate: null,
          })),
          now,
        }),
        getRow(unit.tx, caseId),
      ])
      unit.audit({ action: 'case.create', recordId: caseId, after: auditedOf(created) })
      return { id: caseId, etag: etagOf(created), json: JSON.stringify({ ...caseToWire(created), warnings }) }
    },

    async setStatus(
      unit: UnitOfWork,
      caseId: string,
      { status, requireState }: { status: CaseStatus; requireState: (etag: string) => void },
    ): Promise<RenderedRecord> {
      const current = await store.lockCase(unit.tx, caseId)
      if (!current) throw caseNotFound()
      requireState(etagOf(await getRow(unit.tx, caseId)))
      requireCaseTransition(current.status, status)
      unit.audit({
        action: 'case.write',
        recordId: caseId,
        before: { status: current.status },
        after: { status },
      })
      if (status !== current.status) {
        await store.updateStatus(unit.tx, caseId, { status, now: unit.now })
        unit.emit({
          type: 'case.status_changed',
          recordId: caseId,
          data: { caseId, applicantId: current.applicantId, from: current.status, to: status },
        })
      }
      return render(await getRow(unit.tx, caseId))
    },
  }

  async function createApplicant(
    unit: UnitOfWork,
    { details, employeeNumber, applicant }: CaseInput,
  ): Promise<string> {
    const family = applicantOf(applicant, { employeeNumber, sendingCompany: details.sendingCompany })
    try {
      const { primary } = await families.create(unit, family)
      return primary.record.applicantId
    } catch (error) {
      // Another transaction created the applicant after our lookup. The retry links the case to that record.
      throw violates(error, 'applicants_employee_number') ? new RetryTransaction(error) : error
    }
  }
}

/**
 * Marks the cases, steps and notes of these applicants as updated, because they show the employee number that changed
 * and lists by date have to return them. Returns the number of cases. The caller has locked the applicants' rows, so no
 * case can be added meanwhile.
 */
export async function touchCasesOf({ tx, now }: UnitOfWork, applicantIds: string[]): Promise<number> {
  const [, cases] = await allInOrder([
    store.lockCasesOf(tx, applicantIds),
    store.touchCasesOf(tx, applicantIds, now),
    steps.touchStepsOf(tx, applicantIds, now),
    notes.touchNotesOf(tx, applicantIds, now),
  ])
  return cases
}

/** What the audit has of a new case. Its steps are named; their states follow from the process. */
function auditedOf(row: CaseRow) {
  const { caseId: _caseId, createdAt: _createdAt, updatedAt: _updatedAt, ...fields } = caseToWire(row)
  return { ...fields, steps: row.steps.map(({ name }) => name) }
}

function render(row: CaseRow): RenderedRecord {
  return { id: row.key, json: JSON.stringify(caseToWire(row)), etag: etagOf(row) }
}

/** A case shows the employee number of its applicant's record, so a change of either is a change of the case. */
function etagOf({ version, applicantVersion }: CaseVersion): string {
  return `"${version}-${applicantVersion}"`
}
