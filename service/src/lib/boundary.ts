// What callers who are limited to some companies cannot do.
import { declareProblem } from './problem.ts'

export const allCompaniesRequired = declareProblem({
  code: 'all-companies-required',
  status: 403,
  title: 'This operation affects all companies, and the caller is limited to some.',
  remedy: 'Ask an operator whose `companies` are null.',
})

/** Throws unless the caller sees the records of all companies. */
export function requireAllCompanies({ companies }: { companies: readonly string[] | null }): void {
  if (companies !== null) throw allCompaniesRequired()
}
