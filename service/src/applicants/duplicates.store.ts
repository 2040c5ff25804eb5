// Pairs of records that may be the same person. The worker writes them; every write of these tables but the queue holds
// one lock.
import { ADVISORY_LOCKS } from '../db/advisory-locks.ts'
import type { Sql, Tx } from '../db/database.ts'
import { forEachTwoCompanySets, pageSize, type TwoSets } from '../db/keyset.ts'
import { isLimited } from '../db/limited.ts'
import type { DuplicateKey, Reason } from './duplicate-matching.ts'

export async function lockDuplicates(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${ADVISORY_LOCKS.duplicates})`
}

/** False where another transaction writes the tables. */
export async function tryLockDuplicates(tx: Tx): Promise<boolean> {
  const [row] = await tx<
    [{ locked: boolean }]
  >`select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.duplicates}) as locked`
  return row.locked
}

export async function hasChecks(sql: Sql): Promise<boolean> {
  const { count } = await sql`select from duplicate_checks limit 1`
  return count > 0
}

/**
 * Removes the oldest records from the queue, and returns their ids. A record may be there twice. Skips those that another
 * transaction removes.
 */
export async function takeChecks(tx: Tx, limit: number): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    delete from duplicate_checks
    where seq in (select seq from duplicate_checks order by seq limit ${limit} for update skip locked)
    returning applicant_id as id`
  return rows.map(({ id }) => id)
}

export interface ComparedRow {
  id: string
  primaryId: string | null
  record: string
}

export async function listLive(tx: Tx, ids: string[]): Promise<ComparedRow[]> {
  return tx<ComparedRow[]>`
    select applicant_id as id, primary_id as "primaryId", record::text as record
    from applicants where applicant_id = any(${ids}::text[]) and archived_at is null`
}

type KeyOf = DuplicateKey & { id: string }

const keysJson = (keys: KeyOf[]) =>
  JSON.stringify(
    keys.map(({ id, reason, key, qualifier }) => ({ id, reason, key: key.toString('hex'), qualifier })),
  )

/** Makes the stored keys of these records equal to the given ones, and returns those that are new. */
export async function saveKeys(tx: Tx, ids: string[], keys: KeyOf[]): Promise<StoredKey[]> {
  const json = keysJson(keys)
  await tx`
    delete from duplicate_keys d
    where d.applicant_id = any(${ids}::text[]) and not exists (
      select from json_to_recordset(${json}::text::json) as k (id text, reason text, key text, qualifier text)
      where k.id = d.applicant_id and k.reason = d.reason and decode(k.key, 'hex') = d.key and k.qualifier = d.qualifier)`
  return tx<StoredKey[]>`
    insert into duplicate_keys (applicant_id, reason, key, qualifier)
    select k.id, k.reason, decode(k.key, 'hex'), k.qualifier
    from json_to_recordset(${json}::text::json) as k (id text, reason text, key text, qualifier text)
    on conflict do nothing
    returning reason, key`
}

interface StoredKey {
  reason: Reason
  key: Buffer
}

/**
 * Queues the records of keys that have become too common with this batch, and that are in pairs because of them. Returns their
 * number. `read` is how many records of a key are looked at.
 */
export async function queueTooCommon(
  tx: Tx,
  added: StoredKey[],
  { most, read }: { most: number; read: number },
): Promise<number> {
  const json = JSON.stringify(added.map(({ reason, key }) => ({ reason, key: key.toString('hex') })))
  const { count } = await tx`
    insert into duplicate_checks (applicant_id)
    select distinct s.applicant_id
    from (
      select distinct k.reason, decode(k.key, 'hex') as key
      from json_to_recordset(${json}::text::json) as k (reason text, key text)
    ) n
    cross join lateral (
      select s.applicant_id, count(*) over () as sharers
      from (
        select s.applicant_id from duplicate_keys s
        where s.reason = n.reason and s.key = n.key
        order by s.applicant_id
        limit ${read}
      ) s
    ) s
    where s.sharers > ${most} and (
      exists (select from duplicate_pairs p where p.first_id = s.applicant_id and n.reason = any(p.reasons))
      or exists (select from duplicate_pairs p where p.second_id = s.applicant_id and n.reason = any(p.reasons)))`
  return count
}

export interface SharedRow {
  id: string
  otherId: string
  otherPrimaryId: string | null
  reason: Reason
  key: Buffer
  qualifier: string
  otherQualifier: string
}

/**
 * The keys that these records share with others. A key that more than `most` records have is the address of a department or
 * the like: it tells nothing, and its records are not read.
 */
export async function listShared(tx: Tx, ids: string[], most: number): Promise<SharedRow[]> {
  return tx<SharedRow[]>`
    select k.applicant_id as id, o.applicant_id as "otherId", a.primary_id as "otherPrimaryId", k.reason, k.key,
      k.qualifier, o.qualifier as "otherQualifier"
    from duplicate_keys k
    cross join lateral (
      select s.applicant_id, s.qualifier, count(*) over () as sharers
      from (
        select s.applicant_id, s.qualifier from duplicate_keys s
        where s.reason = k.reason and s.key = k.key
        order by s.applicant_id
        limit ${most + 1}
      ) s
    ) o
    join applicants a on a.applicant_id = o.applicant_id and a.archived_at is null
    where k.applicant_id = any(${ids}::text[]) and o.applicant_id <> k.applicant_id and o.sharers <= ${most}`
}

export interface Pair {
  firstId: string
  secondId: string
  score: number
  reasons: Reason[]
  matched: Buffer
}

/**
 * Makes the stored pairs of these records equal to the given ones, without those that were dismissed. A dismissal ends when
 * two live records have something else in common, or nothing any more.
 */
export async function savePairs(
  tx: Tx,
  { ids, live, pairs, now }: { ids: string[]; live: string[]; pairs: Pair[]; now: Date },
): Promise<void> {
  const json = JSON.stringify(pairs.map(pair => ({ ...pair, matched: pair.matched.toString('hex') })))
  const given = (sql: Tx) => sql`
    json_to_recordset(${json}::text::json)
      as p ("firstId" text, "secondId" text, score smallint, reasons text[], matched text)`
  await tx`
    delete from duplicate_dismissals d
    where (d.first_id = any(${live}::text[]) or d.second_id = any(${live}::text[]))
      and (select count(*) from applicants a
        where a.applicant_id in (d.first_id, d.second_id) and a.archived_at is null) = 2
      and not exists (
        select from ${given(tx)}
        where p."firstId" = d.first_id and p."secondId" = d.second_id and decode(p.matched, 'hex') = d.matched)`
  await tx`
    delete from duplicate_pairs d
    where (d.first_id = any(${ids}::text[]) or d.second_id = any(${ids}::text[])) and not exists (
      select from ${given(tx)} where p."firstId" = d.first_id and p."secondId" = d.second_id)`
  await tx`
    insert into duplicate_pairs as d (first_id, second_id, score, reasons, matched, found_at)
    select p."firstId", p."secondId", p.score, p.reasons, decode(p.matched, 'hex'), ${now}
    from ${given(tx)}
    where not exists (
      select from duplicate_dismissals x where x.first_id = p."firstId" and x.second_id = p."secondId")
    on conflict (first_id, second_id) do update
    set score = excluded.score, reasons = excluded.reasons, matched = excluded.matched,
      found_at = case when d.matched = excluded.matched then d.found_at else excluded.found_at end`
}

export interface DuplicateSummary {
  applicantId: string
  primaryApplicantId: string | null
  employeeNumber: string | null
  firstName: string | null
  lastName: string | null
  dateOfBirth: string | null
  email: string | null
  sendingCompany: string | null
  createdAt: string
  updatedAt: string
}

export interface DuplicateRow {
  firstId: string
  secondId: string
  score: number
  reasons: Reason[]
  foundAt: Date
  first: DuplicateSummary
  second: DuplicateSummary
}

/** A keyset position; pairs are listed in descending order. */
export interface DuplicatePosition {
  score: number
  firstId: string
  secondId: string
  inclusive: boolean
}

export interface DuplicateFilters {
  minScore: number
  applicantId: string | undefined
}

interface Step {
  from: DuplicatePosition | undefined
  /** Towards higher scores. */
  backwards: boolean
  limit: number
}

const summary = (alias: string) => `json_build_object(
  'applicantId', ${alias}.applicant_id, 'primaryApplicantId', ${alias}.primary_id,
  'employeeNumber', ${alias}.employee_number, 'firstName', ${alias}.record->>'firstName',
  'lastName', ${alias}.record->>'lastName', 'dateOfBirth', ${alias}.record->>'dateOfBirth',
  'email', ${alias}.record->>'email', 'sendingCompany', ${alias}.record->>'sendingCompany',
  'createdAt', ${alias}.created_at, 'updatedAt', ${alias}.updated_at)`

function rangeOf(
  sql: Sql,
  { minScore, applicantId }: DuplicateFilters,
  { from, backwards, sets }: Pick<Step, 'from' | 'backwards'> & { sets?: TwoSets | undefined },
) {
  const columns = sets ? sql`d.company_set_id, d.other_company_set_id,` : sql``
  const values = sets ? sql`${sets.one}, ${sets.other},` : sql``
  const operator = from && sql.unsafe((backwards ? '>' : '<') + (from.inclusive ? '=' : ''))
  const position =
    from &&
    sql`and (${columns} d.score, d.first_id, d.second_id)
      ${operator as never} (${values} ${from.score}::smallint, ${from.firstId}, ${from.secondId})`
  const lowest = sql`(${columns} d.score) >= (${values} ${minScore}::smallint)`
  const highest = sets
    ? sql`and d.company_set_id is not null
        and (d.company_set_id, d.other_company_set_id) <= (${sets.one}, ${sets.other})`
    : sql``
  // Two bounds on one side would make PostgreSQL read up to the position from the other one.
  const lower = from && backwards ? sql`true` : lowest
  const upper = from && !backwards ? sql`${sets ? sql`and d.company_set_id is not null` : sql``}` : highest
  const person =
    applicantId === undefined ? sql`` : sql`and (d.first_id = ${applicantId} or d.second_id = ${applicantId})`
  return sql`${lower} ${upper} ${position ?? sql``} ${person}`
}

const pagesOf = (sql: Sql, filters: DuplicateFilters, { from, backwards, limit }: Step) => {
  const size = pageSize(sql, limit)
  const way = sql.unsafe(backwards ? '' : 'desc')
  const order = sql`d.score ${way}, d.first_id ${way}, d.second_id ${way}`
  // The pairs of one person are few, and found by its id.
  if (!isLimited(sql) || filters.applicantId !== undefined)
    return sql`
      select d.first_id, d.second_id, d.score from duplicate_pairs d
      where ${rangeOf(sql, filters, { from, backwards })}
      order by ${order} limit ${size}`
  const bySets = sql`d.company_set_id ${way}, d.other_company_set_id ${way},`
  return sql`
    select d.* from (${forEachTwoCompanySets(
      sql,
      sets => sql`
        select d.first_id, d.second_id, d.score from duplicate_pairs d
        where ${rangeOf(sql, filters, { from, backwards, sets })}
        order by ${bySets} ${order} limit ${size}`,
    )}) d
    order by ${order} limit ${size}`
}

/** The next pairs from a position, in the direction of the step. */
export async function listPairs(sql: Sql, filters: DuplicateFilters, step: Step): Promise<DuplicateRow[]> {
  const way = sql.unsafe(step.backwards ? '' : 'desc')
  return sql<DuplicateRow[]>`
    select d.first_id as "firstId", d.second_id as "secondId", d.score, p.reasons, p.found_at as "foundAt",
      ${sql.unsafe(summary('a'))} as first, ${sql.unsafe(summary('b'))} as second
    from (${pagesOf(sql, filters, step)}) d
    join duplicate_pairs p on p.first_id = d.first_id and p.second_id = d.second_id
    join applicants a on a.applicant_id = d.first_id
    join applicants b on b.applicant_id = d.second_id
    order by d.score ${way}, d.first_id ${way}, d.second_id ${way}`
}

/** The number of pairs, at most `most`. */
export async function countPairs(sql: Sql, filters: DuplicateFilters, most: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from (
      ${pagesOf(sql, filters, { from: undefined, backwards: false, limit: most })}
    ) counted`
  return row.count
}

export interface StoredPair {
  firstId: string
  secondId: string
  score: number
  reasons: Reason[]
  matched: Buffer
}

export async function findPair(tx: Tx, first: string, second: string): Promise<StoredPair | undefined> {
  const [row] = await tx<StoredPair[]>`
    select p.first_id as "firstId", p.second_id as "secondId", p.score, p.reasons, p.matched
    from duplicate_pairs p
    join applicants a on a.applicant_id = p.first_id
    join applicants b on b.applicant_id = p.second_id
    where p.first_id = ${first} and p.second_id = ${second}`
  return row
}

export interface Dismissal {
  firstId: string
  secondId: string
  score: number
  reasons: Reason[]
  reason: string | null
  dismissedBy: string
  dismissedAt: Date
}

export async function findDismissal(tx: Tx, first: string, second: string): Promise<Dismissal | undefined> {
  const [row] = await tx<Dismissal[]>`
    select d.first_id as "firstId", d.second_id as "secondId", d.score, d.reasons, d.reason,
      d.dismissed_by as "dismissedBy", d.dismissed_at as "dismissedAt"
    from duplicate_dismissals d
    join applicants a on a.applicant_id = d.first_id
    join applicants b on b.applicant_id = d.second_id
    where d.first_id = ${first} and d.second_id = ${second}`
  return row
}

export async function insertDismissal(
  tx: Tx,
  { firstId, secondId, score, reasons, matched }: StoredPair,
  { reason, by, now }: { reason: string | null; by: string; now: Date },
): Promise<void> {
  await tx`
    insert into duplicate_dismissals (first_id, second_id, matched, score, reasons, reason, dismissed_by, dismissed_at)
    values (${firstId}, ${secondId}, ${matched}, ${score}, ${reasons}::text[], ${reason}, ${by}, ${now})`
}

export async function deletePair(tx: Tx, first: string, second: string): Promise<void> {
  await tx`delete from duplicate_pairs where first_id = ${first} and second_id = ${second}`
}
