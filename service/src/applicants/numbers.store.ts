// Employee numbers: which are in use or retired, and whose they are. Also the locks on numbers and ids that are not assigned
// yet.
import type { Sql, Tx } from '../db/database.ts'
import { isLimited } from '../db/limited.ts'

/** Numbers in use or retired, of these. A number in use may be retired too. */
export async function listNumberStates(
  tx: Tx,
  numbers: string[],
): Promise<{ inUse: Set<string>; retired: Set<string> }> {
  const rows = await tx<{ number: string; retired: boolean }[]>`
    select employee_number as number, false as retired from ${isLimited(tx) ? tx`number_owners` : tx`applicants`}
    where employee_number = any(${numbers}::text[]) and archived_at is null
    union all
    select employee_number, true from retired_employee_numbers where employee_number = any(${numbers}::text[])`
  const of = (retired: boolean) => new Set(rows.filter(row => row.retired === retired).map(row => row.number))
  return { inUse: of(false), retired: of(true) }
}

/** Numbers of primary applicants with their ids, in order, after this one. */
export async function listPrimaryNumbers(
  sql: Sql,
  after: string | null,
  limit: number,
): Promise<{ number: string; applicantId: string }[]> {
  return sql<{ number: string; applicantId: string }[]>`
    select employee_number as number, applicant_id as "applicantId" from applicants
    where employee_number > ${after ?? ''} and archived_at is null and primary_id is null
    order by employee_number
    limit ${limit}`
}

/** Serializes transactions that assign or release these numbers. A single number needs no lock order. */
export async function lockNumbers(tx: Tx, numbers: string[]): Promise<void> {
  if (numbers.length > 1) await lockTexts(tx, numbers, 20250302)
}

/**
 * Serializes merges that name one of these dependents by id or number. Each of them moves the dependent to another
 * family: a merge that waits only for the family would find it moved and retry, again and again. Taken before the locks
 * of families.
 */
export async function lockDependentKeys(tx: Tx, keys: string[]): Promise<void> {
  if (keys.length > 0) await lockTexts(tx, keys, 20250303)
}

/** Serializes requests that use these ids for new items, so that two people do not get the same one. */
export async function lockItemIds(tx: Tx, ids: string[]): Promise<void> {
  await lockTexts(tx, ids, 20261116)
}

async function lockTexts(tx: Tx, texts: string[], seed: number): Promise<void> {
  await tx`
    select pg_advisory_xact_lock(key)
    from (
      select distinct hashtextextended(t, ${seed}) as key from unnest(${texts}::text[]) as t order by key
    ) as keys`
}

export async function retireNumber(
  tx: Tx,
  number: string,
  { applicantId, now }: { applicantId: string; now: Date },
): Promise<void> {
  await tx`
    insert into retired_employee_numbers (employee_number, applicant_id, retired_at)
    values (${number}, ${applicantId}, ${now})`
}

/** Returns those of these numbers that are in use or retired. */
export async function listTakenNumbers(tx: Tx, numbers: string[]): Promise<Set<string>> {
  const rows = await tx<{ number: string }[]>`
    select employee_number as number from ${isLimited(tx) ? tx`number_owners` : tx`applicants`}
    where employee_number = any(${numbers}::text[]) and archived_at is null
    union all
    select employee_number from retired_employee_numbers where employee_number = any(${numbers}::text[])`
  return new Set(rows.map(row => row.number))
}

export async function findIdByNumber(tx: Tx, number: string): Promise<string | undefined> {
  const [row] = await tx<{ id: string }[]>`
    select applicant_id as id from applicants where employee_number = ${number} and archived_at is null`
  return row?.id
}

export async function findPrimaryIds(sql: Sql, numbers: readonly string[]): Promise<Map<string, string>> {
  const rows = await sql<{ number: string; id: string }[]>`
    select employee_number as number, applicant_id as id from applicants
    where employee_number = any(${[...numbers]}::text[]) and primary_id is null and archived_at is null`
  return new Map(rows.map(({ number, id }) => [number, id]))
}

export interface IdentityRow {
  applicantId: string
  firstName: string | null
  lastName: string | null
  dateOfBirth: string | null
}

/** Locks the record against a merge, which would take it away from the case that is being created. */
export async function findIdentityByNumber(tx: Tx, number: string): Promise<IdentityRow | undefined> {
  const [row] = await tx<IdentityRow[]>`
    select applicant_id as "applicantId", record->>'firstName' as "firstName", record->>'lastName' as "lastName",
      record->>'dateOfBirth' as "dateOfBirth"
    from applicants
    where employee_number = ${number} and archived_at is null
    for key share`
  return row
}
