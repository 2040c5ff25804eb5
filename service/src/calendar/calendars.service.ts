// The calendar of a person: what is assigned to the person and due, and what expires of the people concerned. Its address
// contains a random token, because calendar programs send no cookie.
import { createHash } from 'node:crypto'
import { runAs } from '../db/caller.ts'
import type { Sql } from '../db/database.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import { minusDays } from '../lib/dates.ts'
import { createLimiter, tooManyRequests } from '../lib/limiter.ts'
import type { Principal } from '../lib/principal.ts'
import { declareProblem } from '../lib/problem.ts'
import { scopesOf } from '../lib/roles.ts'
import type { Scope } from '../lib/scopes.ts'
import { hashToken, newToken } from '../lib/tokens.ts'
import { ONE_PROCESS, type WorkerBus } from '../lib/worker-bus.ts'
import type { Calendar, Entry, Subscriber } from './calendars.store.ts'
import * as store from './calendars.store.ts'
import { type CalendarEvent, calendarOf, initialsOf } from './ical.ts'

export const personRequired = declareProblem({
  code: 'person-required',
  status: 422,
  title: 'The caller is a client, and only people have a calendar.',
  remedy: 'Sign in at /sign-in and send the cookie instead of a token.',
})
export const calendarNotFound = declareProblem({
  code: 'calendar-not-found',
  status: 404,
  title: 'There is no such calendar.',
  remedy: 'Get a new address with POST /admin/v1/me/calendar. An address ends when it is renewed or deleted.',
})

const DAYS_BACK = 90
const DAYS_AHEAD = 366
const MAX_OF_A_KIND = 500
/** Reads of one calendar in five minutes. */
const READS = { limit: 60, windowSeconds: 300 }

interface Parts {
  /** What the caller may see. */
  sql: Sql
  /** A reader of a calendar is known by its token only. */
  unlimited: Sql
  clock: Clock
  bus?: WorkerBus
}

export interface RenderedCalendar {
  text: string
  etag: string
  principal: Principal
  /** The records that it shows. */
  ids: string[]
}

export type Calendars = ReturnType<typeof createCalendars>

export function createCalendars({ sql, unlimited, clock, bus = ONE_PROCESS }: Parts) {
  const shared = bus.counts('calendars')
  const limiter = createLimiter({ ...READS, now: () => clock.now().getTime(), shared })

  return {
    async get(userId: string): Promise<Calendar> {
      const calendar = await store.findCalendar(sql, userId)
      if (!calendar) throw calendarNotFound()
      return calendar
    },

    /** Makes a new address; the former one ends. */
    async create(unit: UnitOfWork, userId: string): Promise<{ token: string }> {
      const token = newToken()
      await store.upsertCalendar(unit.tx, { userId, tokenHash: hashToken(token), now: unit.now })
      unit.audit({ action: 'calendar.create', recordId: userId })
      return { token }
    },

    async remove(unit: UnitOfWork, userId: string): Promise<void> {
      if (!(await store.deleteCalendar(unit.tx, userId))) throw calendarNotFound()
      unit.audit({ action: 'calendar.delete', recordId: userId })
    },

    /** For a person whose ways to sign in are removed. */
    removeOf: (unit: UnitOfWork, userId: string) => store.deleteCalendar(unit.tx, userId),

    /** The calendar of this token, with what its person may see now. */
    async render(token: string): Promise<RenderedCalendar> {
      const subscriber = await store.findSubscriber(unlimited, hashToken(token))
      if (!subscriber) throw calendarNotFound()
      const principal = principalOf(subscriber, clock.now())
      if (!limiter.count(subscriber.userId))
        throw tooManyRequests('A calendar may be read every five seconds.', {
          headers: { 'retry-after': String(Math.max(1, limiter.blockedFor(subscriber.userId))) },
        })
      const entries = await runAs(subscriber.companies, () => list(subscriber.userId, principal.scopes))
      const text = calendarOf('Caseport', entries)
      const etag = `"${createHash('sha256').update(text).digest('base64url')}"`
      return { text, etag, principal, ids: entries.map(({ recordId }) => recordId) }
    },
  }

  async function list(
    userId: string,
    scopes: ReadonlySet<string>,
  ): Promise<(CalendarEvent & { recordId: string })[]> {
    const today = clock.now().toISOString().slice(0, 10)
    const range = {
      userId,
      from: minusDays(today, DAYS_BACK),
      to: minusDays(today, -DAYS_AHEAD),
      limit: MAX_OF_A_KIND,
    }
    const may = (scope: Scope) => scopes.has('desk:read') && scopes.has(scope)
    const [steps, cases, documents, passports] = await Promise.all([
      may('cases:read') ? store.listDueSteps(sql, range) : [],
      may('cases:read') ? store.listDueCases(sql, range) : [],
      may('documents:read') ? store.listExpiringDocuments(sql, range) : [],
      may('applicants:read') ? store.listExpiringPassports(sql, range) : [],
    ])
    return [
      ...steps.map(step => ({
        ...eventOf('step', step, `Step due: ${step.name}`, `Case ${step.caseId}`),
        recordId: step.caseId,
      })),
      ...cases.map(one => ({ ...eventOf('case', one, 'Case due', `Case ${one.id}`), recordId: one.id })),
      ...documents.map(one => ({
        ...eventOf('document', one, 'Document expires', `Document ${one.id}`),
        recordId: one.id,
      })),
      ...passports.map(one => ({
        ...eventOf('passport', one, 'Passport expires', `Passport ${one.id}`),
        recordId: one.applicantId,
      })),
    ]
  }
}

/** Names no person: a calendar lies on devices and servers that we do not know. */
function eventOf(kind: string, entry: Entry, title: string, description: string): CalendarEvent {
  const { id, day, firstName, lastName, changedAt } = entry
  return {
    uid: `${kind}-${id}@caseport`,
    day,
    summary: `${title} (${initialsOf(firstName, lastName)})`,
    description,
    changedAt,
  }
}

const principalOf = ({ userId, name, roles, companies }: Subscriber, now: Date): Principal => ({
  clientId: `user:${userId}`,
  user: { userId, name },
  scopes: scopesOf(roles),
  companies,
  expiresAt: now.getTime() / 1000 + 60,
})
