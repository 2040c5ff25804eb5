// Pending uploads. The row is inserted before the first byte, so that after a crash the sweep finds a row for every blob.
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

/** Returns false if the upload has expired: its row is marked or deleted. */
export async function touchPending(sql: Sql, blobKey: string, now: Date): Promise<boolean> {
  const { count } = await sql`
    update pending_uploads set alive_at = ${now} where blob_key = ${blobKey} and doomed_at is null`
  return count === 1
}

/** Deletes the row in the transaction that creates the document. Returns false if the upload has expired. */
export async function finishPending(tx: Tx, blobKey: string): Promise<boolean> {
  const { count } = await tx`delete from pending_uploads where blob_key = ${blobKey} and doomed_at is null`
  return count === 1
}

/** The bytes of the live documents that the client has uploaded. */
export async function findUsage(sql: Sql, clientId: string): Promise<number> {
  const [row] = await sql<{ bytes: string }[]>`select bytes from upload_usage where client_id = ${clientId}`
  return Number(row?.bytes ?? 0)
}

/** Adds a file to the usage of the client, and returns the sum. */
export async function addUsage(tx: Tx, clientId: string, bytes: number): Promise<number> {
  const [row] = await tx<{ bytes: string }[]>`
    insert into upload_usage as u (client_id, bytes) values (${clientId}, ${bytes})
    on conflict (client_id) do update set bytes = u.bytes + excluded.bytes
    returning u.bytes`
  return Number(row?.bytes ?? 0)
}

/** For an upload whose bytes are removed. */
export async function deletePending(sql: Sql, blobKey: string): Promise<void> {
  await sql`delete from pending_uploads where blob_key = ${blobKey}`
}

/** Marks the uploads without a heartbeat since then. Skips rows that are locked by a commit. */
export async function doomStale(sql: Sql, { since, now }: { since: Date; now: Date }): Promise<void> {
  await sql`
    update pending_uploads set doomed_at = ${now}
    where blob_key in (
      select blob_key from pending_uploads
      where alive_at < ${since} and doomed_at is null
      for update skip locked
    )`
}

/**
 * Writes a row that is gone with the end of the transaction. Its commit waits for the synchronous standby, as that of every
 * write does; a transaction that has changed nothing would not wait.
 */
export async function writeNothing(tx: Tx, blobKey: string, now: Date): Promise<void> {
  await insertPending(tx, { blobKey, countryCode: '' }, now)
  await deletePending(tx, blobKey)
}

/** The keys of uploads marked before this time, by country code, oldest first. */
export async function listDoomed(sql: Sql, before: Date): Promise<Map<string, string[]>> {
  const rows = await sql<{ countryCode: string; blobKeys: string[] }[]>`
    select country_code as "countryCode", array_agg(blob_key order by doomed_at, blob_key) as "blobKeys"
    from pending_uploads
    where doomed_at < ${before}
    group by country_code`
  return new Map(rows.map(({ countryCode, blobKeys }) => [countryCode, blobKeys]))
}
