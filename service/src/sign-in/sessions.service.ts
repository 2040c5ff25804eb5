// Sessions of people. The cookie has a random token; the database has its hash, and decides on each request whether the
// session is still good, but for a few seconds in which the result is cached.
import type { Database, Sql, Tx } from '../db/database.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { errorForLog, type Log } from '../lib/log.ts'
import type { Principal } from '../lib/principal.ts'
import { scopesOf } from '../lib/roles.ts'
import { hashToken, isToken, newToken } from '../lib/tokens.ts'
import { ONE_PROCESS, type WorkerBus } from '../lib/worker-bus.ts'
import * as store from './sessions.store.ts'
import { sessionNotFound, signInAgain } from './sign-in.errors.ts'

export type { Session } from './sessions.store.ts'

const HOUR = 3_600_000
const IDLE_MS = 12 * HOUR
export const MAX_AGE_SECONDS = 7 * 24 * 3_600
const SEEN_MS = 60_000
const RECENT_MS = 15 * 60_000
/** Ended sessions are kept for a while: an address that a person has used before has guess limits of its own. */
const KEPT_MS = 30 * 24 * HOUR
/** A session that has ended is rejected by every service within five seconds. */
const CACHE_MS = 2_500
const MAX_CACHED = 10_000
const MAX_USER_AGENT = 300

/** Where a person signs in. */
export interface Device {
  address: string | null
  userAgent: string
}

export type Sessions = ReturnType<typeof createSessions>

export function createSessions({
  db,
  clock,
  log,
  bus = ONE_PROCESS,
}: {
  db: Database
  clock: Clock
  log: Log
  bus?: WorkerBus
}) {
  const cache = new Map<string, { principal: Principal; until: number }>()
  const lookups = new Map<string, Promise<Principal | undefined>>()
  let generation = 0

  const forgetOwn = () => {
    generation += 1
    cache.clear()
    lookups.clear()
  }
  bus.subscribe('sessions', forgetOwn)
  const forget = () => {
    forgetOwn()
    bus.publish('sessions')
  }

  const lifetime = (): store.Lifetime => {
    const now = clock.now().getTime()
    return { since: new Date(now - MAX_AGE_SECONDS * 1000), seenSince: new Date(now - IDLE_MS) }
  }

  const find = async (token: string) =>
    isToken(token) ? db.lookup(sql => store.findSession(sql, hashToken(token), lifetime())) : undefined

  /** The request does not wait for it: the commit may, for a standby. The next lookup tries again after a failure. */
  const saveLastSeen = (sessionId: string, now: Date) => {
    db.append(sql => store.updateLastSeen(sql, sessionId, now)).catch(error =>
      log.debug(errorForLog(error), 'the time of the last request of a session was not saved'),
    )
  }

  const look = async (token: string): Promise<Principal | undefined> => {
    const begun = generation
    const session = await find(token)
    if (!session) return undefined
    const now = clock.now()
    const isSeen = now.getTime() - session.lastSeenAt.getTime() > SEEN_MS
    if (isSeen) saveLastSeen(session.sessionId, now)
    const principal = principalOf(session, isSeen ? now : session.lastSeenAt)
    // What was read before a session was ended must not outlive it.
    if (begun === generation) {
      if (cache.size >= MAX_CACHED) cache.clear()
      cache.set(token, { principal, until: performance.now() + CACHE_MS })
    }
    return principal
  }

  return {
    /** The person of this token, or undefined. Synchronous while it is cached. */
    verify(token: string): Principal | undefined | Promise<Principal | undefined> {
      const cached = cache.get(token)
      if (cached && cached.until > performance.now()) return cached.principal
      cache.delete(token)
      // A cookie that the service cannot have made costs no lookup, also while many arrive.
      if (!isToken(token)) return undefined
      const running = lookups.get(token) ?? look(token).finally(() => lookups.delete(token))
      lookups.set(token, running)
      return running
    },

    /** Drops what is cached, after sessions were ended or users changed. */
    forget,

    async create(
      unit: UnitOfWork,
      { userId, method, device }: { userId: string; method: string; device: Device },
    ): Promise<{ token: string; session: store.Session }> {
      const token = newToken()
      const session = {
        sessionId: newId<'session'>() as string,
        userId,
        method,
        address: device.address,
        userAgent: device.userAgent.slice(0, MAX_USER_AGENT),
        createdAt: unit.now,
        lastSeenAt: unit.now,
      }
      await store.insertSession(unit.tx, { ...session, tokenHash: hashToken(token) })
      unit.audit({ action: 'session.created', recordId: userId, after: { method } })
      return { token, session }
    },

    /** The session of this token, from the database. */
    async get(token: string | undefined): Promise<store.SessionWithUser> {
      const session = token === undefined ? undefined : await find(token)
      if (!session) throw sessionNotFound()
      return session
    },

    /** Whether the session has not ended. */
    isOpen: (tx: Tx, sessionId: string) => store.isSessionOpen(tx, sessionId, lifetime()),

    list: (userId: string) => store.listSessions(db.sql, userId, lifetime()),

    expiresAt: expiryOf,

    async end({ tx, now, audit }: UnitOfWork, userId: string, sessionId: string): Promise<void> {
      if (!(await store.endSession(tx, { userId, sessionId, now }))) throw sessionNotFound()
      audit({ action: 'session.ended', recordId: userId })
    },

    /** Ends the session that a browser had before it signed in again. */
    async endReplaced({ tx, now, audit }: UnitOfWork, token: string): Promise<void> {
      const userId = await store.endSessionOfToken(tx, hashToken(token), now)
      if (userId !== undefined) audit({ action: 'session.ended', recordId: userId })
    },

    /** Ends all sessions of the person, but for one, and the sign-ins that have passed a first factor. */
    async endAll({ tx, now }: { tx: Tx; now: Date }, userId: string, except: string | null = null) {
      await store.endSessionsOf(tx, { userId, except, now })
    },

    /** Throws where the person has signed in too long ago to change how to sign in. */
    requireRecent({ createdAt }: store.Session): void {
      if (clock.now().getTime() - createdAt.getTime() > RECENT_MS) throw signInAgain()
    },

    isKnownAddress: (sql: Sql, userId: string, address: string) => store.hasSessionFrom(sql, userId, address),

    deleteOld: () => store.deleteSessionsBefore(db.sql, new Date(clock.now().getTime() - KEPT_MS)),
  }
}

/** Whichever comes first: twelve hours without a request, or seven days. */
function expiryOf({ createdAt, lastSeenAt }: Pick<store.Session, 'createdAt' | 'lastSeenAt'>): Date {
  return new Date(Math.min(lastSeenAt.getTime() + IDLE_MS, createdAt.getTime() + MAX_AGE_SECONDS * 1000))
}

function principalOf(
  { userId, name, roles, companies, createdAt }: store.SessionWithUser,
  lastSeenAt: Date,
): Principal {
  return {
    clientId: `user:${userId}`,
    user: { userId, name },
    scopes: scopesOf(roles),
    companies,
    expiresAt: expiryOf({ createdAt, lastSeenAt }).getTime() / 1000,
  }
}
