import type { Sql, Tx } from '../db/database.ts'

interface Key {
  clientId: string
  key: string
}

interface StoredResponse {
  fingerprint: Buffer
  status: number
  headers: Record<string, string>
  body: string
  /** The companies of the client when the response was stored; null is all of them. */
  companies: string[] | null
}

/** The lock ends with the transaction, also when the service dies. */
export async function lockKey(tx: Tx, { clientId, key }: Key): Promise<boolean> {
  const [row] = await tx<{ locked: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${clientId}\n${key}`}, 20250301)) as locked`
  return row?.locked === true
}

export async function findResponse(
  tx: Tx,
  { clientId, key }: Key,
  oldest: Date,
): Promise<StoredResponse | undefined> {
  const [row] = await tx<StoredResponse[]>`
    select fingerprint, status, headers, body, companies
    from idempotency_keys
    where client_id = ${clientId} and key = ${key} and created_at > ${oldest}`
  return row
}

interface Upsert {
  key: Key & { fingerprint: Buffer; companies: readonly string[] | null }
  response: { status: number; json: string; headers?: Record<string, string> }
  at: Date
  oldest: Date
}

/** Replaces an expired response. Returns false where one exists that has not expired. */
export async function upsertResponse(sql: Sql, { key, response, at, oldest }: Upsert): Promise<boolean> {
  const rows = await sql`
    insert into idempotency_keys (client_id, key, fingerprint, status, headers, body, companies, created_at)
    values (${key.clientId}, ${key.key}, ${key.fingerprint}, ${response.status},
      ${sql.json(response.headers ?? {})}, ${response.json}, ${key.companies && [...key.companies]}::text[], ${at})
    on conflict (client_id, key) do update
      set fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers,
        body = excluded.body, companies = excluded.companies, created_at = excluded.created_at
      where idempotency_keys.created_at <= ${oldest}
    returning key`
  return rows.length === 1
}

export async function deleteResponses(sql: Sql, oldest: Date): Promise<void> {
  await sql`delete from idempotency_keys where created_at <= ${oldest}`
}
