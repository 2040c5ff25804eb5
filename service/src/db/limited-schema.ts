// The schema `limited`: what callers who are limited to some companies see of the tables. A table that is not listed here
// does not exist for them. The views are created after the migrations, so that each has the columns of its table.
import { createHash } from 'node:crypto'
import type { Sql } from './database.ts'

// A subquery is evaluated once for each statement, not for each row. The settings are empty outside a transaction of a
// limited caller; nothing is a member of null.
const SETS = `(select nullif(current_setting('caseport.company_sets', true), '')::integer[])::integer[]`
const COMPANIES = `(select nullif(current_setting('caseport.companies', true), '')::text[])::text[]`

/** Rows that belong to one of the caller's companies. A write cannot move a row out of sight. */
const belonging = (table: string) =>
  `select * from public.${table} where company_set_id = any (${SETS}) with local check option`
/** Rows about two records, both of which belong to the caller's companies. */
const belongingTwice = (table: string) => `select * from public.${table}
  where company_set_id = any (${SETS}) and other_company_set_id = any (${SETS}) with local check option`
/**
 * A list of companies, none of which the caller lacks. An empty list is contained in every other, but only a caller
 * without companies, who must find itself, sees what has no company.
 */
const IS_WITHIN = `companies <@ ${COMPANIES} and (companies <> '{}' or ${COMPANIES} = '{}')`
/** Rows that have a list of companies of their own. */
const within = (table: string) => `select * from public.${table} where ${IS_WITHIN} with local check option`
/** Rows of users that the caller sees. */
const ofVisibleUsers = (table: string) => `select * from public.${table} where user_id in (
  select user_id from public.users where ${IS_WITHIN}) with local check option`
/** Rows of imports whose companies the caller has. */
const ofVisibleImports = (table: string) => `select * from public.${table} where import_id in (
  select import_id from public.imports where ${IS_WITHIN}) with local check option`
/**
 * For the audit: a list of companies that has some, and none that the caller lacks. Entries of callers that were not
 * identified have an empty list, and may name any record.
 */
const hasOwnCompanies = (row: string) => `(${row}.companies <@ ${COMPANIES} and ${row}.companies <> '{}')`
/** All rows. */
const shared = (table: string) => `select * from public.${table}`
/** A view with an offset cannot be written to. Its rows are not looked up by index, so it is for small tables. */
const readOnly = (select: string) => `${select} offset 0`

export const VIEWS: Record<string, string> = {
  applicants: belonging('applicants'),
  cases: belonging('cases'),
  case_steps: belonging('case_steps'),
  case_notes: belonging('case_notes'),
  case_note_versions: belonging('case_note_versions'),
  case_checklists: belonging('case_checklists'),
  documents: belonging('documents'),
  document_files: belonging('document_files'),
  former_files: belonging('former_files'),
  notifications: belonging('notifications'),
  expiries: belonging('expiries'),
  events: belonging('events'),
  change_feed_sets: readOnly(`select * from public.change_feed_sets where company_set_id = any (${SETS})`),
  duplicate_pairs: belongingTwice('duplicate_pairs'),
  duplicate_dismissals: belongingTwice('duplicate_dismissals'),
  merges: belongingTwice('merges'),
  merged_applicants: `select * from public.merged_applicants where merge_id in (
    select merge_id from public.merges
    where company_set_id = any (${SETS}) and other_company_set_id = any (${SETS})) with local check option`,
  company_sets: readOnly(`select * from public.company_sets where company_set_id = any (${SETS})`),
  company_set_pairs: readOnly(`select * from public.company_set_pairs
    where company_set_id = any (${SETS}) and other_company_set_id = any (${SETS})`),
  companies: readOnly(`select * from public.companies where company_id = any (${COMPANIES})`),
  clients: within('clients'),
  api_keys: `select * from public.api_keys where client_id in (
    select client_id from public.clients where ${IS_WITHIN}) with local check option`,
  webhooks: within('webhooks'),
  saved_views: within('saved_views'),
  webhook_deliveries: `select * from public.webhook_deliveries where webhook_id in (
    select webhook_id from public.webhooks where ${IS_WITHIN}) with local check option`,
  imports: within('imports'),
  import_rows: ofVisibleImports('import_rows'),
  import_dependents: ofVisibleImports('import_dependents'),
  import_results: ofVisibleImports('import_results'),
  import_fingerprints: `select * from public.import_fingerprints f where exists (
    select from public.applicants r where r.applicant_id = f.applicant_id and r.company_set_id = any (${SETS}))
    with local check option`,
  // Visible while the record is, or while both records of the merge that has absorbed it are. Entries about several records, which may belong to others too, only where their caller was
  // limited to companies of this one.
  audit: `select * from public.audit a where ${hasOwnCompanies('a')} or a.record_ids is null and (
    exists (select from public.applicants r where r.applicant_id = a.record_id and r.company_set_id = any (${SETS}))
    or exists (select from public.merged_applicants m join public.merges r on r.merge_id = m.merge_id
      where m.source_id = a.record_id and r.company_set_id = any (${SETS}) and r.other_company_set_id = any (${SETS}))
    or exists (select from public.cases r where r.case_id = a.record_id and r.company_set_id = any (${SETS}))
    or exists (select from public.documents r where r.document_id = a.record_id and r.company_set_id = any (${SETS}))
    or a.record_id = any (${COMPANIES})
    or exists (select from public.clients r where r.client_id = a.record_id and ${hasOwnCompanies('r')})
    or exists (select from public.users r where r.user_id = a.record_id and ${hasOwnCompanies('r')})
    or exists (select from public.webhooks r where r.webhook_id = a.record_id and ${hasOwnCompanies('r')}))`,
  audit_of_further_records: `select * from public.audit_of_further_records r where ${hasOwnCompanies('r')}`,
  idempotency_keys: shared('idempotency_keys'),
  pending_uploads: shared('pending_uploads'),
  upload_usage: shared('upload_usage'),
  // Callers of an external issuer belong to no company.
  blocked_callers: readOnly('select * from public.blocked_callers where false'),
  // People, and what they sign in with. A person who sees all companies is not visible to a limited caller.
  users: within('users'),
  ...Object.fromEntries(
    [
      'invitations',
      'user_passwords',
      'user_totp',
      'recovery_codes',
      'passkeys',
      'user_identities',
      'sessions',
      'sign_in_challenges',
      'calendar_feeds',
    ].map(table => [table, ofVisibleUsers(table)]),
  ),
  retired_employee_numbers: shared('retired_employee_numbers'),
  processes: readOnly(shared('processes')),

  // What the boundary leaves visible on purpose.

  /** The person of a visible case, whose record may belong to another company: the number and versions that a case shows. */
  case_applicants: `
    select a.applicant_id, a.primary_id, a.employee_number, a.version, a.archived_at, a.company_set_id
    from public.applicants a
    where a.company_set_id = any (${SETS}) or exists (
      select from public.cases c where c.applicant_id = a.applicant_id and c.company_set_id = any (${SETS}))`,
  /** A case may name any company. */
  company_names: 'select company_id, name_key, code_key, active from public.companies',
  /** Cases show who works on them, also where that person sees more companies than the caller. */
  user_names: 'select user_id, name, version from public.users',
  /** An employee number is unique in the whole system. */
  number_owners: 'select employee_number, archived_at from public.applicants',
  /** An item id belongs to one person in the whole system. */
  item_owners: 'select item_ids from public.applicants',
}

/** Changes with the views. It is stored with the schema. */
const CHECKSUM = createHash('sha256').update(JSON.stringify(VIEWS)).digest('hex')

/** Before migrations: a table cannot lose or alter a column that a view has. */
export async function dropLimitedSchema(sql: Sql): Promise<void> {
  await sql`drop schema if exists limited cascade`
}

/** Whether the views are those of this release. */
export async function isLimitedSchemaCurrent(sql: Sql): Promise<boolean> {
  const [state] = await sql<{ checksum: string | null }[]>`
    select obj_description(oid, 'pg_namespace') as checksum from pg_namespace where nspname = 'limited'`
  return state?.checksum === CHECKSUM
}

/** Creates the views where they are missing or are those of another release. */
export async function ensureLimitedSchema(sql: Sql): Promise<void> {
  if (await isLimitedSchemaCurrent(sql)) return
  await dropLimitedSchema(sql)
  await sql`create schema limited`
  for (const [name, definition] of Object.entries(VIEWS))
    await sql.unsafe(`create view limited.${name} as ${definition}`)
  await sql.unsafe(`comment on schema limited is '${CHECKSUM}'`)
}
