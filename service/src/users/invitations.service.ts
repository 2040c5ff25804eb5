// Invitations: links that let a person choose how to sign in. A link works once and for a limited time.
import type { Sql } from '../db/database.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { hashToken, newToken } from '../lib/tokens.ts'
import * as store from './invitations.store.ts'
import { invitationInvalid } from './users.errors.ts'
import type { User } from './users.store.ts'
import * as users from './users.store.ts'

export interface Invitation {
  token: string
  expiresAt: Date
}

/** For links that an administrator passes on, and for those that are printed on the server. */
export const HOURS_TO_PASS_ON = 72
export const HOURS_ON_SERVER = 0.25

export type Invitations = ReturnType<typeof createInvitations>

export function createInvitations(sql: Sql) {
  const create = async ({ tx, now }: UnitOfWork, userId: string | null, hours: number) => {
    const token = newToken()
    const expiresAt = new Date(now.getTime() + hours * 3_600_000)
    await store.insertInvitation(tx, { tokenHash: hashToken(token), userId, expiresAt, now })
    return { token, expiresAt }
  }

  return {
    /** A new link for this user. Earlier ones stop working. */
    async createFor(unit: UnitOfWork, userId: string, hours = HOURS_TO_PASS_ON): Promise<Invitation> {
      await store.deleteInvitationsOf(unit.tx, userId)
      unit.audit({ action: 'user.invite', recordId: userId })
      return create(unit, userId, hours)
    },

    /** The links of this user stop working. */
    deleteOf: ({ tx }: UnitOfWork, userId: string): Promise<void> => store.deleteInvitationsOf(tx, userId),

    /** A link that makes the first administrator, or undefined where there are users. */
    async createFirst(unit: UnitOfWork): Promise<Invitation | undefined> {
      if (await users.hasUsers(unit.tx)) return undefined
      return create(unit, null, HOURS_ON_SERVER)
    },

    /** Whose invitation this is: a user, or `first`; undefined where it is not valid. Does not use it up. */
    async find(token: string, now: Date): Promise<User | 'first' | undefined> {
      const invitation = await store.findInvitation(sql, hashToken(token))
      if (!invitation || invitation.expiresAt <= now) return undefined
      if (invitation.userId === null) return (await users.hasUsers(sql)) ? undefined : 'first'
      const user = await users.findUser(sql, invitation.userId)
      return user?.active ? user : undefined
    },

    /** Uses the invitation up. */
    async take({ tx, now }: UnitOfWork, token: string): Promise<User | 'first'> {
      await users.lockUsers(tx)
      const invitation = await store.takeInvitation(tx, hashToken(token))
      if (!invitation || invitation.expiresAt <= now) throw invitationInvalid()
      if (invitation.userId === null) {
        if (await users.hasUsers(tx)) throw invitationInvalid()
        return 'first'
      }
      const user = await users.lockUser(tx, invitation.userId)
      if (!user?.active) throw invitationInvalid()
      return user
    },

    deleteExpired: (now: Date) => store.deleteExpiredInvitations(sql, now),
  }
}
