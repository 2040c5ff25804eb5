// Users to whom others assign work.
import type { Tx } from '../db/database.ts'
import { isId } from '../lib/ids.ts'
import { shareUser } from './users.store.ts'

/**
 * Whether the user is active, sees records of one of these companies, and is visible to the caller. It stays so until the end of the
 * transaction.
 */
export async function isAssignable(tx: Tx, userId: string, companyIds: readonly string[]): Promise<boolean> {
  const user = isId(userId) ? await shareUser(tx, userId) : undefined
  if (!user?.active) return false
  return user.companies === null || user.companies.some(id => companyIds.includes(id))
}
