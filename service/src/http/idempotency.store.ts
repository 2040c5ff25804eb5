import type { Sql, Tx } from '../db/database.ts'

interface Key {
  clientId: string
  key: string
}

interface Kept {
  fingerprint: Buffer
  status: number
  headers: Record<string, string>
  body: string
}

/** Held to the end of the transaction, and gone with it if the service dies. */
export async function lockKey(tx: Tx, { clientId, key }: Key): Promise<boolean> {
  const [row] = await tx<{ locked: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${clientId}\n${key}`}, 20250301)) as locked`
  return row?.locked === true
}

export async function findAnswer(tx: Tx, { clientId, key }: Key, oldest: Date): Promise<Kept | undefined> {
  const [row] = await tx<Kept[]>`
    select fingerprint, status, headers, body
    from idempotency_keys
    where client_id = ${clientId} and key = ${key} and created_at > ${oldest}`
  return row
}

interface Keeping {
  held: Key & { fingerprint: Buffer }
  answer: { status: number; json: string; headers?: Record<string, string> }
  at: Date
  oldest: Date
}

/** Takes the place of an answer that has had its time; a younger one stays, and then this answers false. */
export async function keepAnswer(sql: Sql, { held, answer, at, oldest }: Keeping): Promise<boolean> {
  const rows = await sql`
    insert into idempotency_keys (client_id, key, fingerprint, status, headers, body, created_at)
    values (${held.clientId}, ${held.key}, ${held.fingerprint}, ${answer.status},
      ${sql.json(answer.headers ?? {})}, ${answer.json}, ${at})
    on conflict (client_id, key) do update
      set fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers,
        body = excluded.body, created_at = excluded.created_at
      where idempotency_keys.created_at <= ${oldest}
    returning key`
  return rows.length === 1
}

export async function deleteAnswers(sql: Sql, oldest: Date): Promise<void> {
  await sql`delete from idempotency_keys where created_at <= ${oldest}`
}
