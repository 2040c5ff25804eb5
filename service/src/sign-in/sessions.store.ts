import type { Sql, Tx } from '../db/database.ts'

export interface Session {
  sessionId: string
  userId: string
  /** How the person has signed in: `password+totp`, `passkey`, … */
  method: string
  address: string | null
  userAgent: string
  createdAt: Date
  lastSeenAt: Date
}

/** A session with what its user may do now. */
export interface SessionWithUser extends Session {
  name: string
  roles: string[]
  companies: string[] | null
}

/** Sessions created after `since` and seen after `seenSince` are alive. */
export interface Lifetime {
  since: Date
  seenSince: Date
}

const columns = (sql: Sql) => sql`
  s.session_id as "sessionId", s.user_id as "userId", s.method, s.address, s.user_agent as "userAgent",
  s.created_at as "createdAt", s.last_seen_at as "lastSeenAt"`

const isAlive = (sql: Sql, { since, seenSince }: Lifetime) => sql`
  s.ended_at is null and s.created_at > ${since} and s.last_seen_at > ${seenSince}`

export async function insertSession(tx: Tx, session: Session & { tokenHash: Buffer }): Promise<void> {
  await tx`
    insert into sessions (session_id, token_hash, user_id, method, address, user_agent, created_at, last_seen_at)
    values (${session.sessionId}, ${session.tokenHash}, ${session.userId}, ${session.method}, ${session.address},
      ${session.userAgent}, ${session.createdAt}, ${session.lastSeenAt})`
}

/** Undefined where the session has ended or its user is not active. */
export async function findSession(
  sql: Sql,
  tokenHash: Buffer,
  lifetime: Lifetime,
): Promise<SessionWithUser | undefined> {
  const [row] = await sql<SessionWithUser[]>`
    select ${columns(sql)}, u.name, u.roles, u.companies
    from sessions s
    join users u on u.user_id = s.user_id
    where s.token_hash = ${tokenHash} and u.active and ${isAlive(sql, lifetime)}`
  return row
}

export async function isSessionOpen(tx: Tx, sessionId: string, lifetime: Lifetime): Promise<boolean> {
  const rows = await tx`
    select from sessions s where s.session_id = ${sessionId} and ${isAlive(tx, lifetime)}`
  return rows.length === 1
}

/** Waits for no other transaction: one that changes the session may itself wait for a standby. */
export async function updateLastSeen(sql: Sql, sessionId: string, now: Date): Promise<void> {
  await sql`
    update sessions set last_seen_at = ${now}
    where session_id = (
      select session_id from sessions
      where session_id = ${sessionId} and last_seen_at < ${now}
      for update skip locked
    )`
}

export async function listSessions(sql: Sql, userId: string, lifetime: Lifetime): Promise<Session[]> {
  return sql<Session[]>`
    select ${columns(sql)}
    from sessions s
    where s.user_id = ${userId} and ${isAlive(sql, lifetime)}
    order by s.created_at desc, s.session_id`
}

/** Returns whether the user had such a session. */
export async function endSession(
  tx: Tx,
  { userId, sessionId, now }: { userId: string; sessionId: string; now: Date },
): Promise<boolean> {
  const rows = await tx`
    update sessions
    set ended_at = ${now}
    where user_id = ${userId} and session_id = ${sessionId} and ended_at is null
    returning session_id`
  return rows.length === 1
}

/** Returns whose session it was; undefined where none was open. */
export async function endSessionOfToken(tx: Tx, tokenHash: Buffer, now: Date): Promise<string | undefined> {
  const [row] = await tx<{ userId: string }[]>`
    update sessions set ended_at = ${now} where token_hash = ${tokenHash} and ended_at is null
    returning user_id as "userId"`
  return row?.userId
}

/** Ends all sessions of the user, but for one, and the sign-ins that wait for a second factor. */
export async function endSessionsOf(
  tx: Tx,
  { userId, except, now }: { userId: string; except: string | null; now: Date },
): Promise<void> {
  await tx`
    with begun as (
      delete from sign_in_challenges where user_id = ${userId} and kind = 'second-factor'
    )
    update sessions
    set ended_at = ${now}
    where user_id = ${userId} and ended_at is null and session_id is distinct from ${except}`
}

/** Whether this user has signed in from this address. */
export async function hasSessionFrom(sql: Sql, userId: string, address: string): Promise<boolean> {
  const [row] = await sql<{ exists: boolean }[]>`
    select exists (select from sessions where user_id = ${userId} and address = ${address}) as exists`
  return row?.exists === true
}

export async function deleteSessionsBefore(sql: Sql, time: Date): Promise<void> {
  await sql`delete from sessions where created_at < ${time}`
}
