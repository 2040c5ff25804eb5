// Fills a database with a dataset of a given size, by COPY. Secondary indexes are dropped first and created again at the
// end, which is several times faster than updating them row by row.
import { duplicateKeysOf, REASONS, type Reason } from '../service/src/applicants/duplicate-matching.ts'
import { KEYS_VERSION, nameKeysOf, searchKeysOf } from '../service/src/applicants/search-keys.ts'
import { copy, NULL, type Progress, type Sql } from './copy.ts'
import {
  applicantId,
  CASE_TYPES,
  COMPANIES,
  caseId,
  companyOf,
  DAY,
  DAYS,
  type Dataset,
  deskOf,
  employeeNumber,
  expiryOf,
  FIRST_DAY,
  HOST_COUNTRIES,
  itemIdsOf,
  PASSPORT_EXPIRY,
  passportId,
  person,
  recordOf,
  USERS,
} from './records.ts'
import { seedDesk } from './seed-desk.ts'

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
      'applicant_id, employee_number, record, name_key, name_key_reversed, search_keys, item_ids, keys_version, company_key, company_set_id, created_at, updated_at',
    total: dataset.applicants,
    progress,
    row: index => {
      const company = companyOf(index, dataset.applicants)
      const text = recordOf(index, company.name)
      const { name, nameReversed, keys } = searchKeysOf(JSON.parse(text))
      const when = at(index, dataset.applicants)
      return [applicantId(index), employeeNumber(index), text, name, nameReversed,
        `{${keys.join(',')}}`, itemIdsOf(index), String(KEYS_VERSION), company.key, setOf(company), when, when] // biome-ignore format: one row
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
      passportId(index),
      PASSPORT_EXPIRY,
      setOf(companyOf(index, dataset.applicants)),
    ],
  })
  await copy(sql, {
    table: 'duplicate_keys',
    columns: 'applicant_id, reason, key, qualifier',
    total: dataset.applicants * REASONS.length,
    progress,
    row: position => {
      const index = Math.floor(position / REASONS.length)
      const { key, reason, qualifier } = keyOf(index, REASONS[position % REASONS.length])
      return [applicantId(index), reason, `\\x${key.toString('hex')}`, qualifier]
    },
  })
  await seedDesk(sql, dataset, { companySetId: setOf(COMPANIES.large), progress })
  await restoreIndexes(sql, dropped, progress)
  await sql`vacuum (analyze)`
}

/** What a record can share with others: one of each kind. */
function keyOf(index: number, reason: Reason | undefined) {
  const key = duplicateKeysOf(JSON.parse(recordOf(index, ''))).find(one => one.reason === reason)
  if (!key) throw new Error(`A record of the dataset has no key of the kind ${reason}.`)
  return key
}

interface Index {
  name: string
  definition: string
}

const TABLES = ['applicants', 'cases', 'case_steps', 'case_notes', 'documents', 'expiries', 'duplicate_keys']

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
