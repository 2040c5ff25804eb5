// Users: people who sign in, with their roles and companies.
import { requireCompanies } from '../companies/companies.service.ts'
import type { Sql, Tx } from '../db/database.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { fold } from '../lib/fold.ts'
import { cannotGrant, type Grant, includesGrant } from '../lib/grants.ts'
import { isId, newId } from '../lib/ids.ts'
import type { Principal } from '../lib/principal.ts'
import { type Role, scopesOf } from '../lib/roles.ts'
import type { Invitation, Invitations } from './invitations.service.ts'
import { lastAdmin, userInactive, userNotFound } from './users.errors.ts'
import type { User } from './users.store.ts'
import * as store from './users.store.ts'

export type { User } from './users.store.ts'

/** What a caller has, and so what it can give to others. */
export type Granter = Pick<Principal, 'scopes' | 'companies'>

interface NewUser {
  email: string
  name: string
  roles: Role[]
  companies?: string[] | null
}

export interface UserChanges {
  name?: string
  roles?: Role[]
  companies?: string[] | null
  active?: boolean
}

interface Options {
  sql: Sql
  invitations: Invitations
  /** Implemented in sign-in/. */
  endSessions: (unit: UnitOfWork, userId: string) => Promise<void>
  deleteCredentials: (unit: UnitOfWork, userId: string) => Promise<void>
  /** Takes all other companies from the saved views of the person. Implemented in desk/. */
  limitViews: (unit: UnitOfWork, userId: string, companies: readonly string[]) => Promise<void>
}

/** What the audit compares. */
const auditedFields = ({
  email,
  name,
  roles,
  companies,
  active,
}: Pick<User, 'email' | 'name' | 'roles' | 'companies' | 'active'>) => ({
  email,
  name,
  roles,
  companies,
  active,
})

export type Users = ReturnType<typeof createUsers>

export function createUsers({ sql, invitations, endSessions, deleteCredentials, limitViews }: Options) {
  /** The user, locked, where the caller may change it. */
  const lock = async (tx: Tx, userId: string, granter: Granter): Promise<User> => {
    await store.lockUsers(tx)
    const user = isId(userId) ? await store.lockUser(tx, userId) : undefined
    if (!user || !canSee(granter, user)) throw userNotFound()
    requireGrantable(granter, user)
    return user
  }

  const insert = (unit: UnitOfWork, fields: NewUser, joinedAt: Date | null = null): Promise<User> => {
    const user = {
      companies: null,
      ...fields,
      userId: newId<'user'>() as string,
      email: fields.email.trim(),
      active: true,
      joinedAt,
    }
    unit.audit({ action: 'user.create', recordId: user.userId, after: auditedFields(user) })
    return store.insertUser(unit.tx, { user, emailKey: fold(user.email), now: unit.now })
  }

  return {
    /** Those whose companies the caller has, all of them. */
    async list(granter: Granter): Promise<User[]> {
      return (await store.listUsers(sql)).filter(user => canSee(granter, user))
    },

    /** The active ones that the caller can assign work to, by name. */
    async listColleagues(caller: Granter): Promise<Pick<User, 'userId' | 'name'>[]> {
      const users = await store.listUsers(sql)
      return users
        .filter(user => user.active && canSee(caller, user))
        .map(({ userId, name }) => ({ userId, name }))
        .sort((a, b) => (fold(a.name) < fold(b.name) ? -1 : 1))
    },

    async get(userId: string, granter: Granter): Promise<User> {
      const user = isId(userId) ? await store.findUser(sql, userId) : undefined
      if (!user || !canSee(granter, user)) throw userNotFound()
      return user
    },

    async create(
      unit: UnitOfWork,
      fields: NewUser,
      granter: Granter,
    ): Promise<{ user: User; invitation: Invitation }> {
      requireGrantable(granter, { companies: null, ...fields })
      await requireCompanies(unit, fields.companies ?? [], '/companies')
      const user = await insert(unit, fields)
      return { user, invitation: await invitations.createFor(unit, user.userId) }
    },

    async merge(
      unit: UnitOfWork,
      userId: string,
      {
        changes,
        granter,
        requireState,
      }: { changes: UserChanges; granter: Granter; requireState: (etag: string) => void },
    ): Promise<User> {
      const current = await lock(unit.tx, userId, granter)
      requireState(etagOf(current))
      const changed = { ...current, ...changes }
      requireGrantable(granter, changed)
      await requireCompanies(unit, changes.companies ?? [], '/companies')
      if (isFullAdmin(current) && !isFullAdmin(changed)) await requireOtherAdmin(unit.tx, current)
      if (isSame(current, changed)) return current
      unit.audit({
        action: 'user.write',
        recordId: userId,
        before: auditedFields(current),
        after: auditedFields(changed),
      })
      if (current.active && !changed.active) {
        await endSessions(unit, userId)
        // As a trigger deletes the calendar: neither works again when the person is switched on.
        await invitations.deleteOf(unit, userId)
      }
      if (changed.companies !== null) await limitViews(unit, userId, changed.companies)
      return store.updateUser(unit.tx, changed, unit.now)
    },

    async invite(unit: UnitOfWork, userId: string, granter: Granter) {
      const user = await lock(unit.tx, userId, granter)
      // The link would work once the person is switched on again, without anybody noticing.
      if (!user.active) throw userInactive()
      return { user, invitation: await invitations.createFor(unit, userId) }
    },

    /** Removes every way to sign in, ends the sessions, and invites the person again. */
    async reset(unit: UnitOfWork, userId: string, granter: Granter) {
      const user = await lock(unit.tx, userId, granter)
      if (!user.active) throw userInactive()
      // The session ends before the link arrives.
      const isSelf = unit.actor.user?.userId === userId
      if (isSelf && isFullAdmin(user)) await requireOtherAdmin(unit.tx, user)
      unit.audit({ action: 'user.reset', recordId: userId })
      await endSessions(unit, userId)
      await deleteCredentials(unit, userId)
      const invitation = await invitations.createFor(unit, userId)
      return { user: await store.updateUser(unit.tx, { ...user, joinedAt: null }, unit.now), invitation }
    },

    async endSessions(unit: UnitOfWork, userId: string, granter: Granter): Promise<void> {
      await lock(unit.tx, userId, granter)
      unit.audit({ action: 'user.end_sessions', recordId: userId })
      await endSessions(unit, userId)
    },

    // What follows has no granter: the caller is the service itself, or the person.

    find: (userId: string) => store.findUser(sql, userId),
    /** Whether the person is active, and has what it had. */
    async stillHas(from: Sql, userId: string, grant: Grant): Promise<boolean> {
      const user = await store.findUser(from, userId)
      return (
        user?.active === true &&
        includesGrant({ companies: user.companies, scopes: scopesOf(user.roles) }, grant)
      )
    },
    findByEmail: (email: string) => store.findUserByEmail(sql, fold(email)),
    hasUsers: () => store.hasUsers(sql),
    /** Creates a user by the authority of the server, the external issuer or the demo. */
    insert,
    lock: (tx: Tx, userId: string) => store.lockUser(tx, userId),
    lockByEmail: (tx: Tx, email: string) => store.lockUserByEmail(tx, fold(email)),
    /**
     * Ends the sessions of a person to whom the external issuer gives no role any more, and takes all roles. The last
     * administrator keeps them: a mistake at the issuer must not leave an installation without one.
     */
    async withdrawRoles(unit: UnitOfWork, userId: string): Promise<void> {
      await store.lockUsers(unit.tx)
      const user = await store.lockUser(unit.tx, userId)
      if (!user) return
      unit.audit({ action: 'user.end_sessions', recordId: userId })
      await endSessions(unit, userId)
      await invitations.deleteOf(unit, userId)
      if (user.roles.length === 0) return
      if (isFullAdmin(user) && !(await hasOtherAdmin(unit.tx, user))) return
      const after = { ...user, roles: [] }
      unit.audit({
        action: 'user.write',
        recordId: userId,
        before: auditedFields(user),
        after: auditedFields(after),
      })
      await store.updateUser(unit.tx, after, unit.now)
    },
    /** Saves roles or name that the external issuer decides, and that the person has signed in. */
    update: (unit: UnitOfWork, user: User) => store.updateUser(unit.tx, user, unit.now),
  }
}

export function etagOf({ version }: User): string {
  return `"${version}"`
}

/** A caller that is limited to companies sees users of these companies only. */
function canSee({ companies }: Granter, user: { companies: readonly string[] | null }): boolean {
  if (companies === null) return true
  // A user without companies belongs to nobody.
  return user.companies?.length ? user.companies.every(id => companies.includes(id)) : false
}

/** Also for users as they are: a caller that could change a user with more than itself could become that user. */
function requireGrantable(granter: Granter, user: { roles: string[]; companies: string[] | null }): void {
  const missing = [...scopesOf(user.roles)].filter(scope => !granter.scopes.has(scope))
  if (missing.length > 0)
    throw cannotGrant(
      `The roles ${user.roles.join(', ')} have scopes that the caller lacks: ${missing.join(', ')}.`,
    )
  if (granter.companies === null) return
  if (!user.companies?.length)
    throw cannotGrant('The caller is limited to companies: send `companies` with some of these.')
  const foreign = user.companies.filter(id => !granter.companies?.includes(id))
  if (foreign.length > 0) throw cannotGrant(`The caller lacks the companies ${foreign.join(', ')}.`)
}

const isFullAdmin = (user: User) => user.active && user.companies === null && user.roles.includes('admin')

/** The last administrator who has signed in may not be replaced by one who never did: that invitation may be lost. */
async function requireOtherAdmin(tx: Tx, user: User): Promise<void> {
  if (!(await hasOtherAdmin(tx, user))) throw lastAdmin()
}

async function hasOtherAdmin(tx: Tx, user: User): Promise<boolean> {
  const others = await store.listOtherAdmins(tx, user.userId)
  return user.joinedAt ? others.some(other => other.joinedAt !== null) : others.length > 0
}

function isSame(a: User, b: User): boolean {
  const comparable = ({ name, roles, companies, active }: User) =>
    JSON.stringify([name, [...roles].sort(), companies && [...companies].sort(), active])
  return comparable(a) === comparable(b)
}
