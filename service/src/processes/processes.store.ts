import type { Sql, Tx } from '../db/database.ts'

export interface Process {
  name: string
  caseType: string | null
  hostCountry: string | null
  steps: string[]
  /** One for each step: days from its start to its due date, null where it has none. */
  dueDays: (number | null)[]
  updatedAt: Date
}

const columns = (sql: Sql) => sql`
  name, case_type as "caseType", host_country as "hostCountry", steps,
  coalesce(due_days, array_fill(null::integer, array[cardinality(steps)])) as "dueDays", updated_at as "updatedAt"`

export async function listProcesses(sql: Sql): Promise<Process[]> {
  return sql<Process[]>`select ${columns(sql)} from processes order by name_key`
}

interface Saving {
  process: Process
  nameKey: string
  caseTypeKey: string | null
}

/** Returns undefined where the process stays the same: it is not written. */
export async function upsertProcess(
  tx: Tx,
  { process, nameKey, caseTypeKey }: Saving,
): Promise<{ created: boolean } | undefined> {
  const [row] = await tx<{ created: boolean }[]>`
    insert into processes (name, name_key, case_type, case_type_key, host_country, steps, due_days, updated_at)
    values (${process.name}, ${nameKey}, ${process.caseType}, ${caseTypeKey}, ${process.hostCountry},
      ${process.steps}::text[], ${process.dueDays}::integer[], ${process.updatedAt})
    on conflict (name_key) do update
      set name = excluded.name, case_type = excluded.case_type, case_type_key = excluded.case_type_key,
        host_country = excluded.host_country, steps = excluded.steps, due_days = excluded.due_days,
        updated_at = excluded.updated_at
      where (processes.name, processes.case_type, processes.host_country, processes.steps,
          coalesce(processes.due_days, array_fill(null::integer, array[cardinality(processes.steps)])))
        is distinct from (excluded.name, excluded.case_type, excluded.host_country, excluded.steps, excluded.due_days)
    returning xmax = 0 as created`
  return row
}

export async function lockProcess(tx: Tx, nameKey: string): Promise<Process | undefined> {
  const [row] = await tx<
    Process[]
  >`select ${columns(tx)} from processes where name_key = ${nameKey} for update`
  return row
}

/** Returns what was deleted; undefined where there is no such process. */
export async function deleteProcess(tx: Tx, nameKey: string): Promise<Process | undefined> {
  const [row] = await tx<
    Process[]
  >`delete from processes where name_key = ${nameKey} returning ${columns(tx)}`
  return row
}

export interface Candidate extends Process {
  /** Whether it has the requested name. */
  named: boolean
}

/** The process of this name and those for this type of case, in order of name. */
export async function listCandidates(
  tx: Tx,
  { nameKey, caseTypeKey }: { nameKey: string; caseTypeKey: string },
): Promise<Candidate[]> {
  return tx<Candidate[]>`
    select ${columns(tx)}, name_key = ${nameKey} as named from processes
    where name_key = ${nameKey} or case_type_key = ${caseTypeKey}
    order by name_key`
}
