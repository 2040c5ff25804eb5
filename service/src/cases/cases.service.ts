// Creates, reads and changes cases. Steps and notes have services of their own.
import { isDeepStrictEqual } from 'node:util'
import { applicantNotFound } from '../applicants/applicants.errors.ts'
import type { Families } from '../applicants/families.service.ts'
import { locateNumber } from '../applicants/family-saving.ts'
import type { Links } from '../applicants/links.service.ts'
import { absentApplicant } from '../applicants/merges.errors.ts'
import { type Companies, unknownCompany } from '../companies/companies.service.ts'
import { isLimitedCaller } from '../db/caller.ts'
import { coalesced } from '../db/coalesce.ts'
import type { Lookup, Tx } from '../db/database.ts'
import { cachedByEtag, type RenderedRecord, tagPartOf } from '../db/etag-cache.ts'
import type { RecordSource } from '../db/server-cursor.ts'
import { RetryTransaction, violates } from '../db/sqlstate.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { allInOrder } from '../lib/async.ts'
import { isFindable, isId, newId } from '../lib/ids.ts'
import { declareProblem } from '../lib/problem.ts'
import type { Processes } from '../processes/processes.service.ts'
import { requireAssignable } from './assignee.ts'
import {
  applicantOf,
  type CaseCompanies,
  type CaseInput,
  type CasePatch,
  COMPANY_FIELDS,
  DETAIL_FIELDS,
  dueAfter,
  identityOf,
  requireCaseTransition,
  warningsOf,
} from './case.ts'
import { caseKeysOf } from './case-keys.worker.ts'
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

/** All cases, with their steps. */
export const everyCase: RecordSource = {
  open: store.openCaseIds,
  render: async (tx, ids) => (await store.listCases(tx, ids)).map(row => render(row).json),
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
      if (!rows) throw isKey ? await lookup(sql => absentApplicant(sql, key)) : applicantNotFound()
      return rows.map(render)
    },

    /** Whose case it is. */
    async getApplicantOf(caseId: string): Promise<string> {
      const applicantId = isId(caseId) ? await lookup(sql => store.findApplicantOf(sql, caseId)) : undefined
      if (!applicantId) throw caseNotFound()
      return applicantId
    },

    listIdsOf: (applicantId: string) => lookup(sql => store.listCaseIdsOf(sql, applicantId)),

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
        store.insertCase(unit.tx, {
          caseId,
          applicantId,
          companies: companyIds,
          details,
          applicant,
          keys: caseKeysOf(applicant),
          now,
        }),
        steps.insertSteps(unit.tx, caseId, {
          steps: process.steps.map(({ name, dueDays }, index) => {
            const startDate = index === 0 ? today : null
            const due = { dueDate: null, dueDays, dueDateIsSet: false }
            return {
              stepId: newId<'step'>(),
              sequence: index + 1,
              name,
              status: index === 0 ? 'inProgress' : 'notStarted',
              startDate,
              completionDate: null,
              ...dueAfter(due, { sent: undefined, startDate }),
              assigneeId: null,
            }
          }),
          now,
        }),
        getRow(unit.tx, caseId),
      ])
      unit.audit({ action: 'case.create', recordId: caseId, after: auditedOf(created) })
      return { id: caseId, etag: etagOf(created), json: JSON.stringify({ ...caseToWire(created), warnings }) }
    },

    /** Changes only the fields that are sent. A patch that changes nothing leaves the version as it is. */
    async merge(
      unit: UnitOfWork,
      caseId: string,
      { patch, requireState }: { patch: CasePatch; requireState: (etag: string) => void },
    ): Promise<RenderedRecord> {
      if (!(await store.lockCase(unit.tx, caseId))) throw caseNotFound()
      const current = await getRow(unit.tx, caseId)
      requireState(etagOf(current))
      const { applicantId } = current
      const [from, to] = [current.status, patch.status ?? current.status]
      requireCaseTransition(from, to)
      const companyIds = await companiesAfter(unit, current, patch)
      const assigneeId = patch.assigneeId === undefined ? assigneeIdOf(current) : patch.assigneeId
      if (assigneeId !== assigneeIdOf(current))
        await requireAssignable(unit, assigneeId, Object.values(companyIds))
      const before = auditedState(current)
      const after = {
        ...before,
        ...patch.details,
        ...idsToAudit(companyIds),
        status: to,
        assigneeId,
        dueDate: patch.dueDate === undefined ? current.dueDate : patch.dueDate,
      }
      unit.audit({ action: 'case.write', recordId: caseId, before, after })
      if (isDeepStrictEqual(before, after)) return render(current)
      await store.updateCase(unit.tx, caseId, {
        change: {
          status: to,
          closedAt: to === 'closed' ? (current.closedAt ?? unit.now) : null,
          details: { ...current.details, ...patch.details },
          assigneeId,
          dueDate: after.dueDate,
          companies: isDeepStrictEqual(companyIds, companyIdsOf(current)) ? undefined : companyIds,
        },
        now: unit.now,
      })
      const data = { caseId, applicantId }
      if (!isDeepStrictEqual({ ...before, status: to }, after))
        unit.emit({ type: 'case.updated', recordId: caseId, data })
      if (from !== to)
        unit.emit({ type: 'case.status_changed', recordId: caseId, data: { ...data, from, to } })
      return render(await getRow(unit.tx, caseId))
    },
  }

  /** A company whose text is sent as it is stored stays, also if it was renamed or is no longer active. */
  async function companiesAfter(
    unit: UnitOfWork,
    current: CaseRow,
    { details }: CasePatch,
  ): Promise<CaseCompanies> {
    const fields = COMPANY_FIELDS.filter(field => details[field] && details[field] !== current.details[field])
    if (fields.length === 0) return companyIdsOf(current)
    const visible = unit.actor.companies
    // Otherwise the host or billing company could take the case away from the company that sends the person.
    if (visible && !visible.includes(current.sendingCompanyId))
      throw unknownCompany(undefined, {
        errors: fields.map(field => ({
          pointer: `/${field}`,
          detail: 'Only callers who have the sending company of the case can change its companies.',
        })),
      })
    const named = Object.fromEntries(fields.map(field => [field, details[field]])) as CaseCompanies
    return { ...companyIdsOf(current), ...(await companies.resolve(unit, named, 'sendingCompany')) }
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
      if (violates(error, 'applicants_employee_number')) throw new RetryTransaction(error)
      throw locateNumber(error, '/applicant')
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

const assigneeIdOf = ({ assignee }: CaseRow) => assignee?.userId ?? null

const companyIdsOf = ({ hostCompanyId, sendingCompanyId, billingCompanyId }: CaseRow): CaseCompanies => ({
  hostCompany: hostCompanyId,
  sendingCompany: sendingCompanyId,
  billingCompany: billingCompanyId,
})

const idsToAudit = ({ hostCompany, sendingCompany, billingCompany }: CaseCompanies) => ({
  hostCompanyId: hostCompany,
  sendingCompanyId: sendingCompany,
  billingCompanyId: billingCompany,
})

/** What a patch can change. */
function auditedState(row: CaseRow) {
  const { details } = row
  return {
    status: row.status,
    ...Object.fromEntries(DETAIL_FIELDS.map(field => [field, details[field] ?? null])),
    metadata: details.metadata ?? [],
    ...idsToAudit(companyIdsOf(row)),
    assigneeId: assigneeIdOf(row),
    dueDate: row.dueDate,
  }
}

/** The cases of people who are merged. The callers hold the locks of the applicants' rows, so that no case is added. */
export const mergedCases = {
  /** Locks the cases of these applicants, also those that the caller does not see, and returns them. */
  async lock({ tx }: UnitOfWork, applicantIds: string[]): Promise<store.CaseOfApplicant[]> {
    const [, cases] = await allInOrder([
      store.lockCasesOf(tx, applicantIds),
      store.listAllCasesOf(tx, applicantIds),
    ])
    return cases
  },

  /** Moves cases to another applicant. They count as updated now, with their steps and notes. */
  async move({ tx, now }: UnitOfWork, { caseIds, to }: { caseIds: string[]; to: string }): Promise<void> {
    if (caseIds.length === 0) return
    await allInOrder([
      store.moveCases(tx, { caseIds, to, now }),
      steps.touchStepsOfCases(tx, caseIds, now),
      notes.touchNotesOfCases(tx, caseIds, now),
    ])
  },

  listVisible: ({ tx }: UnitOfWork, caseIds: string[]) => store.listVisible(tx, caseIds),
}

/** What the audit has of a new case. Its steps are named; their states follow from the process. */
function auditedOf(row: CaseRow) {
  const { caseId: _caseId, createdAt: _createdAt, updatedAt: _updatedAt, ...fields } = caseToWire(row)
  return { ...fields, steps: row.steps.map(({ name }) => name) }
}

function render(row: CaseRow): RenderedRecord {
  return { id: row.key, json: JSON.stringify(caseToWire(row)), etag: etagOf(row) }
}

/** A case shows the employee number of its applicant and the names of its assignees, so a change of these changes it. */
function etagOf({ version, employeeNumber, assigneeVersions }: CaseVersion): string {
  const versions = [version, tagPartOf(employeeNumber), ...(assigneeVersions > 0 ? [assigneeVersions] : [])]
  return `"${versions.join('-')}"`
}
