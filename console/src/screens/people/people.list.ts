// What the list of people reads.
import { caseport } from '../../app/connection.ts'
import type { ListSource } from '../../list/list-query.ts'
import type { Person } from './families.ts'

const FILTERS = ['q', 'company', 'nationality', 'status', 'archived'] as const

export const peopleList: ListSource<Person, (typeof FILTERS)[number]> = {
  name: 'people',
  filters: FILTERS,
  async load({ archived, ...query }, page, signal) {
    const params = {
      query: { ...query, ...page, summary: true, ...(archived === 'true' && { archived: true }) },
    }
    return (await caseport.api.GET('/admin/v1/applicants', { params, signal })).data
  },
}
