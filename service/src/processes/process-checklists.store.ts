// The checklist of a process: the documents that its cases need.
import type { Sql, Tx } from '../db/database.ts'

export interface ChecklistItem {
  name: string
  /** The type of the documents that fill the item; null where its name tells them. */
  type: string | null
  required: boolean
}

export async function findChecklist(sql: Sql, nameKey: string): Promise<ChecklistItem[] | undefined> {
  const [row] = await sql<{ items: ChecklistItem[] }[]>`
    select checklist as items from processes where name_key = ${nameKey}`
  return row?.items
}

export async function lockChecklist(tx: Tx, nameKey: string): Promise<ChecklistItem[] | undefined> {
  const [row] = await tx<{ items: ChecklistItem[] }[]>`
    select checklist as items from processes where name_key = ${nameKey} for update`
  return row?.items
}

export async function updateChecklist(
  tx: Tx,
  nameKey: string,
  { items, now }: { items: ChecklistItem[]; now: Date },
): Promise<void> {
  await tx`
    update processes set checklist = ${JSON.stringify(items)}::text::json, updated_at = ${now}
    where name_key = ${nameKey}`
}

export interface ChecklistCandidate {
  items: ChecklistItem[]
  hostCountry: string | null
  /** Whether the process has the requested name. */
  named: boolean
}

/** Of the process of this name and those for this type of case, in order of name. */
export async function listChecklists(
  sql: Sql,
  { nameKey, caseTypeKey }: { nameKey: string; caseTypeKey: string },
): Promise<ChecklistCandidate[]> {
  return sql<ChecklistCandidate[]>`
    select checklist as items, host_country as "hostCountry", name_key = ${nameKey} as named from processes
    where name_key = ${nameKey} or case_type_key = ${caseTypeKey}
    order by name_key`
}
