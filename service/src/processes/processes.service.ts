import type { Sql } from '../db/database.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { allInOrder } from '../lib/async.ts'
import { requireAllCompanies } from '../lib/boundary.ts'
import { countryKey } from '../lib/countries.ts'
import { fold } from '../lib/fold.ts'
import { declareProblem, invalid } from '../lib/problem.ts'
import type { Process } from './processes.store.ts'
import * as store from './processes.store.ts'

export const processNotFound = declareProblem({
  code: 'process-not-found',
  status: 404,
  title: 'There is no process with this name.',
  remedy: 'List the processes with GET /admin/v1/processes.',
})

/** For a case that matches no process. */
const DEFAULT_STEPS = [
  'Collect documents',
  'Prepare application',
  'File application',
  'Await decision',
  'Hand over documents',
]

export interface ProcessInput {
  caseType?: string | null
  hostCountry?: string | null
  steps: string[]
  dueDays?: (number | null)[] | null
}

export interface PlannedStep {
  name: string
  dueDays: number | null
}

/** What the audit compares. */
const fieldsOf = ({ name, caseType, hostCountry, steps, dueDays }: Process) => ({
  name,
  caseType,
  hostCountry,
  steps,
  dueDays: dueDays.some(days => days !== null) ? dueDays : null,
})

export type Processes = ReturnType<typeof createProcesses>

export function createProcesses(sql: Sql) {
  return {
    list: () => store.listProcesses(sql),

    async put(
      unit: UnitOfWork,
      name: string,
      { caseType, hostCountry, steps, dueDays }: ProcessInput,
    ): Promise<{ process: Process; created: boolean }> {
      requireAllCompanies(unit.actor)
      if (dueDays && dueDays.length !== steps.length)
        throw invalid([
          {
            pointer: '/dueDays',
            detail: `Must have one entry for each of the ${steps.length} steps, null where a step has no due date.`,
          },
        ])
      const process = {
        name,
        caseType: caseType || null,
        hostCountry: hostCountry?.toUpperCase() || null,
        steps,
        dueDays: dueDays ?? steps.map(() => null),
        updatedAt: unit.now,
      }
      const nameKey = fold(name)
      const [current, written] = await allInOrder([
        store.lockProcess(unit.tx, nameKey),
        store.upsertProcess(unit.tx, {
          process,
          nameKey,
          caseTypeKey: process.caseType ? fold(process.caseType) : null,
        }),
      ])
      unit.audit({
        action: 'process.write',
        recordId: name,
        before: current && fieldsOf(current),
        after: fieldsOf(process),
      })
      return { process: written || !current ? process : current, created: written?.created ?? false }
    },

    async remove(unit: UnitOfWork, name: string): Promise<void> {
      requireAllCompanies(unit.actor)
      const deleted = await store.deleteProcess(unit.tx, fold(name))
      if (!deleted) throw processNotFound()
      unit.audit({ action: 'process.delete', recordId: name, before: fieldsOf(deleted) })
    },

    /** The steps of a new case, and whether the process that it names exists. */
    async choose(
      unit: UnitOfWork,
      { processName, caseType, hostCountry }: { processName: string; caseType: string; hostCountry: string },
    ): Promise<{ steps: PlannedStep[]; named: boolean }> {
      const candidates = await store.listCandidates(unit.tx, {
        nameKey: fold(processName),
        caseTypeKey: fold(caseType),
      })
      const named = candidates.find(process => process.named)
      const chosen = named ?? chooseByCountry(candidates, hostCountry)
      const { steps, dueDays } = chosen ?? { steps: DEFAULT_STEPS, dueDays: [] }
      return {
        steps: steps.map((name, index) => ({ name, dueDays: dueDays[index] ?? null })),
        named: named !== undefined,
      }
    },
  }
}

/** Prefers a process for this code, then for the other code of the country (DE, DEU), then for any country. */
export function chooseByCountry<T extends { hostCountry: string | null }>(
  processes: T[],
  hostCountry: string,
): T | undefined {
  const code = hostCountry.toUpperCase()
  const key = countryKey(code)
  return (
    processes.find(process => process.hostCountry === code) ??
    processes.find(process => process.hostCountry !== null && countryKey(process.hostCountry) === key) ??
    processes.find(process => process.hostCountry === null)
  )
}
