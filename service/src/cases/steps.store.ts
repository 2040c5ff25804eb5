import type { Sql, Tx } from '../db/database.ts'
import { type BehindFlag, keyset, type Page, type PositionedRow, pageOf, type Window } from '../db/keyset.ts'
import { caseApplicants, every } from '../db/limited.ts'
import { type Assignee, assigneeOf } from './assignee.store.ts'
import type { StepDue, StepStatus } from './case.ts'

export interface Step {
  stepId: string
  sequence: number
  name: string
  status: StepStatus
  startDate: string | null
  completionDate: string | null
  dueDate: string | null
}

/** A step as it is stored. */
export interface StoredStep extends Step, StepDue {
  assigneeId: string | null
}

export interface StepRow extends Step {
  assignee: Assignee | null
  caseId: string
  applicantId: string
  /** The number that the applicant has now. */
  employeeNumber: string | null
  createdAt: Date
  updatedAt: Date
}

/** Of step `k` of case `c` of applicant `a`. */
const columns = (sql: Sql) => sql`
  k.step_id as "stepId", c.case_id as "caseId", c.applicant_id as "applicantId", a.employee_number as "employeeNumber",
  k.sequence, k.name, k.status, k.start_date as "startDate", k.completion_date as "completionDate",
  k.due_date as "dueDate", ${assigneeOf(sql, 'k')} as assignee, k.created_at as "createdAt", k.updated_at as "updatedAt"`

const KEYSET_COLUMNS = [
  'step_id',
  'case_id',
  'sequence',
  'name',
  'status',
  'start_date',
  'completion_date',
  'due_date',
  'assignee_id',
  'created_at',
  'updated_at',
]

const DATES: Record<string, { column: string; isDay: boolean }> = {
  updated: { column: 'updated_at', isDay: false },
  created: { column: 'created_at', isDay: false },
  started: { column: 'start_date', isDay: true },
  completed: { column: 'completion_date', isDay: true },
}

export const STEP_DATES = Object.keys(DATES)

export async function listSteps(sql: Sql, window: Window): Promise<Page<StepRow & PositionedRow>> {
  const by = DATES[window.type] ?? { column: 'updated_at', isDay: false }
  const page = keyset(sql, window, { table: 'case_steps', columns: KEYSET_COLUMNS, byCompany: true, ...by })
  const rows = await sql<(StepRow & PositionedRow & BehindFlag)[]>`
    select k.key_at as at, k.seq, ${page.behind} as behind, ${columns(sql)}
    from (${page.rows}) k
    join cases c on c.case_id = k.case_id
    join ${caseApplicants(sql)} a on a.applicant_id = c.applicant_id
    order by ${page.order}`
  return pageOf(window, rows, () => sql<BehindFlag[]>`select ${page.behind} as behind`)
}

export async function listStepNames(sql: Sql, stepIds: string[]): Promise<Pick<Step, 'stepId' | 'name'>[]> {
  return sql<Pick<Step, 'stepId' | 'name'>[]>`
    select k.step_id as "stepId", k.name from case_steps k where k.step_id = any(${stepIds}::text[])`
}

/** Undefined where there is no such case. */
export async function findStepsOf(sql: Sql, caseId: string): Promise<StepRow[] | undefined> {
  const rows = await sql<(StepRow | { stepId: null })[]>`
    select ${columns(sql)}
    from cases c
    join ${caseApplicants(sql)} a on a.applicant_id = c.applicant_id
    left join case_steps k on k.case_id = c.case_id
    where c.case_id = ${caseId}
    order by k.sequence`
  return rows.length === 0 ? undefined : rows.filter(row => row.stepId !== null)
}

const storedColumns = (sql: Sql) => sql`
  step_id as "stepId", sequence, name, status, start_date as "startDate", completion_date as "completionDate",
  due_date as "dueDate", due_days as "dueDays", due_date_is_set as "dueDateIsSet", assignee_id as "assigneeId"`

export async function findStep(tx: Tx, caseId: string, stepId: string): Promise<StoredStep | undefined> {
  const [row] = await tx<StoredStep[]>`
    select ${storedColumns(tx)} from case_steps where case_id = ${caseId} and step_id = ${stepId}`
  return row
}

/** The first step after this position that is neither completed nor waived. */
export async function findNextStep(
  tx: Tx,
  caseId: string,
  sequence: number,
): Promise<StoredStep | undefined> {
  const [row] = await tx<StoredStep[]>`
    select ${storedColumns(tx)}
    from case_steps
    where case_id = ${caseId} and sequence > ${sequence} and status in ('notStarted', 'inProgress')
    order by sequence
    limit 1`
  return row
}

export async function getStep(tx: Tx, stepId: string): Promise<StepRow> {
  const [row] = await tx<[StepRow]>`
    select ${columns(tx)}
    from case_steps k
    join cases c on c.case_id = k.case_id
    join ${caseApplicants(tx)} a on a.applicant_id = c.applicant_id
    where k.step_id = ${stepId}`
  return row
}

export async function countSteps(tx: Tx, caseId: string): Promise<number> {
  const [row] = await tx<
    [{ count: number }]
  >`select count(*)::int as count from case_steps where case_id = ${caseId}`
  return row.count
}

export async function insertSteps(
  tx: Tx,
  caseId: string,
  { steps, now }: { steps: StoredStep[]; now: Date },
): Promise<void> {
  await tx`
    insert into case_steps (step_id, case_id, sequence, name, status, start_date, completion_date, due_date, due_days,
      due_date_is_set, assignee_id, created_at, updated_at, company_set_id)
    select "stepId", ${caseId}, sequence, name, status, "startDate", "completionDate", "dueDate", "dueDays",
      "dueDateIsSet", "assigneeId", ${now}, ${now},
      (select c.company_set_id from cases c where c.case_id = ${caseId})
    from jsonb_to_recordset(${tx.json(steps as never)}) as s (
      "stepId" text, sequence integer, name text, status text, "startDate" date, "completionDate" date,
      "dueDate" date, "dueDays" integer, "dueDateIsSet" boolean, "assigneeId" text)
    order by sequence`
}

/** Moves the steps from this position on by one. */
export async function shiftSteps(
  tx: Tx,
  caseId: string,
  { from, now }: { from: number; now: Date },
): Promise<void> {
  await tx`
    update case_steps
    set sequence = sequence + 1, updated_at = greatest(updated_at, ${now})
    where case_id = ${caseId} and sequence >= ${from}`
}

export async function updateStep(tx: Tx, step: StoredStep, now: Date): Promise<void> {
  await tx`
    update case_steps
    set name = ${step.name}, status = ${step.status}, start_date = ${step.startDate},
      completion_date = ${step.completionDate}, due_date = ${step.dueDate}, due_date_is_set = ${step.dueDateIsSet},
      assignee_id = ${step.assigneeId}, updated_at = greatest(updated_at, ${now})
    where step_id = ${step.stepId}`
}

export async function touchStepsOf(tx: Tx, applicantIds: string[], now: Date): Promise<void> {
  await tx`
    update ${every(tx, 'case_steps')}
    set updated_at = greatest(updated_at, ${now})
    where case_id in (select case_id from ${every(tx, 'cases')} where applicant_id = any(${applicantIds}::text[]))`
}

export async function touchStepsOfCases(tx: Tx, caseIds: string[], now: Date): Promise<void> {
  await tx`
    update ${every(tx, 'case_steps')} set updated_at = greatest(updated_at, ${now})
    where case_id = any(${caseIds}::text[])`
}
