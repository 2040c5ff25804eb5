import type { Sql, Tx } from '../db/database.ts'
import { isLimited } from '../db/limited.ts'

export interface Company {
  companyId: string
  name: string
  code: string | null
  country: string | null
  active: boolean
  version: number
  createdAt: Date
  updatedAt: Date
}

const columns = (sql: Sql) => sql`
  company_id as "companyId", name, code, country, active, version, created_at as "createdAt", updated_at as "updatedAt"`

export async function listCompanies(sql: Sql): Promise<Company[]> {
  return sql<Company[]>`select ${columns(sql)} from companies order by name_key`
}

export async function findCompany(sql: Sql, companyId: string): Promise<Company | undefined> {
  const [row] = await sql<Company[]>`select ${columns(sql)} from companies where company_id = ${companyId}`
  return row
}

export async function searchCompanies(sql: Sql, key: string, limit: number): Promise<Company[]> {
  return sql<Company[]>`
    select ${columns(sql)} from companies
    where strpos(name_key, ${key}) > 0 or starts_with(code_key, ${key}) or lower(company_id) = ${key}
    order by (lower(company_id) = ${key}) desc, (code_key = ${key} or name_key = ${key}) desc nulls last,
      (starts_with(name_key, ${key}) or starts_with(code_key, ${key})) desc nulls last, active desc, name_key
    limit ${limit}`
}

interface CompanySaving {
  company: Omit<Company, 'version' | 'createdAt' | 'updatedAt'>
  keys: { name: string; code: string | null }
  now: Date
}

export async function insertCompany(tx: Tx, { company, keys, now }: CompanySaving): Promise<Company> {
  const [row] = await tx<[Company]>`
    insert into companies (company_id, name, code, country, active, name_key, code_key, created_at, updated_at)
    values (${company.companyId}, ${company.name}, ${company.code}, ${company.country}, ${company.active},
      ${keys.name}, ${keys.code}, ${now}, ${now})
    returning ${columns(tx)}`
  return row
}

export async function lockCompany(tx: Tx, companyId: string): Promise<Company | undefined> {
  const [row] = await tx<
    Company[]
  >`select ${columns(tx)} from companies where company_id = ${companyId} for update`
  return row
}

export async function updateCompany(tx: Tx, { company, keys, now }: CompanySaving): Promise<Company> {
  const [row] = await tx<[Company]>`
    update companies
    set name = ${company.name}, code = ${company.code}, country = ${company.country}, active = ${company.active},
      name_key = ${keys.name}, code_key = ${keys.code}, version = version + 1, updated_at = ${now}
    where company_id = ${company.companyId}
    returning ${columns(tx)}`
  return row
}

interface Referenced {
  reference: string
  companyId: string
  active: boolean
}

/** The company that each reference names: an id takes precedence over a code, a code over a name. */
export async function listReferenced(
  tx: Tx,
  references: { text: string; key: string }[],
): Promise<Referenced[]> {
  return tx<Referenced[]>`
    select distinct on (r.text) r.text as reference, c.company_id as "companyId", c.active
    from unnest(${references.map(({ text }) => text)}::text[], ${references.map(({ key }) => key)}::text[]) as r (text, key)
    join ${isLimited(tx) ? tx`company_names` : tx`companies`} c on c.company_id = r.text or c.code_key = r.key or c.name_key = r.key
    order by r.text, (c.company_id = r.text) desc, (c.code_key = r.key) desc nulls last`
}

/** Returns those of these ids that are companies the caller sees. */
export async function listKnownIds(sql: Sql, companyIds: readonly string[]): Promise<string[]> {
  const rows = await sql<{ companyId: string }[]>`
    select company_id as "companyId" from companies where company_id = any(${[...companyIds]}::text[])`
  return rows.map(({ companyId }) => companyId)
}

/** The company that a folded text names, if it is one that the caller sees. The same rule places applicants. */
export async function findNamed(sql: Sql, key: string): Promise<string | undefined> {
  const [row] = await sql<{ companyId: string }[]>`
    select company_id as "companyId" from companies where company_id = public.company_of_key(${key})`
  return row?.companyId
}
