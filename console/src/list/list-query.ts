// What a list reads, apart from its screen: the first page can be requested before the screen is loaded.
import type { QueryClient } from '@tanstack/react-query'

export interface ListPage<T> {
  records: T[]
  nextCursor: string | null
  total?: number
}

export interface PageRequest {
  nextCursor?: string
  maxRecords: number
}

export interface ListSource<T, F extends string> {
  /** The name of the list in the cache, such as `people`. */
  name: string
  /** The parameters of the address that the list reads. */
  filters: readonly F[]
  /** Values of filters that the address leaves out. */
  defaults?: Partial<Record<F, string>>
  load(
    query: Partial<Record<F, string>>,
    page: PageRequest,
    signal: AbortSignal,
  ): Promise<ListPage<T> | undefined>
}

export const PAGE_SIZE = 100
/** What a screen shows, and a little more: people wait for this page. */
const FIRST_PAGE_SIZE = 60

/** The filters of a list, from the parameters of an address. */
export function filtersOf<F extends string>(
  { filters, defaults }: Pick<ListSource<unknown, F>, 'filters' | 'defaults'>,
  search: Record<string, string>,
): Partial<Record<F, string>> {
  const entries = filters.flatMap(filter => {
    const value = search[filter] ?? defaults?.[filter]
    return value ? [[filter, value] as const] : []
  })
  return Object.fromEntries(entries) as Partial<Record<F, string>>
}

export const listQuery = <T, F extends string>(
  { name, load }: Pick<ListSource<T, F>, 'name' | 'load'>,
  query: Partial<Record<F, string>>,
) => ({
  queryKey: ['list', name, query],
  queryFn: async ({ pageParam, signal }: { pageParam: string | undefined; signal: AbortSignal }) => {
    const page =
      pageParam === undefined
        ? { maxRecords: FIRST_PAGE_SIZE }
        : { maxRecords: PAGE_SIZE, nextCursor: pageParam }
    return (await load(query, page, signal)) ?? { records: [], nextCursor: null }
  },
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page: ListPage<T>) => page.nextCursor ?? undefined,
})

export const prefetchList = <T, F extends string>(
  queries: QueryClient,
  source: ListSource<T, F>,
  search: Record<string, string>,
): Promise<void> => queries.prefetchInfiniteQuery(listQuery(source, filtersOf(source, search)))
