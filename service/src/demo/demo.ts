// Loads the office of the demo through the services, so that it obeys the same rules as data of clients.

import { Readable } from 'node:stream'
import { familyFromWire } from '../applicants/applicants.mapper.ts'
import type { Families } from '../applicants/families.service.ts'
import { APPLICANT_FIELDS, type CaseInput, DETAIL_FIELDS } from '../cases/case.ts'
import type { Cases } from '../cases/cases.service.ts'
import type { Checklists } from '../cases/checklists.service.ts'
import type { Notes } from '../cases/notes.service.ts'
import type { Steps } from '../cases/steps.service.ts'
import type { Companies } from '../companies/companies.service.ts'
import { ADVISORY_LOCKS } from '../db/advisory-locks.ts'
import type { Database, Tx } from '../db/database.ts'
import {
  type Actor,
  type Recorders,
  runUnitOfWork,
  systemActor,
  type UnitOfWork,
} from '../db/unit-of-work.ts'
import type { Views } from '../desk/views.service.ts'
import type { Uploads } from '../documents/uploads.service.ts'
import type { Webhooks } from '../events/webhooks.service.ts'
import { createImports } from '../imports/imports.service.ts'
import { receive } from '../imports/receiving.ts'
import type { Clock } from '../lib/clock.ts'
import { parseWallClock } from '../lib/dates.ts'
import { createPauses } from '../lib/pauses.ts'
import { scopesOf } from '../lib/roles.ts'
import type { ProcessChecklists } from '../processes/process-checklists.service.ts'
import type { Processes } from '../processes/processes.service.ts'
import {
  COMPANIES,
  companyOf,
  isChecked,
  type Journey,
  journeysOf,
  notesOf,
  type Paper,
  PROCESSES,
  papersOf,
  VIEWS,
  WEBHOOK,
} from './dataset.ts'
import { shifted } from './days.ts'
import type { Colleague, RunUnit } from './demo-users.ts'
import { badExport, duplicateOf, familyOf, numberOf, PEOPLE } from './families.ts'
import { specimen } from './specimen.ts'
import { specimenImage } from './specimen-image.ts'

interface Parts {
  db: Database
  clock: Clock
  recorders: Recorders
  companies: Companies
  processes: Processes
  processChecklists: ProcessChecklists
  families: Families
  cases: Cases
  steps: Steps
  notes: Notes
  checklists: Checklists
  uploads: Uploads
  views: Views
  webhooks: Webhooks
  /** Creates the colleagues in the transaction of `run`. */
  createColleagues: (run: RunUnit, companyIds: ReadonlyMap<string, string>) => Promise<Colleague[]>
}

type Team = Record<NonNullable<Journey['assignee']>, Colleague>

const SYSTEM = systemActor('demo', 'demo')
const ANY_VERSION = () => {}

/** Loads all of it in one transaction. Returns false where it is loaded already. */
export async function loadDemo(parts: Parts): Promise<boolean> {
  const { db, clock, families } = parts
  const today = clock.now()
  return db.transaction(async tx => {
    // Of several services that start at once, one loads it.
    await tx`select pg_advisory_xact_lock(${ADVISORY_LOCKS.demo})`
    const office = createOffice(parts, { tx, today })
    if (await office.at(0, unit => families.findIdByNumber(unit, numberOf(0)))) return false
    const companyIds = await office.open()
    const colleagues = await parts.createColleagues(work => office.at(0, work), companyIds)
    const team = teamOf(colleagues)
    await office.saveViews(team['case-manager'])
    for (let index = 0; index < PEOPLE; index++) await office.loadFamily(index, team)
    await office.at(20, unit => families.create(unit, familyFromWire(duplicateOf(today, companyOf(0).name))))
    await office.sendBadExport(team.admin)
    return true
  })
}

function createOffice(parts: Parts, { tx, today }: { tx: Tx; today: Date }) {
  const { recorders, companies, processes, processChecklists, families, cases, steps, notes } = parts
  const { checklists, uploads, views, webhooks } = parts

  /** Runs a unit of work of so many days ago, by the service itself or by a colleague. */
  const at = <T>(daysAgo: number, work: (unit: UnitOfWork) => Promise<T>, by?: Colleague): Promise<T> =>
    runUnitOfWork({
      tx,
      actor: by ? actorOf(by) : SYSTEM,
      now: shifted(today, -Math.max(0, daysAgo)),
      recorders,
      work,
    })

  /** The guard of imports will stop this file, because it takes a value from most of the people in it. */
  const sendBadExport = async (by: Colleague) => {
    const imports = createImports({ sql: tx, clock: parts.clock, isAllowed: async () => true })
    const options = { mode: 'replace', format: 'ndjson', dryRun: false, complete: false } as const
    const importId = await imports.open(actorOf(by), options)
    const content = Readable.from([Buffer.from(badExport(today, index => companyOf(index).name))])
    const file = await receive({
      content,
      gzip: false,
      format: options.format,
      maxBytes: Number.POSITIVE_INFINITY,
      pauses: createPauses()(),
      stage: batch => imports.stage(importId, batch),
    })
    await at(0, unit => imports.commit(unit, importId, { ...file, mode: options.mode }), by)
  }

  const loadPaper = async (paper: Paper, about: { caseId: string; applicantId: string; index: number }) => {
    const { countryCode, kind, fields } = paper
    const { caseId, applicantId, index } = about
    const bytes =
      kind === 'png'
        ? specimenImage(index)
        : specimen([fields.name, `Kept in ${countryCode}`, `Employee ${numberOf(index)}`])
    // The bytes come first, as with any upload. After a rollback the orphan sweep removes them.
    const file = await uploads.receive({
      content: Readable.from([bytes]),
      countryCode,
      contentType: kind === 'png' ? 'image/png' : 'application/pdf',
      fileName: `${fields.type}-${numberOf(index)}.${kind}`.toLowerCase().replaceAll(' ', '-'),
    })
    return (unit: UnitOfWork) => uploads.commit(unit, { file, fields: { ...fields, caseId }, applicantId })
  }

  const loadCase = async (
    journey: Journey,
    { index, applicantId, team }: { index: number; applicantId: string; team: Team },
  ) => {
    const { startedDaysAgo, endedDaysAgo, current, status } = journey
    const assignee = journey.assignee && team[journey.assignee]
    const worker = assignee ?? team.admin
    const [begun = 0] = startedDaysAgo
    const applicant = familyOf(index, { today, company: companyOf(index).name }).primaryApplicant
    const made = await at(begun, unit => cases.create(unit, caseInput(journey, applicant)))
    const { caseId, steps: planned } = JSON.parse(made.json) as {
      caseId: string
      steps: { stepId: string }[]
    }
    if (assignee)
      await at(
        begun,
        unit =>
          cases.merge(unit, caseId, {
            patch: { details: {}, assigneeId: assignee.userId },
            requireState: ANY_VERSION,
          }),
        team.admin,
      )

    const papers = papersOf(journey, index, today)
    const documentIds: string[] = []
    for (const paper of papers) {
      const commit = await loadPaper(paper, { caseId, applicantId, index })
      documentIds.push(await at(begun - documentIds.length, commit, worker))
    }
    for (const [order, note] of notesOf(index).entries())
      await at(begun - order * 2, unit => notes.add(unit, caseId, note), worker)

    // Completing a step starts the next one, on the day on which that one began.
    for (const [order, { stepId }] of planned.slice(0, current).entries())
      await at(startedDaysAgo[order + 1] ?? 0, unit => steps.complete(unit, { caseId, stepId }, {}), worker)
    if (status !== 'open')
      await at(
        endedDaysAgo,
        unit => cases.merge(unit, caseId, { patch: { details: {}, status }, requireState: ANY_VERSION }),
        worker,
      )
    const [accepted] = documentIds
    if (accepted && isChecked(index))
      await at(
        0,
        unit =>
          checklists.replace(unit, caseId, {
            inputs: journey.process.checklist.map((entry, order) => ({
              ...entry,
              documentId: order === 0 ? accepted : null,
              accepted: order === 0,
            })),
            requireState: ANY_VERSION,
          }),
        worker,
      )
  }

  return {
    at,
    sendBadExport,

    /** What there is before there are people. Returns the ids of the companies by their codes. */
    async open(): Promise<Map<string, string>> {
      const ids = new Map<string, string>()
      for (const company of COMPANIES) {
        const { companyId } = await at(400, unit => companies.create(unit, company))
        ids.set(company.code, companyId)
      }
      for (const { name, caseType, steps: planned, checklist } of PROCESSES) {
        const input = {
          caseType,
          steps: planned.map(one => one.name),
          dueDays: planned.map(one => one.dueDays),
        }
        await at(400, unit => processes.put(unit, name, input))
        await at(400, unit => processChecklists.put(unit, name, checklist))
      }
      const operator = { clientId: SYSTEM.clientId, scopes: scopesOf(['admin']) }
      await at(30, unit => webhooks.create(unit, WEBHOOK, operator))
      return ids
    },

    async saveViews(owner: Colleague): Promise<void> {
      const caller = { clientId: actorOf(owner).clientId, scopes: scopesOf([owner.role]) }
      for (const view of VIEWS) await at(10, unit => views.create(unit, view, caller), owner)
    },

    async loadFamily(index: number, team: Team): Promise<void> {
      const company = companyOf(index).name
      const journeys = journeysOf(index)
      const firstDay = Math.max(60, ...journeys.map(({ startedDaysAgo: [begun = 0] }) => begun + 2))
      const input = familyFromWire(familyOf(index, { today, company }))
      const family = await at(firstDay, unit => families.create(unit, input))
      const { applicantId } = family.primary.record
      for (const journey of journeys) await loadCase(journey, { index, applicantId, team })
    },
  }
}

const actorOf = ({ userId, name, companies }: Colleague): Actor => ({
  ...SYSTEM,
  clientId: `user:${userId}`,
  user: { userId, name },
  companies,
})

function teamOf(colleagues: Colleague[]): Team {
  const find = (email: string) => {
    const found = colleagues.find(one => one.email.startsWith(`${email}@`))
    if (!found) throw new Error(`The demo has no colleague ${email}.`)
    return found
  }
  return { 'case-manager': find('case-manager'), admin: find('admin'), hr: find('hr') }
}

function caseInput(
  { fields, isVip }: Journey,
  applicant: ReturnType<typeof familyOf>['primaryApplicant'],
): CaseInput {
  const { employeeNumber, firstName, lastName, dateOfBirth } = applicant
  return {
    details: { ...emptied(DETAIL_FIELDS), ...fields, metadata: [] } as CaseInput['details'],
    employeeNumber,
    applicant: {
      ...emptied(APPLICANT_FIELDS),
      firstName,
      lastName,
      dateOfBirth: parseWallClock(dateOfBirth) ?? null,
      Vip: isVip,
      passports: [],
      dependents: [],
    } as CaseInput['applicant'],
  }
}

const emptied = <T extends string>(fields: readonly T[]) =>
  Object.fromEntries(fields.map(field => [field, null])) as Record<T, null>
