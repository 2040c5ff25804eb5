// The id of the person with an employee number: a primary applicant, or a dependent.
import { isCaseportError } from '@caseport/sdk'
import type { Cli } from './cli.ts'

export async function applicantIdOf(cli: Cli, employeeNumber: string): Promise<string> {
  const { applicants } = await cli.connect()
  const call = { signal: cli.signal }
  try {
    return (await applicants.getByNumber(employeeNumber, call)).applicantId
  } catch (error) {
    if (!isCaseportError(error, 'applicant-not-found')) throw error
    // Only the search of the desk finds a dependent without the number of its primary applicant.
    const [person] = await applicants.search({ employeeNumber }, call).toArray(1)
    if (!person) throw error
    return person.applicantId
  }
}
