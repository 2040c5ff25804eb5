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
  /** The ids of the companies whose records it sees; null is all of them. */
  companies: string[] | null
  createdAt: Date
  updatedAt: Date
  disabledAt: Date | null
  apiKeys: ApiKeyRow[]
}

interface SecretRow {
  scopes: string[]
  companies: string[] | null
  secretHash: string
  previousSecretHash: string | null
  previousSecretUntil: Date | null
  disabledAt: Date | null
}

export async function insertClient(
  sql: Sql,
  client: {
    clientId: string
    name: string
    scopes: string[]
    companies: readonly string[] | null
    secretHash: string
  },
): Promise<void> {
  await sql`
    insert into clients (client_id, name, scopes, companies, secret_hash)
    values (${client.clientId}, ${client.name}, ${client.scopes}::text[],
      ${client.companies && [...client.companies]}::text[], ${client.secretHash})`
}

/** Returns false when there is no such client. */
export async function updateClient(
  sql: Sql,
  client: { clientId: string; name: string; scopes: string[]; companies: readonly string[] | null },
): Promise<boolean> {
  const rows = await sql`
    update clients
    set name = ${client.name}, scopes = ${client.scopes}::text[],
      companies = ${client.companies && [...client.companies]}::text[], updated_at = now()
    where client_id = ${client.clientId}
    returning client_id`
  return rows.length === 1
}

/** Another transaction that changes the client waits. Returns false when there is no such client. */
export async function lockClient(sql: Sql, clientId: string): Promise<boolean> {
  const rows = await sql`select client_id from clients where client_id = ${clientId} for update`
  return rows.length === 1
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
    select scopes, companies, secret_hash as "secretHash", previous_secret_hash as "previousSecretHash",
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
    select c.client_id as "clientId", c.name, c.scopes, c.companies, c.created_at as "createdAt", c.updated_at as "updatedAt",
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

/** What a token does not tell about its client. */
export interface ClientState {
  disabled: boolean
  companies: string[] | null
}

/** The clients that are disabled or limited to some companies, and the blocked callers of the external issuer. */
export async function listRestricted(sql: Sql): Promise<Map<string, ClientState>> {
  const rows = await sql<(ClientState & { clientId: string })[]>`
    select client_id as "clientId", disabled_at is not null as disabled, companies from clients
    where disabled_at is not null or companies is not null
    union all
    select caller, true, null from blocked_callers`
  return new Map(rows.map(({ clientId, ...state }) => [clientId, state]))
}

export async function findState(sql: Sql, clientId: string): Promise<ClientState | undefined> {
  const [row] = await sql<ClientState[]>`
    select disabled_at is not null as disabled, companies from clients where client_id = ${clientId}`
  return row
}

/** What is known of a caller under these ids, one of which may be blocked. */
export async function listStates(sql: Sql, ids: string[]): Promise<(ClientState & { scopes: string[] })[]> {
  return sql<(ClientState & { scopes: string[] })[]>`
    select disabled_at is not null as disabled, companies, scopes from clients where client_id = any(${ids}::text[])
    union all
    select true, null, '{}' from blocked_callers where caller = any(${ids}::text[])`
}

/** Returns false when there is no such client. */
export async function insertApiKey(
  sql: Sql,
  key: { keyId: string; clientId: string; name: string; keyHash: Buffer },
): Promise<boolean> {
  const { count } = await sql`
    insert into api_keys (key_id, client_id, name, key_hash)
    select ${key.keyId}, client_id, ${key.name}, ${key.keyHash} from clients where client_id = ${key.clientId}`
  return count === 1
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
