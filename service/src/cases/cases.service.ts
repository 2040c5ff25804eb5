// Creating and reading cases, and changing their status. Steps and notes have services of their own.

import { applicantNotFound } from '../applicants/applicants.errors.ts'
import type { Families } from '../applicants/families.service.ts'
import type { Links } from '../applicants/links.service.ts'
import type { Companies } from '../companies/companies.service.ts'
import { coalesced } from '../db/coalesce.ts'
import type { Lookup, Sql } from '../db/database.ts'
import { cachedByEtag } from '../db/etag-cache.ts'
import { RetryTransaction, violates } from '../db/sqlstate.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { allInOrder } from '../lib/async.ts'
import { isFindable, isId, newId } from '../lib/ids.ts'
import { declareProblem } from '../lib/problem.ts'
import type { Processes } from '../processes/processes.service.ts'
import {
  applicantOf,
  type CaseApplicant,
  type CaseDetails,
  type CaseStatus,
  identityOf,
  requireCaseTransition,
  warningsOf,
} from './case.ts'
import type { CaseRow } from './cases.store.ts'
import * as store from './cases.store.ts'
import * as notes from './notes.store.ts'
import * as steps from './steps.store.ts'

export const caseNotFound = declareProblem({
  code: 'case-not-found',
  status: 404,
  title: 'There is no such case.',
  remedy: "Check the id; GET /v2/cases/applicant/employeenumber/{employeeNumber} lists a person's cases.",
})

export interface CaseInput {
  details: CaseDetails & {
    caseType: string
    hostCompany: string
    sendingCompany: string
    billingCompany: string
  }
  employeeNumber: string | null
  applicant: CaseApplicant
}

export interface Outgoing {
  id: string
  json: string
  etag: string
}

interface Parts {
  lookup: Lookup
  families: Families
  links: Links
  companies: Companies
  processes: Processes
  /** What to say where a person is not on record. */
}

export type Cases = ReturnType<typeof createCases>

export function createCases({ lookup, families, links, companies, processes }: Parts) {
  const find = coalesced(
    cachedByEtag({
      loadEtags: ids => lookup(sql => store.listEtags(sql, ids)),
      loadRows: ids => lookup(sql => store.listCases(sql, ids)),
      render: show,
    }),
  )

  const read = async (from: Sql, caseId: string): Promise<Outgoing> => {
    const [row] = await store.listCases(from, [caseId])
    if (!row) throw caseNotFound()
    return show(row)
  }

  return {
    async get(caseId: string): Promise<Outgoing> {
      // Text that is no id could fail the statement, and with it everyone whose case is looked up in the same one.
      const shown = isId(caseId) ? await find(caseId) : undefined
      if (!shown) throw caseNotFound()
      return shown
    },

    async listOf(key: { id: string } | { number: string }): Promise<Outgoing[]> {
      const isKey = 'id' in key ? isId(key.id) : isFindable(key.number)
      const rows = isKey ? await lookup(sql => store.findCasesOf(sql, key)) : undefined
      if (!rows) throw applicantNotFound()
      return rows.map(show)
    },

    /** A case, and the applicant where none is on record, or nothing at all. Its JSON ends with `warnings`. */
    async create(unit: UnitOfWork, { details, employeeNumber, applicant }: CaseInput): Promise<Outgoing> {
      const { hostCompany, sendingCompany, billingCompany } = details
      const asked = {
        processName: details.processName ?? '',
        caseType: details.caseType,
        hostCountry: details.hostCountry ?? '',
      }
      const [ids, process, known] = await allInOrder([
        companies.resolve(unit, { hostCompany, sendingCompany, billingCompany }),
        processes.choose(unit, asked),
        employeeNumber === null ? undefined : links.find(unit, employeeNumber, identityOf(applicant)),
      ])
      const applicantId =
        known?.applicantId ?? (await createApplicant(unit, { details, employeeNumber, applicant }))
      const warnings = warningsOf({
        differs: known?.differs,
        unknownProcess: asked.processName.trim() !== '' && !process.named,
      })
      const caseId = newId<'case'>() as string
      const { now } = unit
      const today = now.toISOString().slice(0, 10)
      unit.audit({ action: 'case.create', recordId: caseId })
      unit.emit({ type: 'case.created', recordId: caseId, data: { caseId, applicantId } })
      const [, , made] = await allInOrder([
        store.insertCase(unit.tx, { caseId, applicantId, companies: ids, details, applicant, now }),
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
        read(unit.tx, caseId),
      ])
      return { ...made, json: `${made.json.slice(0, -1)},"warnings":${JSON.stringify(warnings)}}` }
    },

    async setStatus(
      unit: UnitOfWork,
      caseId: string,
      { status, requireState }: { status: CaseStatus; requireState: (etag: string) => void },
    ): Promise<Outgoing> {
      const current = await store.lockCase(unit.tx, caseId)
      if (!current) throw caseNotFound()
      requireState((await read(unit.tx, caseId)).etag)
      requireCaseTransition(current.status, status)
      unit.audit({ action: 'case.write', recordId: caseId })
      if (status !== current.status) {
        await store.updateStatus(unit.tx, caseId, { status, now: unit.now })
        unit.emit({
          type: 'case.status_changed',
          recordId: caseId,
          data: { caseId, applicantId: current.applicantId, from: current.status, to: status },
        })
      }
      return read(unit.tx, caseId)
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
      // Somebody put the person on record between our look and our insert: then the case belongs to that record.
      throw violates(error, 'applicants_employee_number') ? new RetryTransaction() : error
    }
  }
}

/**
 * Cases, steps and notes show the applicant's employee number: where it changes, they count as updated, so that lists by
 * date return them. Returns the number of cases. The caller holds the applicants' rows, which keeps new cases out.
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

function show(row: CaseRow): Outgoing {
  const json = row.start + inner(row.details) + row.middle + inner(row.applicant) + row.end
  return { id: row.key, json, etag: `"${row.version}-${row.applicantVersion}"` }
}

/** `{…}` without its braces. */
const inner = (json: string) => json.slice(1, -1)
