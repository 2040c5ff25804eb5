// Uploads under way. The row comes before the first byte: after a crash the sweep sees a row, never a nameless file.
import type { Sql, Tx } from '../db/database.ts'

export interface PendingUpload {
  blobKey: string
  countryCode: string
}

export async function insertPending(
  sql: Sql,
  { blobKey, countryCode }: PendingUpload,
  now: Date,
): Promise<void> {
  await sql`insert into pending_uploads (blob_key, country_code, alive_at) values (${blobKey}, ${countryCode}, ${now})`
}

export async function touchPending(sql: Sql, blobKey: string, now: Date): Promise<void> {
  await sql`update pending_uploads set alive_at = ${now} where blob_key = ${blobKey}`
}

/** Answers false where it was swept meanwhile. */
export async function deletePending(sql: Sql, blobKey: string): Promise<boolean> {
  const rows = await sql`delete from pending_uploads where blob_key = ${blobKey} returning blob_key`
  return rows.length === 1
}

/** One that nobody has been seen working on since then, locked, so that its upload cannot be finished meanwhile. */
export async function lockStale(tx: Tx, since: Date): Promise<PendingUpload | undefined> {
  const [row] = await tx<PendingUpload[]>`
    select blob_key as "blobKey", country_code as "countryCode"
    from pending_uploads
    where alive_at < ${since}
    order by alive_at
    limit 1
    for update skip locked`
  return row
}
