import type { Sql } from '../db/database.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { requireAllCompanies } from '../lib/boundary.ts'
import { fold } from '../lib/fold.ts'
import { type FieldError, invalid } from '../lib/problem.ts'
import type { ChecklistItem } from './process-checklists.store.ts'
import * as store from './process-checklists.store.ts'
import { chooseByCountry, processNotFound } from './processes.service.ts'

export type { ChecklistItem }

export type ProcessChecklists = ReturnType<typeof createProcessChecklists>

export function createProcessChecklists(sql: Sql) {
  return {
    async get(name: string): Promise<ChecklistItem[]> {
      const items = await store.findChecklist(sql, fold(name))
      if (!items) throw processNotFound()
      return items
    },

    async put(unit: UnitOfWork, name: string, items: ChecklistItem[]): Promise<ChecklistItem[]> {
      requireAllCompanies(unit.actor)
      requireDistinctNames(items)
      const current = await store.lockChecklist(unit.tx, fold(name))
      if (!current) throw processNotFound()
      unit.audit({
        action: 'process.checklist_write',
        recordId: name,
        before: { checklist: current },
        after: { checklist: items },
      })
      if (JSON.stringify(current) !== JSON.stringify(items))
        await store.updateChecklist(unit.tx, fold(name), { items, now: unit.now })
      return items
    },

    /** The checklist of the process that a new case with these fields would follow. */
    async choose(
      from: Sql,
      { processName, caseType, hostCountry }: { processName: string; caseType: string; hostCountry: string },
    ): Promise<ChecklistItem[]> {
      const candidates = await store.listChecklists(from, {
        nameKey: fold(processName),
        caseTypeKey: fold(caseType),
      })
      const chosen = candidates.find(({ named }) => named) ?? chooseByCountry(candidates, hostCountry)
      return chosen?.items ?? []
    },
  }
}

/** An item is known by its name. */
export function requireDistinctNames(items: { name: string }[]): void {
  const seen = new Set<string>()
  const errors: FieldError[] = []
  for (const [index, { name }] of items.entries()) {
    if (seen.has(fold(name)))
      errors.push({ pointer: `/items/${index}/name`, detail: 'Another item has this name.' })
    seen.add(fold(name))
  }
  if (errors.length > 0) throw invalid(errors)
}
