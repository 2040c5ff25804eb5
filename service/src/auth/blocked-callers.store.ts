import type { Sql, Tx } from '../db/database.ts'

export interface BlockedCaller {
  blockId: string
  caller: string
  reason: string
  createdBy: string
  createdAt: Date
}

const columns = (sql: Sql) =>
  sql`block_id as "blockId", caller, reason, created_by as "createdBy", created_at as "createdAt"`

export async function listBlocked(sql: Sql): Promise<BlockedCaller[]> {
  return sql<BlockedCaller[]>`select ${columns(sql)} from blocked_callers order by created_at, block_id`
}

/** Returns undefined where the caller is blocked already. */
export async function insertBlocked(tx: Tx, blocked: BlockedCaller): Promise<BlockedCaller | undefined> {
  const [row] = await tx<BlockedCaller[]>`
    insert into blocked_callers (block_id, caller, reason, created_by, created_at)
    values (${blocked.blockId}, ${blocked.caller}, ${blocked.reason}, ${blocked.createdBy}, ${blocked.createdAt})
    on conflict (caller) do nothing
    returning ${columns(tx)}`
  return row
}

export async function findBlocked(tx: Tx, caller: string): Promise<BlockedCaller | undefined> {
  const [row] = await tx<BlockedCaller[]>`
    select ${columns(tx)} from blocked_callers where caller = ${caller} for update`
  return row
}

/** Returns the caller, or undefined where there is no such block. */
export async function deleteBlocked(tx: Tx, blockId: string): Promise<string | undefined> {
  const [row] = await tx<{ caller: string }[]>`
    delete from blocked_callers where block_id = ${blockId} returning caller`
  return row?.caller
}
