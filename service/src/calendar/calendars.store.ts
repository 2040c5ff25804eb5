// Calendars of people: their addresses, and what they contain.
import type { Sql, Tx } from '../db/database.ts'
import { passportsOf } from '../db/passports.ts'

export interface Calendar {
  createdAt: Date
}

export async function findCalendar(sql: Sql, userId: string): Promise<Calendar | undefined> {
  const [row] = await sql<Calendar[]>`
    select created_at as "createdAt" from calendar_feeds where user_id = ${userId}`
  return row
}

/** Replaces the former address, which stops working. */
export async function upsertCalendar(
  tx: Tx,
  { userId, tokenHash, now }: { userId: string; tokenHash: Buffer; now: Date },
): Promise<void> {
  await tx`
    insert into calendar_feeds (user_id, token_hash, created_at) values (${userId}, ${tokenHash}, ${now})
    on conflict (user_id) do update set token_hash = excluded.token_hash, created_at = excluded.created_at`
}

/** Returns whether there was one. */
export async function deleteCalendar(tx: Tx, userId: string): Promise<boolean> {
  const { count } = await tx`delete from calendar_feeds where user_id = ${userId}`
  return count > 0
}

export interface Subscriber {
  userId: string
  name: string
  roles: string[]
  companies: string[] | null
}

/** The person whose calendar has this address; undefined where the person is not active. */
export async function findSubscriber(sql: Sql, tokenHash: Buffer): Promise<Subscriber | undefined> {
  const [row] = await sql<Subscriber[]>`
    select u.user_id as "userId", u.name, u.roles, u.companies
    from calendar_feeds c join users u on u.user_id = c.user_id
    where c.token_hash = ${tokenHash} and u.active`
  return row
}

/** Days, both included. */
export interface Range {
  userId: string
  from: string
  to: string
  limit: number
}

export interface Entry {
  /** Of the step, case, document or passport. */
  id: string
  day: string
  firstName: string | null
  lastName: string | null
  changedAt: Date
}

/** Unfinished steps of open cases that are assigned to the person; one without an assignee is that of its case. */
export async function listDueSteps(
  sql: Sql,
  { userId, from, to, limit }: Range,
): Promise<(Entry & { caseId: string; name: string })[]> {
  return sql<(Entry & { caseId: string; name: string })[]>`
    select s.step_id as id, s.case_id as "caseId", s.name, s.due_date::text as day,
      c.applicant->>'firstName' as "firstName", c.applicant->>'lastName' as "lastName", s.updated_at as "changedAt"
    from (
      select step_id from case_steps where assignee_id = ${userId} and status in ('notStarted', 'inProgress')
      union
      select t.step_id from cases o join case_steps t on t.case_id = o.case_id
      where o.assignee_id = ${userId} and o.status <> 'closed' and t.assignee_id is null
    ) own
    join case_steps s on s.step_id = own.step_id
    join cases c on c.case_id = s.case_id
    where s.due_date between ${from}::date and ${to}::date and s.status in ('notStarted', 'inProgress')
      and c.status <> 'closed'
    order by s.due_date, s.step_id
    limit ${limit}`
}

export async function listDueCases(sql: Sql, { userId, from, to, limit }: Range): Promise<Entry[]> {
  return sql<Entry[]>`
    select c.case_id as id, c.due_date::text as day, c.applicant->>'firstName' as "firstName",
      c.applicant->>'lastName' as "lastName", c.updated_at as "changedAt"
    from cases c
    where c.assignee_id = ${userId} and c.status <> 'closed' and c.due_date between ${from}::date and ${to}::date
    order by c.due_date, c.case_id
    limit ${limit}`
}

/** The people of open cases that are assigned to the person, or have a step that is. */
const applicants = (sql: Sql, userId: string) => sql`
  select c.applicant_id from cases c where c.assignee_id = ${userId} and c.status <> 'closed'
  union
  select c.applicant_id from case_steps s join cases c on c.case_id = s.case_id
  where s.assignee_id = ${userId} and s.status in ('notStarted', 'inProgress') and c.status <> 'closed'`

/** Those of whole families, also of the family of a dependent. */
const members = (sql: Sql, userId: string) => sql`
  with families as (
    select distinct coalesce(a.primary_id, a.applicant_id) as id
    from (${applicants(sql, userId)}) own
    join applicants a on a.applicant_id = own.applicant_id
  )
  select applicant_id from (${applicants(sql, userId)}) own
  union
  select id from families
  union
  select d.applicant_id from families f
  join applicants d on d.primary_id = f.id and d.archived_at is null`

export async function listExpiringDocuments(sql: Sql, { userId, from, to, limit }: Range): Promise<Entry[]> {
  return sql<Entry[]>`
    select d.document_id as id, d.expiry_date::date::text as day,
      coalesce(a.record->>'firstName', c.applicant->>'firstName') as "firstName",
      coalesce(a.record->>'lastName', c.applicant->>'lastName') as "lastName", d.updated_at as "changedAt"
    from (${members(sql, userId)}) m
    join documents d on d.applicant_id = m.applicant_id and d.removed_at is null
    left join applicants a on a.applicant_id = d.applicant_id
    left join cases c on c.case_id = d.case_id
    where d.expiry_date >= ${from}::date and d.expiry_date < ${to}::date + 1 and a.archived_at is null
    order by d.expiry_date, d.document_id
    limit ${limit}`
}

export async function listExpiringPassports(
  sql: Sql,
  { userId, from, to, limit }: Range,
): Promise<(Entry & { applicantId: string })[]> {
  return sql<(Entry & { applicantId: string })[]>`
    select t.passport_id as id, a.applicant_id as "applicantId", t.expires_on::text as day,
      a.record->>'firstName' as "firstName", a.record->>'lastName' as "lastName", a.updated_at as "changedAt"
    from (${members(sql, userId)}) m
    join applicants a on a.applicant_id = m.applicant_id and a.archived_at is null
    cross join lateral ${passportsOf(sql, 'a.record')} t
    where t.expires_on between ${from}::date and ${to}::date
    order by day, id
    limit ${limit}`
}
