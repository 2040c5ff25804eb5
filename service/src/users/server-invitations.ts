// Invitations by the authority of the server itself: an operator who can start the service can let a person in.
import type { Database } from '../db/database.ts'
import { type Recorders, runUnitOfWork, systemActor, type UnitOfWork } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import { StartError } from '../lib/problem.ts'
import { HOURS_ON_SERVER, type Invitation, type Invitations } from './invitations.service.ts'
import type { Users } from './users.service.ts'

interface Options {
  db: Database
  clock: Clock
  recorders: Recorders
  users: Users
  invitations: Invitations
}

const ACTOR = systemActor('server', 'invite')

export function createServerInvitations({ db, clock, recorders, users, invitations }: Options) {
  const transact = <T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T> =>
    db.transaction(tx => runUnitOfWork({ tx, actor: ACTOR, now: clock.now(), recorders, work }))

  return {
    createFirst: (): Promise<Invitation | undefined> => transact(invitations.createFirst),

    async createFor(email: string): Promise<Invitation> {
      if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 320)
        throw new StartError(
          `--invite: expected an e-mail address, such as npm start -- --invite r.okafor@example.com.`,
        )
      const known = await users.findByEmail(email)
      if (known && !known.active)
        throw new StartError(
          `The user ${email} is switched off. Switch it on with PATCH /admin/v1/users/${known.userId} and {"active": true}.`,
        )
      return transact(async unit => {
        const user = known ?? (await users.insert(unit, { email, name: email, roles: ['admin'] }))
        return invitations.createFor(unit, user.userId, HOURS_ON_SERVER)
      })
    },
  }
}
