import { ADVISORY_LOCKS } from '../db/advisory-locks.ts'
import type { Sql, Tx } from '../db/database.ts'

export interface User {
  userId: string
  email: string
  name: string
  roles: string[]
  /** The ids of the companies whose records the person can see; null is all of them. */
  companies: string[] | null
  active: boolean
  /** Null until the person has signed in for the first time. */
  joinedAt: Date | null
  version: number
  createdAt: Date
  updatedAt: Date
}

const columns = (sql: Sql) => sql`
  user_id as "userId", email, name, roles, companies, active, joined_at as "joinedAt", version,
  created_at as "createdAt", updated_at as "updatedAt"`

export async function listUsers(sql: Sql): Promise<User[]> {
  return sql<User[]>`select ${columns(sql)} from users order by email_key`
}

export async function findUser(sql: Sql, userId: string): Promise<User | undefined> {
  const [row] = await sql<User[]>`select ${columns(sql)} from users where user_id = ${userId}`
  return row
}

export async function findUserByEmail(sql: Sql, emailKey: string): Promise<User | undefined> {
  const [row] = await sql<User[]>`select ${columns(sql)} from users where email_key = ${emailKey}`
  return row
}

export async function hasUsers(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ exists: boolean }[]>`select exists (select from users) as exists`
  return row?.exists === true
}

/** Serializes changes that decide who administers: the first user, and the last administrator. */
export async function lockUsers(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${ADVISORY_LOCKS.users})`
}

export async function lockUser(tx: Tx, userId: string): Promise<User | undefined> {
  const [row] = await tx<User[]>`select ${columns(tx)} from users where user_id = ${userId} for update`
  return row
}

/** A transaction that changes the user waits; others may read it in this way, too. */
export async function shareUser(tx: Tx, userId: string): Promise<User | undefined> {
  const [row] = await tx<User[]>`select ${columns(tx)} from users where user_id = ${userId} for share`
  return row
}

export async function lockUserByEmail(tx: Tx, emailKey: string): Promise<User | undefined> {
  const [row] = await tx<User[]>`select ${columns(tx)} from users where email_key = ${emailKey} for update`
  return row
}

interface UserSaving {
  user: Omit<User, 'version' | 'createdAt' | 'updatedAt'>
  emailKey: string
  now: Date
}

export async function insertUser(tx: Tx, { user, emailKey, now }: UserSaving): Promise<User> {
  const [row] = await tx<[User]>`
    insert into users (user_id, email, email_key, name, roles, companies, active, joined_at, created_at, updated_at)
    values (${user.userId}, ${user.email}, ${emailKey}, ${user.name}, ${user.roles}::text[],
      ${user.companies}::text[], ${user.active}, ${user.joinedAt}, ${now}, ${now})
    returning ${columns(tx)}`
  return row
}

export async function updateUser(tx: Tx, user: User, now: Date): Promise<User> {
  const [row] = await tx<[User]>`
    update users
    set name = ${user.name}, roles = ${user.roles}::text[], companies = ${user.companies}::text[],
      active = ${user.active}, joined_at = ${user.joinedAt}, version = version + 1, updated_at = ${now}
    where user_id = ${user.userId}
    returning ${columns(tx)}`
  return row
}

/** Active administrators of all companies, beside this one. */
export async function listOtherAdmins(tx: Tx, userId: string): Promise<{ joinedAt: Date | null }[]> {
  return tx<{ joinedAt: Date | null }[]>`
    select joined_at as "joinedAt"
    from users
    where active and companies is null and 'admin' = any(roles) and user_id <> ${userId}`
}
