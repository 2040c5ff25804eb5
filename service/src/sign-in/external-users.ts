// The users of people who sign in through the external issuer.
import { RetryTransaction, violates } from '../db/sqlstate.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import type { User, Users } from '../users/users.service.ts'
import * as credentials from './credentials.store.ts'
import type { ExternalPerson } from './external-login.ts'
import type { ExternalReason } from './sign-in.ts'

/** The user of this person, created at the first sign-in. The issuer decides the roles, each time. */
export async function saveExternalPerson(
  unit: UnitOfWork,
  users: Users,
  person: ExternalPerson,
): Promise<User | ExternalReason> {
  const { issuer, subject, email, name, roles } = person
  const knownId = await credentials.findIdentity(unit.tx, issuer, subject)
  const known = knownId === undefined ? undefined : await users.lock(unit.tx, knownId)
  if (known) {
    const isSame = [...known.roles].sort().join() === [...roles].sort().join()
    if (isSame || !known.active) return known
    unit.audit({
      action: 'user.write',
      recordId: known.userId,
      before: { roles: known.roles },
      after: { roles },
    })
    return users.update(unit, { ...known, roles })
  }
  if (email === undefined) return 'issuer-no-email'
  const namesake = await users.lockByEmail(unit.tx, email)
  // Linked by another sign-in of the same person, which this one has waited for.
  if (namesake && (await credentials.findIdentity(unit.tx, issuer, subject))) throw new RetryTransaction()
  if (namesake && !(await canLink(unit, namesake, person))) return 'issuer-email-in-use'
  if (namesake && !namesake.active) return namesake
  const user =
    namesake ??
    (await users.insert(unit, { email, name: name ?? email, roles }).catch(error => {
      throw violates(error, 'users_email') ? new RetryTransaction(error) : error
    }))
  // Both where another sign-in, or an administrator, was faster: the next attempt finds what that one has created.
  if (!(await credentials.insertIdentity(unit.tx, { issuer, subject, userId: user.userId })))
    throw new RetryTransaction()
  if (!namesake) return user
  unit.audit({
    action: 'user.link_issuer',
    recordId: user.userId,
    before: { roles: user.roles },
    after: { roles },
  })
  return users.update(unit, { ...user, roles })
}

/** Takes the roles of a known person without one; returns the user. */
export async function withdrawExternalPerson(
  unit: UnitOfWork,
  users: Users,
  { issuer, subject }: ExternalPerson,
): Promise<string | undefined> {
  const userId = await credentials.findIdentity(unit.tx, issuer, subject)
  if (userId !== undefined) await users.withdrawRoles(unit, userId)
  return userId
}

/** Whether the person of the issuer is this user, who has the same address but for what folding makes equal. */
async function canLink({ tx }: UnitOfWork, user: User, person: ExternalPerson): Promise<boolean> {
  // Without verification, a person could claim the address of another one.
  if (!person.isEmailVerified || lowerCase(person.email ?? '') !== lowerCase(user.email)) return false
  // An address that was given to another person at the issuer must not lead to the user of its former owner.
  return !(await credentials.hasIdentity(tx, user.userId, person.issuer))
}

/** Of ASCII only: other letters that folding makes equal, such as ß and ss, are other addresses to a mail server. */
const lowerCase = (email: string) => email.trim().replace(/[A-Z]+/g, letters => letters.toLowerCase())
