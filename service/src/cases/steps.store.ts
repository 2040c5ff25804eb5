import type { Sql, Tx } from '../db/database.ts'
import { type BehindFlag, keyset, type Page, type PositionedRow, pageOf, type Window } from '../db/keyset.ts'
import { utcText } from '../db/types.ts'
import type { StepStatus } from './case.ts'

export interface Step {
  stepId: string
  sequence: number
  name: string
  status: StepStatus
  startDate: string | null
  completionDate: string | null
}

export interface Listed extends PositionedRow {
  caseId: string
  json: string
}

/** Whose a step is: the same for all steps of the case `c` of the applicant `a`. */
export const WHOSE_STEP = `
  '","caseId":"' || c.case_id || '","applicantId":"' || c.applicant_id || '","employeeNumber":'
    || coalesce(to_json(a.employee_number)::text, 'null')`

/**
 * A step `k`, as integrators see it. Put together by hand: ids, states and dates need no escapes, and row_to_json, which
 * looks for them in everything, takes half as long again.
 */
const stepJson = (whose = WHOSE_STEP) => `
  '{"stepId":"' || k.step_id || ${whose} || ',"sequence":' || k.sequence || ',"name":' || to_json(k.name)::text
    || ',"status":"' || k.status || '","startDate":' || coalesce('"' || k.start_date || '"', 'null')
    || ',"completionDate":' || coalesce('"' || k.completion_date || '"', 'null')
    || ',"createdAt":"' || ${utcText('k.created_at')} || '","updatedAt":"' || ${utcText('k.updated_at')} || '"}'`

/** The steps of the case `c`, as an array. */
export const stepsJson = (whose?: string) => `
  coalesce((
    select '[' || string_agg(${stepJson(whose)}, ',' order by k.sequence) || ']'
    from case_steps k where k.case_id = c.case_id
  ), '[]')`

const COLUMNS = [
  'step_id',
  'case_id',
  'sequence',
  'name',
  'status',
  'start_date',
  'completion_date',
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

export async function listSteps(sql: Sql, window: Window): Promise<Page<Listed>> {
  const by = DATES[window.type] ?? { column: 'updated_at', isDay: false }
  const page = keyset(sql, window, { table: 'case_steps', columns: COLUMNS, ...by })
  const rows = await sql<(Listed & BehindFlag)[]>`
    select k.key_at as at, k.seq, ${page.behind} as behind, k.case_id as "caseId", ${sql.unsafe(stepJson())} as json
    from (${page.rows}) k
    join cases c on c.case_id = k.case_id
    join applicants a on a.applicant_id = c.applicant_id
    order by ${page.order}`
  return pageOf(window, rows, () => sql<BehindFlag[]>`select ${page.behind} as behind`)
}

/** Undefined where there is no such case. */
export async function findStepsOf(sql: Sql, caseId: string): Promise<string | undefined> {
  const [row] = await sql<{ steps: string }[]>`
    select ${sql.unsafe(stepsJson())} as steps
    from cases c join applicants a on a.applicant_id = c.applicant_id
    where c.case_id = ${caseId}`
  return row?.steps
}

export async function findStep(tx: Tx, caseId: string, stepId: string): Promise<Step | undefined> {
  const [row] = await tx<Step[]>`
    select step_id as "stepId", sequence, name, status, start_date as "startDate", completion_date as "completionDate"
    from case_steps
    where case_id = ${caseId} and step_id = ${stepId}`
  return row
}

export async function showStep(tx: Tx, stepId: string): Promise<string> {
  const [row] = await tx<[{ json: string }]>`
    select ${tx.unsafe(stepJson())} as json
    from case_steps k
    join cases c on c.case_id = k.case_id
    join applicants a on a.applicant_id = c.applicant_id
    where k.step_id = ${stepId}`
  return row.json
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
  { steps, now }: { steps: Step[]; now: Date },
): Promise<void> {
  await tx`
    insert into case_steps (step_id, case_id, sequence, name, status, start_date, completion_date, created_at, updated_at)
    select "stepId", ${caseId}, sequence, name, status, "startDate", "completionDate", ${now}, ${now}
    from jsonb_to_recordset(${tx.json(steps as never)}) as s (
      "stepId" text, sequence integer, name text, status text, "startDate" date, "completionDate" date)
    order by sequence`
}

/** Makes room for a step at this place. */
export async function shiftSteps(
  tx: Tx,
  caseId: string,
  { from, now }: { from: number; now: Date },
): Promise<void> {
  await tx`
    update case_steps
    set sequence = sequence + 1, updated_at = ${now}
    where case_id = ${caseId} and sequence >= ${from}`
}

export async function updateStep(tx: Tx, step: Step, now: Date): Promise<void> {
  await tx`
    update case_steps
    set name = ${step.name}, status = ${step.status}, start_date = ${step.startDate},
      completion_date = ${step.completionDate}, updated_at = ${now}
    where step_id = ${step.stepId}`
}

export async function touchStepsOf(tx: Tx, applicantIds: string[], now: Date): Promise<void> {
  await tx`
    update case_steps
    set updated_at = greatest(updated_at, ${now})
    where case_id in (select case_id from cases where applicant_id = any(${applicantIds}::text[]))`
}
