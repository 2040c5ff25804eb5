// What the list of cases reads.
import type { components } from '@caseport/sdk'
import { caseport } from '../../app/connection.ts'
import type { ListSource } from '../../list/list-query.ts'

export type ListedCase = components['schemas']['ListedCase']

const CASE_FILTERS = [
  'q',
  'status',
  'caseType',
  'hostCountry',
  'company',
  'assignee',
  'vip',
  'due',
  'sort',
] as const
export type CaseFilter = (typeof CASE_FILTERS)[number]

/** Closed cases are shown when they are asked for. */
export const CASE_DEFAULTS = { status: 'open,pending' } as const
export const ALL_STATUSES = 'open,pending,closed'

export const caseList: ListSource<ListedCase, CaseFilter> = {
  name: 'cases',
  filters: CASE_FILTERS,
  defaults: CASE_DEFAULTS,
  async load({ vip, ...query }, page, signal) {
    const params = { query: { ...query, ...(vip && { vip: vip === 'true' }), ...page } as never }
    return (await caseport.api.GET('/admin/v1/cases', { params, signal })).data
  },
}
