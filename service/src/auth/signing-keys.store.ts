import type { JWK } from 'jose'
import type { Sql, Tx } from '../db/database.ts'
import type { SealedColumn } from '../db/sealed-columns.ts'

export interface SigningKeyRow {
  kid: string
  issuer: string
  /** A string when it is sealed. */
  privateJwk: JWK | string
  createdAt: Date
  signsFrom: Date
}

export const signingKeyColumn: SealedColumn = {
  table: 'signing_keys',
  id: 'kid',
  column: 'private_jwk',
  type: 'jsonb',
}

/** Newest first. A key of a new issuer comes before an older key that has not begun to sign. */
export async function listSigningKeys(sql: Sql): Promise<SigningKeyRow[]> {
  return sql<SigningKeyRow[]>`
    select kid, issuer, private_jwk as "privateJwk", created_at as "createdAt", signs_from as "signsFrom"
    from signing_keys
    order by created_at desc, signs_from desc, kid`
}

/** Locks the table until the end of the transaction, so that only one of several services creates the next key. */
export async function lockSigningKeys(tx: Tx): Promise<void> {
  await tx`lock table signing_keys in share row exclusive mode`
}

export async function insertSigningKey(tx: Tx, key: SigningKeyRow): Promise<void> {
  await tx`
    insert into signing_keys (kid, issuer, private_jwk, created_at, signs_from)
    values (${key.kid}, ${key.issuer}, ${tx.json(key.privateJwk as never)}, ${key.createdAt}, ${key.signsFrom})`
}

export async function deleteSigningKeys(tx: Tx, kids: string[]): Promise<void> {
  await tx`delete from signing_keys where kid = any(${kids}::text[])`
}
