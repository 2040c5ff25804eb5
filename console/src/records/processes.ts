import type { components } from '@caseport/sdk'
import { useQuery } from '@tanstack/react-query'
import { caseport } from '../app/connection.ts'

export type Process = components['schemas']['Process']

/** All processes: there are few of them, and they change rarely. */
export function useProcesses(): { processes: Process[] } {
  const { data = [] } = useQuery({
    queryKey: ['processes'],
    queryFn: async ({ signal }) => (await caseport.api.GET('/admin/v1/processes', { signal })).data,
    staleTime: 300_000,
  })
  return { processes: data }
}
