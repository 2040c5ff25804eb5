import type { Sql, Tx } from '../db/database.ts'

interface Invitation {
  /** Null where the link makes the first user. */
  userId: string | null
  expiresAt: Date
}

export async function insertInvitation(
  tx: Tx,
  invitation: Invitation & { tokenHash: Buffer; now: Date },
): Promise<void> {
  await tx`
    insert into invitations (token_hash, user_id, created_at, expires_at)
    values (${invitation.tokenHash}, ${invitation.userId}, ${invitation.now}, ${invitation.expiresAt})`
}

export async function findInvitation(sql: Sql, tokenHash: Buffer): Promise<Invitation | undefined> {
  const [row] = await sql<Invitation[]>`
    select user_id as "userId", expires_at as "expiresAt" from invitations where token_hash = ${tokenHash}`
  return row
}

/** Uses the invitation up: of several transactions, one gets it. */
export async function takeInvitation(tx: Tx, tokenHash: Buffer): Promise<Invitation | undefined> {
  const [row] = await tx<Invitation[]>`
    delete from invitations
    where token_hash = ${tokenHash}
    returning user_id as "userId", expires_at as "expiresAt"`
  return row
}

export async function deleteInvitationsOf(tx: Tx, userId: string): Promise<void> {
  await tx`delete from invitations where user_id = ${userId}`
}

export async function deleteExpiredInvitations(sql: Sql, now: Date): Promise<void> {
  await sql`delete from invitations where expires_at < ${now}`
}
