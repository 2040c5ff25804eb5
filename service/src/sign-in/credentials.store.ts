import type { Sql, Tx } from '../db/database.ts'

export async function findPassword(sql: Sql, userId: string): Promise<string | undefined> {
  const [row] = await sql<{ hash: string }[]>`select hash from user_passwords where user_id = ${userId}`
  return row?.hash
}

export async function upsertPassword(
  sql: Sql,
  { userId, hash, now }: { userId: string; hash: string; now: Date },
): Promise<void> {
  await sql`
    insert into user_passwords (user_id, hash, changed_at)
    values (${userId}, ${hash}, ${now})
    on conflict (user_id) do update set hash = excluded.hash, changed_at = excluded.changed_at`
}

/** Replaces the hash of a password that has not changed, unless it has meanwhile. */
export async function replaceHash(
  sql: Sql,
  { userId, before, hash }: { userId: string; before: string; hash: string },
): Promise<void> {
  await sql`update user_passwords set hash = ${hash} where user_id = ${userId} and hash = ${before}`
}

export interface TotpRow {
  /** Sealed. */
  seed: string
  confirmedAt: Date | null
  lastStep: number
}

export async function findTotp(sql: Sql, userId: string): Promise<TotpRow | undefined> {
  const [row] = await sql<TotpRow[]>`
    select seed, confirmed_at as "confirmedAt", coalesce(last_step, 0)::integer as "lastStep"
    from user_totp
    where user_id = ${userId}`
  return row
}

/** Begins an enrolment. Returns false where one is confirmed. */
export async function beginTotp(tx: Tx, userId: string, seed: string): Promise<boolean> {
  const rows = await tx`
    insert into user_totp (user_id, seed)
    values (${userId}, ${seed})
    on conflict (user_id) do update set seed = excluded.seed, last_step = null
    where user_totp.confirmed_at is null
    returning user_id`
  return rows.length === 1
}

export async function confirmTotp(tx: Tx, userId: string, now: Date): Promise<void> {
  await tx`update user_totp set confirmed_at = ${now} where user_id = ${userId}`
}

/** Marks the code of this time step as used. Returns false where it was used before. */
export async function useStep(tx: Tx, userId: string, step: number): Promise<boolean> {
  const rows = await tx`
    update user_totp
    set last_step = ${step}
    where user_id = ${userId} and (last_step is null or last_step < ${step})
    returning user_id`
  return rows.length === 1
}

export async function deleteTotp(tx: Tx, userId: string): Promise<void> {
  await tx`
    with codes as (delete from recovery_codes where user_id = ${userId})
    delete from user_totp where user_id = ${userId}`
}

export async function replaceRecoveryCodes(tx: Tx, userId: string, hashes: Buffer[]): Promise<void> {
  await tx`delete from recovery_codes where user_id = ${userId}`
  await tx`
    insert into recovery_codes (user_id, code_hash)
    select ${userId}, decode(code, 'hex') from unnest(${hashes.map(hash => hash.toString('hex'))}::text[]) as code`
}

/** Uses the code up. Returns false where the user has no such code. */
export async function useRecoveryCode(tx: Tx, userId: string, hash: Buffer): Promise<boolean> {
  const rows = await tx`
    delete from recovery_codes where user_id = ${userId} and code_hash = ${hash} returning user_id`
  return rows.length === 1
}

export async function countRecoveryCodes(sql: Sql, userId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from recovery_codes where user_id = ${userId}`
  return row?.count ?? 0
}

export interface Passkey {
  passkeyId: string
  credentialId: string
  userId: string
  name: string
  publicKey: Buffer
  counter: number
  transports: string[]
  createdAt: Date
  lastUsedAt: Date | null
}

const passkeyColumns = (sql: Sql) => sql`
  passkey_id as "passkeyId", credential_id as "credentialId", user_id as "userId", name, public_key as "publicKey",
  counter::double precision as counter, transports, created_at as "createdAt", last_used_at as "lastUsedAt"`

export async function listPasskeys(sql: Sql, userId: string): Promise<Passkey[]> {
  return sql<Passkey[]>`
    select ${passkeyColumns(sql)} from passkeys where user_id = ${userId} order by created_at, passkey_id`
}

export async function findPasskey(sql: Sql, credentialId: string): Promise<Passkey | undefined> {
  const [row] = await sql<Passkey[]>`
    select ${passkeyColumns(sql)} from passkeys where credential_id = ${credentialId}`
  return row
}

/** Returns false where the credential is registered already, by this user or another one. */
export async function insertPasskey(tx: Tx, passkey: Passkey): Promise<boolean> {
  const { count } = await tx`
    insert into passkeys (passkey_id, credential_id, user_id, name, public_key, counter, transports, created_at)
    values (${passkey.passkeyId}, ${passkey.credentialId}, ${passkey.userId}, ${passkey.name}, ${passkey.publicKey},
      ${passkey.counter}, ${passkey.transports}::text[], ${passkey.createdAt})
    on conflict (credential_id) do nothing`
  return count === 1
}

/** Returns false where the user has no such passkey any more. */
export async function recordPasskeyUse(
  tx: Tx,
  {
    credentialId,
    userId,
    counter,
    now,
  }: { credentialId: string; userId: string; counter: number; now: Date },
): Promise<boolean> {
  const { count } = await tx`
    update passkeys
    set counter = greatest(counter, ${counter}), last_used_at = ${now}
    where credential_id = ${credentialId} and user_id = ${userId}`
  return count === 1
}

export async function deletePasskey(tx: Tx, userId: string, passkeyId: string): Promise<boolean> {
  const rows = await tx`
    delete from passkeys where user_id = ${userId} and passkey_id = ${passkeyId} returning passkey_id`
  return rows.length === 1
}

export async function deleteCredentialsOf(tx: Tx, userId: string): Promise<void> {
  await tx`
    with passwords as (delete from user_passwords where user_id = ${userId}),
      codes as (delete from recovery_codes where user_id = ${userId}),
      keys as (delete from passkeys where user_id = ${userId}),
      identities as (delete from user_identities where user_id = ${userId})
    delete from user_totp where user_id = ${userId}`
}

export async function findIdentity(sql: Sql, issuer: string, subject: string): Promise<string | undefined> {
  const [row] = await sql<{ userId: string }[]>`
    select user_id as "userId" from user_identities where issuer = ${issuer} and subject = ${subject}`
  return row?.userId
}

/** Whether the user is linked to a person of this issuer. */
export async function hasIdentity(sql: Sql, userId: string, issuer: string): Promise<boolean> {
  const rows = await sql`select from user_identities where user_id = ${userId} and issuer = ${issuer}`
  return rows.length > 0
}

/** Returns false where another transaction has inserted it. */
export async function insertIdentity(
  tx: Tx,
  { issuer, subject, userId }: { issuer: string; subject: string; userId: string },
): Promise<boolean> {
  const rows = await tx`
    insert into user_identities (issuer, subject, user_id)
    values (${issuer}, ${subject}, ${userId})
    on conflict do nothing
    returning user_id`
  return rows.length === 1
}
