// The record of a person: of a primary applicant, or of a dependent, who is saved through the family.
import { CaseportError, type components } from '@caseport/sdk'
import { useQuery } from '@tanstack/react-query'
import { caseport } from '../../app/connection.ts'
import { type Texts, useTexts } from '../../app/i18n.tsx'
import { type EditedRecord, useRecord, type Versioned, versioned } from '../../fields/use-record.ts'
import { fieldName } from '../../records/changes.ts'
import { useCompanies } from '../../records/links.tsx'

export type Person = components['schemas']['Applicant']
export type Found = components['schemas']['FoundApplicant']
export type PersonPatch = components['schemas']['ApplicantPatch']

/** Where the record is: its id alone does not tell whether it is a dependent. */
export function useFound(applicantId: string) {
  return useQuery({
    queryKey: ['found', applicantId],
    queryFn: ({ signal }) => caseport.applicants.find(applicantId, { signal }),
  })
}

async function readPerson({ applicantId, primaryApplicantId }: Found): Promise<Versioned<Person>> {
  const person =
    primaryApplicantId === null
      ? await caseport.applicants.get(applicantId)
      : await caseport.applicants.dependents.get(primaryApplicantId, applicantId)
  return versioned(person)
}

async function writePerson(found: Found, changes: Partial<Person>, etag: string): Promise<Versioned<Person>> {
  const { applicantId, primaryApplicantId } = found
  const patch = changes as PersonPatch
  if (primaryApplicantId === null) {
    await caseport.applicants.merge(applicantId, { primaryApplicant: patch }, { ifMatch: etag })
    return readPerson(found)
  }
  const primary = await caseport.applicants.get(primaryApplicantId)
  if (primary.employeeNumber !== null)
    await caseport.applicants.dependents.mergeByNumber(primary.employeeNumber, applicantId, patch, {
      ifMatch: etag,
    })
  else {
    // Such a dependent is saved with the family, whose version does not change with it: it is compared here.
    const current = await readPerson(found)
    if (current.etag !== etag)
      throw new CaseportError('version-mismatch', {
        status: 412,
        detail: 'The record was changed meanwhile.',
      })
    await caseport.applicants.merge(primaryApplicantId, { dependents: [{ ...patch, applicantId }] })
  }
  return readPerson(found)
}

export function usePerson(found: Found): EditedRecord<Person> {
  const texts = useTexts()
  const { nameOfCompany } = useCompanies()
  const { applicantId } = found
  return useRecord<Person>({
    queryKey: ['person', applicantId],
    read: () => readPerson(found),
    write: (changes, etag) => writePerson(found, changes, etag),
    invalidates: [
      ['found', applicantId],
      ['list', 'people'],
      ['timeline', applicantId],
      ['documents-of', applicantId],
    ],
    labelOf: field => fieldName(`/${field}`, texts),
    show: (value, field) =>
      field === 'sendingCompany' ? nameOfCompany(value as string | null) : shownValue(value, texts),
  })
}

function shownValue(value: unknown, { date }: Pick<Texts, 'date'>): string {
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value)) return date(value)
  if (Array.isArray(value))
    return value
      .map(item => [item.passportNumber, date(item.expiryDate)].filter(Boolean).join(' – '))
      .join(', ')
  return String(value ?? '')
}
