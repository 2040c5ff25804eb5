import { unknownReference } from '../applicants/applicants.errors.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { isAssignable } from '../users/assignees.service.ts'

/** Throws unless work on a case of these companies can be assigned to this user; null is no user. */
export async function requireAssignable(
  { tx }: UnitOfWork,
  userId: string | null,
  companyIds: readonly string[],
): Promise<void> {
  if (userId === null || (await isAssignable(tx, userId, companyIds))) return
  const detail = 'There is no active user with this id who sees a company of this case.'
  throw unknownReference('The assignee cannot work on this case.', {
    errors: [{ pointer: '/assigneeId', detail }],
  })
}
