// What several screens read, or the first one needs before it is loaded.
import { caseport } from '../app/connection.ts'

/** All companies that the person sees: there are few of them, and every list names some. */
export const companiesQuery = {
  queryKey: ['companies'],
  queryFn: async () => (await caseport.api.GET('/admin/v1/companies')).data,
  staleTime: 300_000,
}

export const overviewQuery = {
  queryKey: ['overview'],
  queryFn: ({ signal }: { signal: AbortSignal }) => caseport.overview({ signal }),
}
