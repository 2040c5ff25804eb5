import type { Sql } from '../db/database.ts'
import type { Unit } from '../db/unit.ts'
import { fold } from '../lib/fold.ts'
import { declareProblem } from '../lib/problem.ts'
import type { Process } from './processes.store.ts'
import * as store from './processes.store.ts'

export const processNotFound = declareProblem({
  code: 'process-not-found',
  status: 404,
  title: 'There is no process of this name.',
  remedy: 'List the processes with GET /admin/v1/processes.',
})

/** For a case that no process was made for. */
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
}

export type Processes = ReturnType<typeof createProcesses>

export function createProcesses(sql: Sql) {
  return {
    list: () => store.listProcesses(sql),

    async put(
      unit: Unit,
      name: string,
      { caseType, hostCountry, steps }: ProcessInput,
    ): Promise<{ process: Process; created: boolean }> {
      const process = {
        name,
        caseType: caseType || null,
        hostCountry: hostCountry?.toUpperCase() || null,
        steps,
        updatedAt: unit.now,
      }
      unit.audit({ action: 'process.write', recordId: name })
      const created = await store.upsertProcess(unit.tx, {
        process,
        nameKey: fold(name),
        caseTypeKey: process.caseType ? fold(process.caseType) : null,
      })
      return { process, created }
    },

    async remove(unit: Unit, name: string): Promise<void> {
      unit.audit({ action: 'process.delete', recordId: name })
      if (!(await store.deleteProcess(unit.tx, fold(name)))) throw processNotFound()
    },

    /** The names of the steps that a new case goes through. */
    async stepsFor(
      unit: Unit,
      asked: { processName: string; caseType: string; hostCountry: string },
    ): Promise<string[]> {
      const found = await store.findProcess(unit.tx, {
        nameKey: fold(asked.processName),
        caseTypeKey: fold(asked.caseType),
        hostCountry: asked.hostCountry.toUpperCase(),
      })
      return found?.steps ?? DEFAULT_STEPS
    },
  }
}
