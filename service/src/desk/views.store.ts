// Saved views. A caller reads its own and those that are shared, and writes its own.
import type { Sql, Tx } from '../db/database.ts'
import { every } from '../db/limited.ts'

export interface SavedView {
  viewId: string
  ownerId: string
  screen: string
  name: string
  query: Record<string, string>
  shared: boolean
  version: number
  createdAt: Date
  updatedAt: Date
}

const columns = (sql: Sql) => sql`
  view_id as "viewId", owner_id as "ownerId", screen, name, query, shared, version, created_at as "createdAt",
  updated_at as "updatedAt"`

/** Serializes the views that one caller creates, so that they can be counted. */
export async function lockOwner(tx: Tx, ownerId: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${ownerId}, 20261117))`
}

export async function countViews(tx: Tx, ownerId: string): Promise<number> {
  const [row] = await tx<[{ count: number }]>`
    select count(*)::int as count from saved_views where owner_id = ${ownerId}`
  return row.count
}

export async function listViews(
  sql: Sql,
  { ownerId, screen }: { ownerId: string; screen: string | undefined },
): Promise<SavedView[]> {
  return sql<SavedView[]>`
    select ${columns(sql)} from saved_views
    where (owner_id = ${ownerId} or shared) and (${screen ?? null}::text is null or screen = ${screen ?? null})
    order by screen, name_key, view_id`
}

export async function findView(
  sql: Sql,
  { viewId, ownerId }: { viewId: string; ownerId: string },
): Promise<SavedView | undefined> {
  const [row] = await sql<SavedView[]>`
    select ${columns(sql)} from saved_views where view_id = ${viewId} and (owner_id = ${ownerId} or shared)`
  return row
}

export async function lockView(
  tx: Tx,
  { viewId, ownerId }: { viewId: string; ownerId: string },
): Promise<SavedView | undefined> {
  const [row] = await tx<SavedView[]>`
    select ${columns(tx)} from saved_views
    where view_id = ${viewId} and (owner_id = ${ownerId} or shared)
    for update`
  return row
}

interface ViewSaving {
  view: Pick<SavedView, 'viewId' | 'ownerId' | 'screen' | 'name' | 'query' | 'shared'>
  nameKey: string
  companies: readonly string[] | null
  now: Date
}

export async function insertView(tx: Tx, { view, nameKey, companies, now }: ViewSaving): Promise<SavedView> {
  const [row] = await tx<[SavedView]>`
    insert into saved_views (view_id, owner_id, screen, name, name_key, query, shared, companies, created_at, updated_at)
    values (${view.viewId}, ${view.ownerId}, ${view.screen}, ${view.name}, ${nameKey},
      ${JSON.stringify(view.query)}::text::json, ${view.shared}, ${companies && [...companies]}::text[], ${now}, ${now})
    returning ${columns(tx)}`
  return row
}

export async function updateView(tx: Tx, { view, nameKey, companies, now }: ViewSaving): Promise<SavedView> {
  const [row] = await tx<[SavedView]>`
    update saved_views
    set name = ${view.name}, name_key = ${nameKey}, query = ${JSON.stringify(view.query)}::text::json,
      shared = ${view.shared}, companies = ${companies && [...companies]}::text[], version = version + 1,
      updated_at = ${now}
    where view_id = ${view.viewId}
    returning ${columns(tx)}`
  return row
}

/** Gives these companies to the views of an owner that have others. Also to those that the caller does not see. */
export async function limitViewsOf(
  tx: Tx,
  { ownerId, companies }: { ownerId: string; companies: readonly string[] },
): Promise<void> {
  await tx`
    update ${every(tx, 'saved_views')} set companies = ${[...companies]}::text[]
    where owner_id = ${ownerId} and (companies is null or not companies <@ ${[...companies]}::text[])`
}

export async function deleteView(tx: Tx, viewId: string): Promise<void> {
  await tx`delete from saved_views where view_id = ${viewId}`
}
