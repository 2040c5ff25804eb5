import { declareProblem } from '../lib/problem.ts'

export const applicantNotFound = declareProblem({
  code: 'applicant-not-found',
  status: 404,
  title: 'There is no such primary applicant.',
  remedy: 'Check the id or the employee number; a number that was changed finds nothing any more.',
})
export const dependentNotFound = declareProblem({
  code: 'dependent-not-found',
  status: 404,
  title: 'The primary applicant has no such dependent.',
  remedy: "List the primary applicant's dependents.",
})
export const employeeNumberInUse = declareProblem({
  code: 'employee-number-in-use',
  status: 409,
  title: 'The employee number belongs to someone else.',
  remedy: 'Use another number, or write to the record that has it.',
})
export const employeeNumberRetired = declareProblem({
  code: 'employee-number-retired',
  status: 409,
  title: 'The employee number was given up in a change of numbers and is never given out again.',
  remedy: 'Use another number.',
})
export const employeeNumberFixed = declareProblem({
  code: 'employee-number-fixed',
  status: 409,
  title: 'The record has an employee number, which a PUT or PATCH can neither change nor remove.',
  remedy: 'Leave `employeeNumber` out, or send the stored one. To change it, use Change employee number.',
})
export const dependentOfAnother = declareProblem({
  code: 'dependent-of-another-applicant',
  status: 409,
  title: 'The record belongs to another primary applicant, or is one itself.',
  remedy: 'To move a dependent, merge it (PATCH) into the primary applicant it should belong to.',
})
export const identityMismatch = declareProblem({
  code: 'identity-mismatch',
  status: 422,
  title: 'The fields do not match the record of this employee number.',
  remedy: 'Check that the number is the right one, and that name and date of birth are as on record.',
})
export const unknownReference = declareProblem({
  code: 'unknown-reference',
  status: 422,
  title: 'An id in the request refers to nothing that belongs to this record.',
  remedy: 'Leave the id out to add an item, or read the record to see its ids.',
})

export const applicantConstraints = {
  applicants_employee_number: employeeNumberInUse,
  applicants_number_not_retired: employeeNumberRetired,
  applicants_pkey: dependentOfAnother,
  documents_pkey: unknownReference,
}
