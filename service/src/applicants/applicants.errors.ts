import { declareProblem } from '../lib/problem.ts'

export const applicantNotFound = declareProblem({
  code: 'applicant-not-found',
  status: 404,
  title: 'There is no such primary applicant.',
  remedy:
    'Check the id or the employee number. A number that was changed is not found any more. A record that was merged into another one is found by the id in `mergedInto`.',
})
export const dependentNotFound = declareProblem({
  code: 'dependent-not-found',
  status: 404,
  title: 'The primary applicant has no such dependent.',
  remedy: "List the primary applicant's dependents. One that was merged is found by the id in `mergedInto`.",
})
export const employeeNumberInUse = declareProblem({
  code: 'employee-number-in-use',
  status: 409,
  title: 'The employee number belongs to another person.',
  remedy: 'Use another number, or change the record that has it.',
})
export const employeeNumberRetired = declareProblem({
  code: 'employee-number-retired',
  status: 409,
  title: 'The employee number was retired by a change of numbers or a merge, and cannot be assigned again.',
  remedy:
    'Use another number. GET /v2/applicant/employeenumber/{employeeNumber} returns, as `mergedInto`, the id of the record that a merge has made of its owner.',
})
export const employeeNumberFixed = declareProblem({
  code: 'employee-number-fixed',
  status: 409,
  title: 'The record has an employee number, which a PUT or PATCH can neither change nor remove.',
  remedy: 'Leave `employeeNumber` out, or send the stored number. To change it, use Change employee number.',
})
export const dependentOfAnother = declareProblem({
  code: 'dependent-of-another-applicant',
  status: 409,
  title:
    'The record belongs to another primary applicant, is a primary applicant itself, or was merged into another record.',
  remedy: 'To move a dependent, merge it (PATCH) into the primary applicant it should belong to.',
})
export const identityMismatch = declareProblem({
  code: 'identity-mismatch',
  status: 422,
  title: 'The fields do not match the record of this employee number.',
  remedy: 'Check the number, and that names and date of birth equal those of the record.',
})
export const unknownReference = declareProblem({
  code: 'unknown-reference',
  status: 422,
  title: 'An id in the request does not belong to this record.',
  remedy:
    'Leave the id out to add an item, or read the record to get its ids. Work is assigned to an active user who sees a company of the case.',
})

export const applicantConstraints = {
  applicants_employee_number: employeeNumberInUse,
  applicants_number_not_retired: employeeNumberRetired,
  applicants_pkey: dependentOfAnother,
  applicants_id_not_merged: dependentOfAnother,
  documents_pkey: unknownReference,
}
