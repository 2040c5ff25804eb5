// The operators' list of documents, the list of what expires, and what the overview and the global search need of them.
import type { Sql } from '../db/database.ts'
import type { PageRequest } from '../db/keyset.ts'
import type { ListPosition } from '../db/ordered-list.ts'
import type { Clock } from '../lib/clock.ts'
import { minusDays } from '../lib/dates.ts'
import { invalid } from '../lib/problem.ts'
import { EXPIRING_DAYS, typeOf } from './document.ts'
import * as store from './document-list.store.ts'
import type { Documents } from './documents.service.ts'
import * as expiring from './expiring.store.ts'

export type { NamedDocument } from './document-list.store.ts'
export type { ExpiringRow } from './expiring.store.ts'

export interface DocumentQuery {
  applicantId?: string
  caseId?: string
  status?: string
  type?: string
  countryCode?: string
  expiresFrom?: string
  expiresTo?: string
  hasFile?: boolean
  sort?: string
}

export interface ExpiringQuery {
  kind?: expiring.ExpiringKind
  /** `expired`, or a number of days. */
  within?: string
  expiresFrom?: string
  expiresTo?: string
  /** Name, code or id. */
  company?: string
  sort?: string
}

/** What expires next of a person. */
export interface NextExpiry {
  kind: expiring.ExpiringKind
  /** The id of the document or the passport. */
  itemId: string
  name: string | null
  type: string
  country: string | null
  expiryDate: string
}

/** Days: on or after the first, and before the second. */
interface Days {
  since?: string | undefined
  until?: string | undefined
}

export const DEFAULT_DOCUMENT_SORT = 'expiryDate'

export type DocumentList = ReturnType<typeof createDocumentList>

interface Options {
  sql: Sql
  clock: Clock
  documents: Pick<Documents, 'render'>
  companies: { findId(text: string): Promise<string | undefined> }
}

export function createDocumentList({ sql, clock, documents, companies }: Options) {
  const today = () => clock.now().toISOString().slice(0, 10)
  /** The document as every read returns it, with the name of its applicant. */
  const render = (row: store.NamedDocument) => {
    const { id, json } = documents.render(row)
    const { applicantId, employeeNumber, firstName, lastName } = row
    const applicant = { applicantId, employeeNumber, firstName, lastName }
    return { id, json: `${json.slice(0, -1)},"applicant":${JSON.stringify(applicant)}}` }
  }

  return {
    today,

    async list(query: DocumentQuery, page: PageRequest<ListPosition>) {
      const { status, expiresFrom, expiresTo, sort, ...filters } = query
      const expires = both(daysOfStatus(status, today()), daysFrom(expiresFrom, expiresTo))
      const found = await store.listDocuments(
        sql,
        { filters: { ...filters, expires }, order: orderOf(sort) },
        page,
      )
      return { ...found, records: found.records.map(render) }
    },

    async listExpiring(query: ExpiringQuery, page: PageRequest<ListPosition>) {
      const { kind, within, expiresFrom, expiresTo, company, sort } = query
      const companyId = company === undefined ? undefined : await companies.findId(company)
      if (company !== undefined && companyId === undefined)
        return { records: [], next: undefined, prev: undefined, total: 0 }
      const filters = {
        kinds: kind ? [kind] : expiring.EXPIRING_KINDS,
        companyId,
        ...both(daysWithin(within, today()), daysFrom(expiresFrom, expiresTo)),
      }
      return expiring.listExpiring(sql, { filters, descending: sort?.startsWith('-') ?? false }, page)
    },

    /** For the overview. Each is at most one more than `EXACT_TOTAL`. */
    async countExpiring() {
      const count = (within: string) =>
        expiring.countExpiring(sql, { kinds: expiring.EXPIRING_KINDS, ...daysWithin(within, today()) })
      const [expired, in7, in30, in60, in90] = await Promise.all([
        count('expired'),
        count('7'),
        count('30'),
        count('60'),
        count('90'),
      ])
      return { expired, in7, in30, in60, in90 }
    },

    /** By person, soonest first; a person without anything that expires is not in it. */
    async nextExpiries(applicantIds: readonly string[]): Promise<Map<string, NextExpiry[]>> {
      const rows = await expiring.listNextExpiries(sql, applicantIds, today())
      const byPerson = Map.groupBy(rows, ({ applicantId }) => applicantId)
      return new Map([...byPerson].map(([id, list]) => [id, list.map(nextExpiryOf)]))
    },

    async search(q: string, limit: number) {
      return (await store.searchDocuments(sql, q, limit)).map(render)
    },
  }
}

function nextExpiryOf({ applicantId: _id, caseId, ...row }: expiring.NextExpiryRow): NextExpiry {
  return { ...row, type: row.kind === 'passport' ? 'Passport' : typeOf({ type: row.type, caseId }) }
}

function orderOf(sort: string = DEFAULT_DOCUMENT_SORT) {
  const descending = sort.startsWith('-')
  return { by: sort.slice(descending ? 1 : 0) as store.DocumentSort, descending }
}

const after = (day: string, days: number) => minusDays(day, -days)

/** The expiry dates of documents with this status today, as document.ts decides it. */
export function daysOfStatus(status: string | undefined, today: string): Days {
  if (status === 'expired') return { until: today }
  if (status === 'expiring') return { since: today, until: after(today, EXPIRING_DAYS + 1) }
  return status === 'active' ? { since: after(today, EXPIRING_DAYS + 1) } : {}
}

/** From today to this many days ahead, or before today. */
export function daysWithin(within: string | undefined, today: string): Days {
  if (within === undefined) return {}
  return within === 'expired' ? { until: today } : { since: today, until: after(today, Number(within) + 1) }
}

/** Days of the client, both included. */
function daysFrom(expiresFrom: string | undefined, expiresTo: string | undefined): Days {
  if (expiresFrom !== undefined && expiresTo !== undefined && expiresTo < expiresFrom)
    throw invalid([{ pointer: '/expiresTo', detail: 'Must not be before expiresFrom.' }])
  // A document that never expires has no date, so it is in no range.
  const until = expiresTo === undefined ? expiresFrom && 'infinity' : dayAfter(expiresTo)
  return { since: expiresFrom, until }
}

/** The last day with a year of four digits has no next one. */
const dayAfter = (day: string) => (day === '9999-12-31' ? '10000-01-01' : after(day, 1))

/** ISO days sort as text; a fifth digit of the year and `infinity` come last. */
const rank = (day: string) => (/^\d{4}-/.test(day) ? day : day === 'infinity' ? '~2' : '~1')

function both(a: Days, b: Days): Days {
  const pick = (days: (string | undefined)[], last: boolean) => {
    const given = days.filter(day => day !== undefined).sort((x, y) => (rank(x) < rank(y) ? -1 : 1))
    return last ? given.at(-1) : given[0]
  }
  return { since: pick([a.since, b.since], true), until: pick([a.until, b.until], false) }
}
