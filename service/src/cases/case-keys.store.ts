import type { Sql } from '../db/database.ts'

/** Locks cases whose name keys are of an older version, and skips those that another transaction has locked. */
export async function lockOldKeys(
  tx: Sql,
  { after, limit, version }: { after: string; limit: number; version: number },
): Promise<{ id: string; applicant: Record<string, unknown> }[]> {
  // The version is a literal, because PostgreSQL must match it with the condition of the partial index.
  return tx<{ id: string; applicant: Record<string, unknown> }[]>`
    select case_id as id, applicant from cases
    where keys_version < ${tx.unsafe(String(version))} and case_id > ${after}
    order by case_id
    limit ${limit}
    for no key update skip locked`
}

/** Leaves version and updated_at alone: nothing that a client reads has changed. */
export async function updateKeys(
  tx: Sql,
  keys: { id: string; name: string; nameReversed: string }[],
  version: number,
): Promise<void> {
  await tx`
    update cases c
    set name_key = k.name, name_key_reversed = k."nameReversed", keys_version = ${version}
    from json_to_recordset(${JSON.stringify(keys)}::text::json) as k (id text, name text, "nameReversed" text)
    where c.case_id = k.id`
}
