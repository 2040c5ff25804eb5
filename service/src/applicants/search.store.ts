// Searching for applicants, live and archived. Every search begins in an index, whatever the size of the table.
import type { Sql } from '../db/database.ts'

export interface FoundRow {
  applicantId: string
  primaryApplicantId: string | null
  employeeNumber: string | null
  firstName: string | null
  lastName: string | null
  dateOfBirth: string | null
  email: string | null
  relationship: string
  createdAt: Date
  updatedAt: Date
  archivedAt: Date | null
}

export interface Criteria {
  archived: boolean
  /** The beginning of a name, folded. */
  name: string | undefined
  employeeNumber: string | undefined
  /** Keys that the record must have, all of them. */
  keys: string[]
  limit: number
}

const found = (sql: Sql) => sql`
  a.applicant_id as "applicantId", a.primary_id as "primaryApplicantId", a.employee_number as "employeeNumber",
  a.record->>'firstName' as "firstName", a.record->>'lastName' as "lastName",
  a.record->>'dateOfBirth' as "dateOfBirth", a.record->>'email' as email, a.record->>'relationship' as relationship,
  a.created_at as "createdAt", a.updated_at as "updatedAt", a.archived_at as "archivedAt", a.name_key as "nameKey"`

const others = (sql: Sql, { archived, employeeNumber }: Criteria) => sql`
  ${archived ? sql`a.archived_at is not null` : sql`a.archived_at is null`}
  ${employeeNumber === undefined ? sql`` : sql`and a.employee_number = ${employeeNumber}`}`

/**
 * Where there are keys, those who have them come first, whatever else is asked: `offset 0` keeps PostgreSQL from going
 * through everybody in the order of names instead, which it takes for cheaper in a large table.
 */
const candidates = (sql: Sql, { keys }: Criteria) =>
  keys.length === 0
    ? sql`applicants a`
    : sql`(
        select applicant_id, primary_id, employee_number, record, created_at, updated_at, archived_at, name_key,
          name_key_reversed
        from applicants where search_keys @> ${keys}::text[] offset 0
      ) a`

/** Past every text that begins with the prefix: no character sorts after this one. */
const end = (prefix: string) => `${prefix}\u{10ffff}`

export async function searchApplicants(sql: Sql, criteria: Criteria): Promise<FoundRow[]> {
  const { name, limit } = criteria
  if (name === undefined)
    return sql<FoundRow[]>`
      select ${found(sql)} from ${candidates(sql, criteria)}
      where ${others(sql, criteria)}
      order by a.name_key, a.applicant_id
      limit ${limit}`
  return sql<FoundRow[]>`
    select * from (
      (select ${found(sql)} from ${candidates(sql, criteria)}
        where a.name_key >= ${name} and a.name_key < ${end(name)} and ${others(sql, criteria)}
        order by a.name_key, a.applicant_id
        limit ${limit})
      union
      (select ${found(sql)} from ${candidates(sql, criteria)}
        where a.name_key_reversed >= ${name} and a.name_key_reversed < ${end(name)} and ${others(sql, criteria)}
        order by a.name_key_reversed, a.applicant_id
        limit ${limit})
    ) both_orders
    order by "nameKey", "applicantId"
    limit ${limit}`
}
