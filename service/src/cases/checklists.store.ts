// Checklists of cases, once they were saved.
import type { Sql, Tx } from '../db/database.ts'
import type { ChecklistEntry } from './checklist.ts'

export interface ChecklistCase {
  applicantId: string
  processName: string
  caseType: string
  hostCountry: string
  /** Null until the checklist of the case is saved. */
  entries: ChecklistEntry[] | null
}

const columns = (sql: Sql) => sql`
  c.applicant_id as "applicantId", coalesce(c.details->>'processName', '') as "processName",
  coalesce(c.details->>'caseType', '') as "caseType", coalesce(c.details->>'hostCountry', '') as "hostCountry",
  l.items as entries`

export async function findChecklistCase(sql: Sql, caseId: string): Promise<ChecklistCase | undefined> {
  const [row] = await sql<ChecklistCase[]>`
    select ${columns(sql)} from cases c left join case_checklists l on l.case_id = c.case_id
    where c.case_id = ${caseId}`
  return row
}

export async function lockCaseOfChecklist(tx: Tx, caseId: string): Promise<void> {
  await tx`select from cases where case_id = ${caseId} for update`
}

export async function upsertChecklist(
  tx: Tx,
  caseId: string,
  { entries, now }: { entries: ChecklistEntry[]; now: Date },
): Promise<void> {
  await tx`
    insert into case_checklists (case_id, items, created_at, updated_at)
    values (${caseId}, ${JSON.stringify(entries)}::text::json, ${now}, ${now})
    on conflict (case_id) do update set items = excluded.items, updated_at = excluded.updated_at`
}
