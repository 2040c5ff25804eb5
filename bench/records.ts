// The records of a dataset, each made from its index.

export interface Dataset {
  applicants: number
  cases: number
  steps: number
  notes: number
  /** Documents of cases: those of applicant records would be removed by the first PUT. */
  documents: number
}

/** A dataset in the usual proportions. */
export const datasetOf = (applicants: number, steps = applicants * 10): Dataset => ({
  applicants,
  cases: Math.max(1, Math.ceil(steps / 10)),
  steps,
  notes: steps,
  documents: applicants,
})

/** The days over which the records are spread. */
export const FIRST_DAY = Date.UTC(2023, 0, 1)
export const DAYS = 1000
export const DAY = 86_400_000

export const applicantId = (index: number) => `A${String(index).padStart(22, '0')}=`
export const employeeNumber = (index: number) => `E-${index}`
export const caseId = (index: number) => `C${String(index).padStart(22, '0')}=`

const FIRST = [
  'Anna',
  'Ben',
  'Chidi',
  'Deniz',
  'Elif',
  'Farid',
  'Giulia',
  'Haruka',
  'Ivan',
  'Jonas',
  'Kim',
  'Lucía',
  'Mei',
]
const LAST = [
  'Schmidt',
  'Okafor',
  'Nakamura',
  'García',
  'Dubois',
  'Rossi',
  'Kowalska',
  'Patel',
  'Johansson',
  'Silva',
  'Haddad',
]

export const USERS = 50
export const CASE_TYPES = ['Work Permit', 'Visa', 'Renewal', 'Dependent Permit', 'Permanent Residence']
export const HOST_COUNTRIES = ['DE', 'FR', 'ES', 'CH', 'US', 'GB', 'IE']

export const dayFromNow = (days: number) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10)

/** Six of ten cases are closed, one is pending. Half of the others have an assignee, most have a due date. */
export function deskOf(index: number): {
  status: string
  assignee?: string | undefined
  due?: string | undefined
} {
  const status = index % 10 < 6 ? 'closed' : index % 10 === 6 ? 'pending' : 'open'
  return {
    status,
    assignee: index % 2 === 0 ? `bench-user-${(index / 2) % USERS}` : undefined,
    due: index % 4 === 3 ? undefined : dayFromNow(((index * 7919) % 400) - 40),
  }
}

/** Of every passport but those of the desk. */
export const PASSPORT_EXPIRY = '2031-02-28'

/** Spread over eight years, two of them past. */
export const expiryOf = (index: number) => dayFromNow(((index * 104_729) % 2_920) - 730)

export function person(index: number) {
  const firstName = FIRST[index % FIRST.length] ?? ''
  const lastName = `${LAST[index % LAST.length]}${Math.floor(index / 997) % 1000}`
  return { firstName, lastName, email: `p${index}@example.com`, passportNumber: `P${1_000_000 + index}` }
}

/** Every record belongs to one of two companies. The small one has as many in every dataset, all over its time. */
export const COMPANIES = {
  large: { id: 'bench-company', name: 'Northwind Robotics GmbH', code: 'NW', key: 'northwind robotics gmbh' },
  small: { id: 'bench-small', name: 'Contoso Labs', code: 'CL', key: 'contoso labs' },
}
const IN_SMALL_COMPANY = 250

/** The applicants and cases of the small company are those whose index is a multiple of this. */
export const smallCompanyStride = (total: number) => Math.max(2, Math.floor(total / IN_SMALL_COMPANY))

export const companyOf = (index: number, total: number) =>
  index % smallCompanyStride(total) === 0 ? COMPANIES.small : COMPANIES.large

/** Differs between people of the same name, who would be duplicates of each other. */
export const birthDateOf = (index: number) =>
  new Date(Date.UTC(1960, 0, 1) + ((index * 31) % 15_000) * DAY).toISOString().slice(0, 10)

const metaDataId = (index: number) => `M${applicantId(index)}`
export const passportId = (index: number) => `P${applicantId(index)}`

/** The ids within a record, by which its parts are recognised. */
export const itemIdsOf = (index: number) => `{${metaDataId(index)},${passportId(index)}}`

export function recordOf(index: number, sendingCompany: string, passportExpiry = PASSPORT_EXPIRY): string {
  const { firstName, lastName, email, passportNumber } = person(index)
  return JSON.stringify({
    applicantId: applicantId(index), employeeNumber: employeeNumber(index), status: 'A', email, alternateEmail: null, firstName,
    lastName, middleName: null, gender: 'F', maritalStatus: 'M', sendingCompany,
    dateOfBirth: `${birthDateOf(index)}T00:00:00`, countryOfBirth: 'DE', cityOfBirth: 'Berlin', nationality: 'DE',
    addressLine1: 'Invalidenstraße 1', addressLine2: null, addressCity: 'Berlin', addressState: 'BE',
    addressPostalCode: '10115', addressCountry: 'DE', telephone: '+49 30 5550100', alternateTelephone: null,
    jobTitle: 'Engineer', relationship: '', hireDate: '2020-02-01T00:00:00',
    metaData: [{ noteId: metaDataId(index), tagName: 'costCenter', value: '4711' }],
    passports: [{ passportId: passportId(index), passportNumber, issueDate: '2021-03-01T00:00:00',
      expiryDate: `${passportExpiry}T00:00:00`, nationality: 'DE', country: 'DE', issuedBy: 'DE' }],
    previousNames: [],
  }) // biome-ignore format: as the service writes it
}
