// Fills a database with a dataset of a given size, by COPY. Secondary indexes are dropped first and created again at the
// end, which is several times faster than updating them row by row.
import { once } from 'node:events'
import type postgres from 'postgres'
import { KEYS_VERSION, nameKeysOf, searchKeysOf } from '../service/src/applicants/search-keys.ts'

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

// biome-ignore lint/complexity/noBannedTypes: postgres.js spells "no custom types" as {}.
type Sql = postgres.Sql<{}>
type Progress = (table: string, done: number, total: number) => void

/** The days over which the records are spread. */
export const FIRST_DAY = Date.UTC(2023, 0, 1)
export const DAYS = 1000
const DAY = 86_400_000

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

const USERS = 50
const CASE_TYPES = ['Work Permit', 'Visa', 'Renewal', 'Dependent Permit', 'Permanent Residence']
const HOST_COUNTRIES = ['DE', 'FR', 'ES', 'CH', 'US', 'GB', 'IE']

const dayFromNow = (days: number) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10)

/** Six of ten cases are closed, one is pending. Half of the others have an assignee, most have a due date. */
function deskOf(index: number): { status: string; assignee?: string | undefined; due?: string | undefined } {
  const status = index % 10 < 6 ? 'closed' : index % 10 === 6 ? 'pending' : 'open'
  return {
    status,
    assignee: index % 2 === 0 ? `bench-user-${(index / 2) % USERS}` : undefined,
    due: index % 4 === 3 ? undefined : dayFromNow(((index * 7919) % 400) - 40),
  }
}

/** Spread over eight years, two of them past. */
const expiryOf = (index: number) => dayFromNow(((index * 104_729) % 2_920) - 730)

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

const companyOf = (index: number, total: number) =>
  index % smallCompanyStride(total) === 0 ? COMPANIES.small : COMPANIES.large

function record(index: number, sendingCompany: string): string {
  const { firstName, lastName, email, passportNumber } = person(index)
  return JSON.stringify({
    applicantId: applicantId(index), employeeNumber: employeeNumber(index), status: 'A', email, alternateEmail: null, firstName,
    lastName, middleName: null, gender: 'F', maritalStatus: 'M', sendingCompany,
    dateOfBirth: '1990-05-31T00:00:00', countryOfBirth: 'DE', cityOfBirth: 'Berlin', nationality: 'DE',
    addressLine1: 'Invalidenstraße 1', addressLine2: null, addressCity: 'Berlin', addressState: 'BE',
    addressPostalCode: '10115', addressCountry: 'DE', telephone: '+49 30 5550100', alternateTelephone: null,
    jobTitle: 'Engineer', relationship: '', hireDate: '2020-02-01T00:00:00',
    metaData: [{ noteId: `M${applicantId(index)}`, tagName: 'costCenter', value: '4711' }],
    passports: [{ passportId: `P${applicantId(index)}`, passportNumber, issueDate: '2021-03-01T00:00:00',
      expiryDate: '2031-02-28T00:00:00', nationality: 'DE', country: 'DE', issuedBy: 'DE' }],
    previousNames: [],
  }) // biome-ignore format: as the service writes it
}

export async function seed(sql: Sql, dataset: Dataset, progress: Progress): Promise<void> {
  // References are valid by construction, so that foreign keys need no check.
  await sql`set session_replication_role = replica`
  const dropped = await dropIndexes(sql)
  const setIds = new Map<string, string>()
  for (const { id, name, code, key } of Object.values(COMPANIES)) {
    await sql`
      insert into companies (company_id, name, code, active, name_key, code_key, created_at, updated_at)
      values (${id}, ${name}, ${code}, true, ${key}, ${code.toLowerCase()}, now(), now())`
    // Triggers do not run in a replica session.
    const [set] = await sql<[{ id: string }]>`
      insert into company_sets (company_ids) values (${[id]}) returning company_set_id::text as id`
    setIds.set(id, set.id)
  }
  const setOf = ({ id }: { id: string }) => setIds.get(id) ?? ''
  const companyOfCase = (index: number) => companyOf(index, dataset.cases)
  const at = (index: number, total: number) =>
    new Date(FIRST_DAY + Math.floor((index / total) * DAYS * DAY)).toISOString()

  await copy(sql, {
    table: 'applicants',
    columns:
      'applicant_id, employee_number, record, name_key, name_key_reversed, search_keys, keys_version, company_key, company_set_id, created_at, updated_at',
    total: dataset.applicants,
    progress,
    row: index => {
      const company = companyOf(index, dataset.applicants)
      const text = record(index, company.name)
      const { name, nameReversed, keys } = searchKeysOf(JSON.parse(text))
      const when = at(index, dataset.applicants)
      return [applicantId(index), employeeNumber(index), text, name, nameReversed,
        `{${keys.join(',')}}`, String(KEYS_VERSION), company.key, setOf(company), when, when] // biome-ignore format: one row
    },
  })
  await sql`
    insert into users (user_id, email, email_key, name, roles, created_at, updated_at)
    select 'bench-user-' || n, 'u' || n || '@example.com', 'u' || n || '@example.com', 'User ' || n, '{case-manager}',
      now(), now()
    from generate_series(0, ${USERS - 1}) as n`
  const detailsOf = (index: number, company: string) =>
    JSON.stringify({
      caseType: CASE_TYPES[index % CASE_TYPES.length],
      hostCompany: company,
      sendingCompany: company,
      billingCompany: company,
      hostCountry: HOST_COUNTRIES[index % HOST_COUNTRIES.length],
      metadata: [],
    })
  await copy(sql, {
    table: 'cases',
    columns:
      'case_id, applicant_id, status, host_company_id, sending_company_id, billing_company_id, details, applicant, name_key, name_key_reversed, keys_version, assignee_id, due_date, next_due, company_set_id, created_at, updated_at',
    total: dataset.cases,
    progress,
    row: index => {
      const when = at(index, dataset.cases)
      const company = companyOfCase(index)
      const { firstName, lastName } = person(index % dataset.applicants)
      const { name, nameReversed } = nameKeysOf({ firstName, middleName: null, lastName })
      const applicant = JSON.stringify({
        firstName,
        lastName,
        Vip: index % 500 === 0,
        passports: [],
        dependents: [],
      })
      const { status, assignee, due } = deskOf(index)
      return [caseId(index), applicantId(index % dataset.applicants), status, company.id, company.id,
        company.id, detailsOf(index, company.code), applicant, name, nameReversed, KEYS_VERSION, assignee ?? NULL, due ?? NULL,
        (status === 'closed' ? undefined : due) ?? 'infinity', setOf(company), when, when] // biome-ignore format: one row
    },
  })
  const perCase = Math.max(1, Math.ceil(dataset.steps / dataset.cases))
  await copy(sql, {
    table: 'case_steps',
    columns:
      'step_id, case_id, sequence, name, status, start_date, completion_date, company_set_id, created_at, updated_at',
    total: dataset.steps,
    progress,
    row: index => {
      const when = at(index, dataset.steps)
      return [`S${index}`, caseId(Math.floor(index / perCase)), (index % perCase) + 1, 'File application', 'completed',
        when.slice(0, 10), when.slice(0, 10), setOf(companyOfCase(Math.floor(index / perCase))), when, when] // biome-ignore format: one row
    },
  })
  await copy(sql, {
    table: 'case_notes',
    columns: 'note_id, case_id, content, author, company_set_id, created_at, updated_at',
    total: dataset.notes,
    progress,
    row: index => {
      const when = at(index, dataset.notes)
      return [
        `N${index}`,
        caseId(index % dataset.cases),
        'Passport copy received; the page with the photo is clear.',
        'R. Okonkwo',
        setOf(companyOfCase(index % dataset.cases)),
        when,
        when,
      ]
    },
  })
  await copy(sql, {
    table: 'documents',
    columns:
      'document_id, applicant_id, case_id, name, issue_date, expiry_date, reference_number, country, company_set_id, created_at, updated_at',
    total: dataset.documents,
    progress,
    row: index => {
      const when = at(index, dataset.documents)
      return [`D${index}`, applicantId(index), caseId(index % dataset.cases), 'Residence permit', '2024-01-01 00:00:00', `${expiryOf(index)} 00:00:00`, `R-${index}`,
        'DE', setOf(companyOfCase(index % dataset.cases)), when, when] // biome-ignore format: one row
    },
  })
  await copy(sql, {
    table: 'expiries',
    columns: 'applicant_id, kind, item_id, case_id, expires_on, company_set_id',
    total: dataset.documents,
    progress,
    row: index => [
      applicantId(index),
      'document',
      `D${index}`,
      caseId(index % dataset.cases),
      expiryOf(index),
      setOf(companyOfCase(index % dataset.cases)),
    ],
  })
  await copy(sql, {
    table: 'expiries',
    columns: 'applicant_id, kind, item_id, expires_on, company_set_id',
    total: dataset.applicants,
    progress,
    row: index => [
      applicantId(index),
      'passport',
      `P${applicantId(index)}`,
      '2031-02-28',
      setOf(companyOf(index, dataset.applicants)),
    ],
  })
  await restoreIndexes(sql, dropped, progress)
  await sql`vacuum (analyze)`
}

interface Copy {
  table: string
  columns: string
  total: number
  row: (index: number) => (string | number | typeof NULL)[]
  progress: Progress
}

async function copy(sql: Sql, { table, columns, total, row, progress }: Copy): Promise<void> {
  const stream = await sql.unsafe(`copy ${table} (${columns}) from stdin`).writable()
  const BATCH = 2_000
  for (let from = 0; from < total; from += BATCH) {
    let text = ''
    for (let index = from; index < Math.min(from + BATCH, total); index++)
      text += `${row(index).map(quoted).join('\t')}\n`
    if (!stream.write(text)) await once(stream, 'drain')
    progress(table, Math.min(from + BATCH, total), total)
  }
  stream.end()
  await once(stream, 'finish')
}

/** As COPY writes it. */
const NULL = Symbol('null')

const quoted = (value: string | number | typeof NULL) =>
  value === NULL ? '\\N' : typeof value === 'string' ? value.replaceAll('\\', '\\\\') : String(value)

interface Index {
  name: string
  definition: string
}

const TABLES = ['applicants', 'cases', 'case_steps', 'case_notes', 'documents', 'expiries']

async function dropIndexes(sql: Sql): Promise<Index[]> {
  const dropped = await sql<Index[]>`
    select i.indexname as name, i.indexdef as definition
    from pg_indexes i
    where i.schemaname = 'public' and i.tablename = any(${TABLES}::text[])
      and not exists (select from pg_constraint c where c.conindid = format('%I.%I', i.schemaname, i.indexname)::regclass)`
  for (const { name } of dropped) await sql`drop index ${sql(name)}`
  return [...dropped]
}

async function restoreIndexes(sql: Sql, dropped: Index[], progress: Progress): Promise<void> {
  for (const [at, { name, definition }] of dropped.entries()) {
    await sql.unsafe(`set maintenance_work_mem = '512MB'; ${definition}`)
    progress(`index ${name}`, at + 1, dropped.length)
  }
}
