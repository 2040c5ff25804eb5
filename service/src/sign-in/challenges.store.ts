import type { Sql, Tx } from '../db/database.ts'

interface ChallengeRow<Data> {
  userId: string | null
  data: Data
}

export async function insertChallenge(
  sql: Sql | Tx,
  row: { tokenHash: Buffer; kind: string; userId: string | null; data: object; expiresAt: Date },
): Promise<void> {
  await sql`
    insert into sign_in_challenges (token_hash, kind, user_id, data, expires_at)
    values (${row.tokenHash}, ${row.kind}, ${row.userId}, ${sql.json(row.data as never)}, ${row.expiresAt})`
}

export async function findChallenge<Data>(
  sql: Sql,
  { tokenHash, kinds, now }: { tokenHash: Buffer; kinds: readonly string[]; now: Date },
): Promise<(ChallengeRow<Data> & { kind: string }) | undefined> {
  const [row] = await sql<(ChallengeRow<Data> & { kind: string })[]>`
    select kind, user_id as "userId", data
    from sign_in_challenges
    where token_hash = ${tokenHash} and kind = any(${kinds as string[]}::text[]) and expires_at > ${now}`
  return row
}

/** Uses the challenge up: of several transactions, one gets it. */
export async function takeChallenge<Data>(
  tx: Tx | Sql,
  { tokenHash, kind, now }: { tokenHash: Buffer; kind: string; now: Date },
): Promise<ChallengeRow<Data> | undefined> {
  const [row] = await tx<ChallengeRow<Data>[]>`
    delete from sign_in_challenges
    where token_hash = ${tokenHash} and kind = ${kind} and expires_at > ${now}
    returning user_id as "userId", data`
  return row
}

export async function deleteExpiredChallenges(sql: Sql, now: Date): Promise<void> {
  await sql`delete from sign_in_challenges where expires_at < ${now}`
}
