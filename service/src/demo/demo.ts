// Loads the demo dataset through the services, so that it obeys the same rules as data of clients.
import { Readable } from 'node:stream'
import type { Families } from '../applicants/families.service.ts'
import { APPLICANT_FIELDS, type CaseInput, DETAIL_FIELDS } from '../cases/case.ts'
import type { Cases } from '../cases/cases.service.ts'
import type { Notes } from '../cases/notes.service.ts'
import type { Steps } from '../cases/steps.service.ts'
import type { Companies } from '../companies/companies.service.ts'
import type { Database } from '../db/database.ts'
import { type Recorders, runUnitOfWork, systemActor, type UnitOfWork } from '../db/unit-of-work.ts'
import type { Uploads } from '../documents/uploads.service.ts'
import type { Clock } from '../lib/clock.ts'
import { COMPANIES, journey, PEOPLE, paper, person } from './dataset.ts'
import { specimen } from './specimen.ts'

interface Parts {
  db: Database
  clock: Clock
  recorders: Recorders
  companies: Companies
  families: Families
  cases: Cases
  steps: Steps
  notes: Notes
  uploads: Uploads
}

const ACTOR = systemActor('demo', 'demo')
const DAY = 86_400_000
const LOCK = 7_227_002

/** Loads all of it in one transaction. Returns false where it is loaded already. */
export async function loadDemo({
  db,
  clock,
  recorders,
  companies,
  families,
  cases,
  steps,
  notes,
  uploads,
}: Parts): Promise<boolean> {
  const today = clock.now()
  return db.transaction(async tx => {
    // Of several services that start at once, one loads it.
    await tx`select pg_advisory_xact_lock(${LOCK})`
    const at = <T>(now: Date, work: (unit: UnitOfWork) => Promise<T>) =>
      runUnitOfWork({ tx, actor: ACTOR, now, recorders, work })
    const number = person(0, today).primaryApplicant.employeeNumber
    if (await at(today, unit => families.findIdByNumber(unit, number))) return false

    for (const company of COMPANIES) await at(today, unit => companies.create(unit, company))
    for (let index = 0; index < PEOPLE; index++) {
      const { startedDaysAgo, stepsDone, status, notes: texts, ...asked } = journey(index)
      const later = (days: number) =>
        new Date(Math.min(today.getTime(), today.getTime() + (days - startedDaysAgo) * DAY))
      const family = await at(later(0), unit => families.create(unit, person(index, today)))
      const { employeeNumber, firstName, lastName } = family.primary.record
      const made = await at(later(1), unit =>
        cases.create(unit, caseInput(asked, { employeeNumber, firstName, lastName })),
      )
      const { caseId, steps: planned } = JSON.parse(made.json) as {
        caseId: string
        steps: { stepId: string }[]
      }

      for (const [order, { stepId }] of planned.slice(0, stepsDone).entries()) {
        if (order > 0)
          await at(later(order * 8), unit => steps.merge(unit, { caseId, stepId }, { status: 'inProgress' }))
        await at(later(order * 8 + 5), unit => steps.merge(unit, { caseId, stepId }, { status: 'completed' }))
      }
      const next = planned[stepsDone]
      if (next && stepsDone > 0)
        await at(later(stepsDone * 8), unit =>
          steps.merge(unit, { caseId, stepId: next.stepId }, { status: 'inProgress' }),
        )
      for (const [order, note] of texts.entries())
        await at(later(order * 6 + 2), unit => notes.add(unit, caseId, note))
      const { countryCode, lines, ...fields } = paper(index, today)
      const fileName = `${fields.type}-${employeeNumber}.pdf`.toLowerCase()
      // The bytes come first, as with any upload. After a rollback the orphan sweep removes them.
      const file = await uploads.receive({
        content: Readable.from([specimen([...lines, `Employee ${employeeNumber}`])]),
        countryCode,
        contentType: 'application/pdf',
        fileName,
      })
      await at(later(4), unit =>
        uploads.commit(unit, {
          file,
          fields: { ...fields, caseId },
          applicantId: family.primary.record.applicantId,
        }),
      )
      if (status !== 'open')
        await at(later(90), unit => cases.setStatus(unit, caseId, { status, requireState: () => {} }))
    }
    return true
  })
}

type CaseFields = {
  caseType: string
  hostCompany: string
  sendingCompany: string
  billingCompany: string
  hostCountry: string
}

function caseInput(
  fields: CaseFields,
  {
    employeeNumber,
    ...names
  }: { employeeNumber: string | null; firstName: string | null; lastName: string | null },
): CaseInput {
  const details = { ...emptied(DETAIL_FIELDS), ...fields, metadata: [] } as CaseInput['details']
  const applicant = {
    ...emptied(APPLICANT_FIELDS),
    ...names,
    passports: [],
    dependents: [],
  } as CaseInput['applicant']
  return { details, employeeNumber, applicant }
}

const emptied = <T extends string>(fields: readonly T[]) =>
  Object.fromEntries(fields.map(field => [field, null])) as Record<T, null>
