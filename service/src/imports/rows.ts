// What a staged row means: the family that a PUT or PATCH by number would get, or the problem that it would respond with.

import { familyFromWire } from '../applicants/applicants.mapper.ts'
import { type FamilyBody, MergeApplicantBody, SaveApplicantBody } from '../applicants/applicants.shapes.ts'
import type { FamilyWrite } from '../applicants/family-batches.ts'
import { parseJsonText } from '../http/json-body.ts'
import { createBodyCheck } from '../http/validation.ts'
import { type FieldError, invalid, Problem } from '../lib/problem.ts'
import { type Import, type RowProblem, rowProblemOf } from './import.ts'
import type { PendingRow, StagedDependent } from './staged-rows.store.ts'

const CHECKS = { replace: createBodyCheck(SaveApplicantBody), merge: createBodyCheck(MergeApplicantBody) }

type Source = Pick<Import, 'mode' | 'format' | 'hasDependents'>

export function readRow(
  source: Source,
  row: PendingRow,
  dependents: StagedDependent[],
): FamilyWrite | RowProblem {
  if (row.problem) return row.problem
  try {
    return writeOf(source, row, dependents)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const problem = rowProblemOf(error)
    return source.format === 'csv' ? withRows(problem, dependents) : problem
  }
}

/** The family of a row as the file has it. Throws where the row is no JSON. */
export function contentOf(
  { mode, format, hasDependents }: Source,
  { body }: Pick<PendingRow, 'body'>,
  dependents: StagedDependent[],
): unknown {
  if (format === 'ndjson') return parseJsonText(body ?? '')
  return {
    ...(body !== null && { primaryApplicant: JSON.parse(body) }),
    ...((dependents.length > 0 || (hasDependents && mode === 'replace')) && {
      dependents: dependents.map(one => JSON.parse(one.body)),
    }),
  }
}

function writeOf(source: Source, row: PendingRow, dependents: StagedDependent[]): FamilyWrite {
  const { mode } = source
  const body = contentOf(source, row, dependents)
  const errors = CHECKS[mode](body)
  const number = row.employeeNumber
  if (!number && !errors.some(({ pointer }) => pointer.startsWith('/primaryApplicant/employeeNumber')))
    errors.push(NUMBER_REQUIRED)
  if (row.firstRow !== null && row.firstRow !== row.row)
    errors.push({
      pointer: NUMBER_REQUIRED.pointer,
      detail: `Row ${row.firstRow} of the file has this number already. Only that row counts.`,
    })
  if (errors.length > 0 || !number) throw invalid(errors)
  return { number, input: familyFromWire(body as FamilyBody) }
}

const NUMBER_REQUIRED: FieldError = {
  pointer: '/primaryApplicant/employeeNumber',
  detail: 'Required: the rows of an import are matched by employee number.',
}

/** Names the row of a dependent, which is another one than that of its primary applicant. */
function withRows(problem: RowProblem, dependents: StagedDependent[]): RowProblem {
  if (!problem.errors) return problem
  const errors = problem.errors.map(({ pointer, detail }) => {
    const index = /^\/dependents\/(\d+)/.exec(pointer)?.[1]
    const dependent = index === undefined ? undefined : dependents[Number(index)]
    return { pointer, detail: dependent ? `Row ${dependent.row}: ${detail}` : detail }
  })
  return { ...problem, errors }
}
