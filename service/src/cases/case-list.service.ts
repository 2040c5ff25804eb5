// The operators' list of cases, with filters and orders, and what the overview and the global search need of it.
import { namePrefixOf, wholeKeys } from '../applicants/search-keys.ts'
import type { Companies } from '../companies/companies.service.ts'
import type { Sql } from '../db/database.ts'
import type { PageRequest } from '../db/keyset.ts'
import type { ListPosition } from '../db/ordered-list.ts'
import type { Clock } from '../lib/clock.ts'
import { countrySpellings } from '../lib/countries.ts'
import { minusDays } from '../lib/dates.ts'
import { invalid } from '../lib/problem.ts'
import type { CaseStatus } from './case.ts'
import type { CaseFilters, CaseOrder, CaseSort } from './case-filters.ts'
import type { ListedCase } from './case-list.store.ts'
import * as store from './case-list.store.ts'

export type { ListedCase } from './case-list.store.ts'

export interface CaseQuery {
  q?: string
  /** One status or several, with commas between them. */
  status?: string
  caseType?: string
  hostCountry?: string
  /** Name, code or id. */
  company?: string
  /** `me`, `none` or the id of a user. */
  assignee?: string
  vip?: boolean
  due?: string
  updatedSince?: string
  sort?: string
}

/** The person who asks; undefined for a client. */
interface Asker {
  user?: { userId: string } | undefined
}

/** Cases that are not finished. */
const ACTIVE: CaseStatus[] = ['open', 'pending']
const WEEK = 7

export type CaseList = ReturnType<typeof createCaseList>

interface Options {
  sql: Sql
  clock: Clock
  companies: Pick<Companies, 'findId'>
}

export function createCaseList({ sql, clock, companies }: Options) {
  const today = () => clock.now().toISOString().slice(0, 10)

  /** Undefined where a filter names a company that does not exist for the caller: nothing matches. */
  const filtersOf = async (query: CaseQuery, asker: Asker): Promise<CaseFilters | undefined> => {
    const { q, status, company, assignee, caseType, hostCountry, vip, due, updatedSince } = query
    const assigneeId = assigneeOf(assignee, asker)
    const [companyId, named] = await Promise.all([
      company === undefined ? undefined : companies.findId(company),
      q === undefined ? undefined : namedBy(q),
    ])
    if (company !== undefined && companyId === undefined) return undefined
    return {
      q: named,
      statuses: status?.split(',') as CaseStatus[] | undefined,
      caseType,
      hostCountries: hostCountry === undefined ? undefined : countrySpellings(hostCountry),
      companyId,
      assigneeId,
      vip,
      due: due === undefined ? undefined : daysOf(due, today()),
      updatedSince: updatedSince === undefined ? undefined : new Date(updatedSince),
    }
  }

  const namedBy = async (q: string) => {
    const applicantIds = await store.listApplicantIds(sql, { keys: wholeKeys(q), employeeNumber: q })
    return { ...namePrefixOf(q), applicantIds, caseId: q }
  }

  return {
    today,

    async list(query: CaseQuery, asker: Asker, page: PageRequest<ListPosition>) {
      const filters = await filtersOf(query, asker)
      if (!filters) return { records: [], next: undefined, prev: undefined, total: 0 }
      return store.listCases(sql, { filters, order: orderOf(query) }, page)
    },

    /** For the overview. Each is at most one more than `EXACT_TOTAL`. */
    async counts() {
      const count = (filters: CaseFilters) => store.countCases(sql, filters)
      const [open, pending, overdue, dueThisWeek, unassigned] = await Promise.all([
        count({ statuses: ['open'] }),
        count({ statuses: ['pending'] }),
        count({ due: daysOf('overdue', today()) }),
        count({ due: daysOf(String(WEEK), today()) }),
        count({ statuses: ACTIVE, assigneeId: null }),
      ])
      return { open, pending, overdue, dueThisWeek, unassigned }
    },

    /** How many cases that are not finished each of these people has. Those without any are left out. */
    async countActiveOf(applicantIds: readonly string[]): Promise<Map<string, number>> {
      const rows = await store.countByApplicant(sql, applicantIds, ACTIVE)
      return new Map(rows.map(({ applicantId, count }) => [applicantId, count]))
    },

    async search(q: string, limit: number): Promise<ListedCase[]> {
      return store.searchCases(sql, { q: await namedBy(q), process: q, limit })
    },
  }
}

/** Cases updated since a time may be anywhere in the order of due dates: they are read in the order of updates, by its index. */
function orderOf({
  updatedSince,
  sort = updatedSince === undefined ? 'dueDate' : 'updatedAt',
}: CaseQuery): CaseOrder {
  const descending = sort.startsWith('-')
  return { by: sort.slice(descending ? 1 : 0) as CaseSort, descending }
}

function assigneeOf(assignee: string | undefined, { user }: Asker): string | null | undefined {
  if (assignee === 'none') return null
  if (assignee !== 'me') return assignee
  if (!user)
    throw invalid([
      {
        pointer: '/assignee',
        detail: '`me` is the person who is signed in; a client sends the id of a user.',
      },
    ])
  return user.userId
}

/** The days that a case must be due on: before today, or from today to the given number of days ahead. */
export function daysOf(due: string, today: string): { since: string | undefined; until: string } {
  if (due === 'overdue') return { since: undefined, until: today }
  return { since: today, until: minusDays(today, -Number(due) - 1) }
}
