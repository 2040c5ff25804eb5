import type { Sql } from '../db/database.ts'

interface ApiKeyRow {
  keyId: string
  name: string
  createdAt: Date
  revokedAt: Date | null
}

export interface ClientRow {
  clientId: string
  name: string
  scopes: string[]
  createdAt: Date
  updatedAt: Date
  disabledAt: Date | null
  apiKeys: ApiKeyRow[]
}

interface SecretRow {
  scopes: string[]
  secretHash: string
  previousSecretHash: string | null
  previousSecretUntil: Date | null
  disabledAt: Date | null
}

export async function insertClient(
  sql: Sql,
  client: { clientId: string; name: string; scopes: string[]; secretHash: string },
): Promise<void> {
  await sql`
    insert into clients (client_id, name, scopes, secret_hash)
    values (${client.clientId}, ${client.name}, ${client.scopes}::text[], ${client.secretHash})`
}

/** Inserts the client unless the id exists; returns whether it did. */
export async function insertClientIfMissing(
  sql: Sql,
  client: { clientId: string; name: string; scopes: string[]; secretHash: string },
): Promise<boolean> {
  const rows = await sql`
    insert into clients (client_id, name, scopes, secret_hash)
    values (${client.clientId}, ${client.name}, ${client.scopes}::text[], ${client.secretHash})
    on conflict (client_id) do nothing
    returning client_id`
  return rows.length === 1
}

export async function findSecret(sql: Sql, clientId: string): Promise<SecretRow | undefined> {
  const [row] = await sql<SecretRow[]>`
    select scopes, secret_hash as "secretHash", previous_secret_hash as "previousSecretHash",
      previous_secret_until as "previousSecretUntil", disabled_at as "disabledAt"
    from clients
    where client_id = ${clientId}`
  return row
}

/** Locks the client, so that its scopes stay the same until the end of the transaction; returns them. */
export async function lockScopes(tx: Sql, clientId: string): Promise<string[] | undefined> {
  const [row] = await tx<{ scopes: string[] }[]>`
    select scopes from clients where client_id = ${clientId} for no key update`
  return row?.scopes
}

export async function listClients(sql: Sql): Promise<ClientRow[]> {
  return withApiKeys(sql, null)
}

export async function findClient(sql: Sql, clientId: string): Promise<ClientRow | undefined> {
  const [row] = await withApiKeys(sql, clientId)
  return row
}

async function withApiKeys(sql: Sql, clientId: string | null): Promise<ClientRow[]> {
  const rows = await sql<(Omit<ClientRow, 'apiKeys'> & { apiKeys: Record<string, string | null>[] })[]>`
    select c.client_id as "clientId", c.name, c.scopes, c.created_at as "createdAt", c.updated_at as "updatedAt",
      c.disabled_at as "disabledAt",
      coalesce((
        select jsonb_agg(jsonb_build_object('keyId', k.key_id, 'name', k.name, 'createdAt', k.created_at,
          'revokedAt', k.revoked_at) order by k.created_at, k.key_id)
        from api_keys k
        where k.client_id = c.client_id
      ), '[]') as "apiKeys"
    from clients c
    where ${clientId}::text is null or c.client_id = ${clientId}
    order by c.created_at, c.client_id`
  return rows.map(row => ({
    ...row,
    apiKeys: row.apiKeys.map(key => ({
      keyId: String(key['keyId']),
      name: String(key['name']),
      createdAt: new Date(String(key['createdAt'])),
      revokedAt: key['revokedAt'] ? new Date(key['revokedAt']) : null,
    })),
  }))
}

export async function hasClients(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ exists: boolean }[]>`select exists (select from clients) as exists`
  return row?.exists === true
}

export async function replaceSecret(
  sql: Sql,
  {
    clientId,
    secretHash,
    previousUntil,
  }: { clientId: string; secretHash: string; previousUntil: Date | null },
): Promise<void> {
  await sql`
    update clients
    set previous_secret_hash = case when ${previousUntil}::timestamptz is null then null else secret_hash end,
      previous_secret_until = ${previousUntil}, secret_hash = ${secretHash}, updated_at = now()
    where client_id = ${clientId}`
}

export async function setDisabled(sql: Sql, clientId: string, disabled: boolean): Promise<void> {
  await sql`
    update clients
    set disabled_at = case when ${disabled} then coalesce(disabled_at, now()) end, updated_at = now()
    where client_id = ${clientId}`
}

/** The ids of disabled clients, and those of blocked callers of the external issuer. */
export async function listDisabled(sql: Sql): Promise<string[]> {
  const rows = await sql<{ clientId: string }[]>`
    select client_id as "clientId" from clients where disabled_at is not null
    union all
    select caller from blocked_callers`
  return rows.map(row => row.clientId)
}

export async function insertApiKey(
  sql: Sql,
  key: { keyId: string; clientId: string; name: string; keyHash: Buffer },
): Promise<void> {
  await sql`
    insert into api_keys (key_id, client_id, name, key_hash)
    values (${key.keyId}, ${key.clientId}, ${key.name}, ${key.keyHash})`
}

/** Returns false when the client has no such key, or the key is revoked already. */
export async function revokeApiKey(sql: Sql, clientId: string, keyId: string): Promise<boolean> {
  const rows = await sql`
    update api_keys
    set revoked_at = now()
    where client_id = ${clientId} and key_id = ${keyId} and revoked_at is null
    returning key_id`
  return rows.length === 1
}

export async function listApiKeyHashes(sql: Sql, clientId: string): Promise<Buffer[]> {
  const rows = await sql<{ keyHash: Buffer }[]>`
    select key_hash as "keyHash" from api_keys where client_id = ${clientId} and revoked_at is null`
  return rows.map(row => row.keyHash)
}
