// A list that is read page by page. Its filters and order are in the address of the screen, so that a list can be shared,
// saved, and found again with the browser's back button.
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { Search } from '../app/router.tsx'
import { filtersOf, type ListSource, listQuery, PAGE_SIZE } from './list-query.ts'

export interface List<T, F extends string = string> {
  name: string
  query: Partial<Record<F, string>>
  /** Whether a filter differs from its default. */
  isFiltered: boolean
  /** Changes filters; an empty or undefined value removes one. */
  setQuery(changes: Partial<Record<F, string | undefined>>): void
  /** Replaces all filters, as a saved view does. */
  replaceQuery(query: Partial<Record<F, string>>): void
  rows: T[]
  /** How many records match; 10,000 means 10,000 or more. */
  total: number | undefined
  isLoading: boolean
  /** Whether the rows are those of an earlier query. */
  isStale: boolean
  error: unknown
  hasMore: boolean
  isLoadingMore: boolean
  /** Why the next page could not be read. It is read again only when the person asks for it. */
  moreError: unknown
  loadMore(): void
  refresh(): void
  /** All records that match, page by page, whether they are loaded or not. */
  all(): AsyncGenerator<T, void, undefined>
}

export function useList<T, F extends string>({
  name,
  filters,
  defaults,
  load,
}: ListSource<T, F>): List<T, F> {
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const query = useMemo(
    () => filtersOf({ filters, ...(defaults && { defaults }) }, search),
    [search, filters, defaults],
  )

  const result = useInfiniteQuery({ ...listQuery({ name, load }, query), placeholderData: keepPreviousData })
  const { data, fetchNextPage, refetch, hasNextPage, isFetchingNextPage } = result
  const rows = useMemo(() => data?.pages.flatMap(page => page.records) ?? [], [data])

  const setQuery = useCallback(
    (changes: Partial<Record<F, string | undefined>>) =>
      // Typing in a filter must not fill the history.
      void navigate({ to: '.', search: ((old: Search) => ({ ...old, ...changes })) as never, replace: true }),
    [navigate],
  )
  const replaceQuery = useCallback(
    (next: Partial<Record<F, string>>) => {
      const cleared = Object.fromEntries(filters.map(filter => [filter, undefined]))
      void navigate({ to: '.', search: ((old: Search) => ({ ...old, ...cleared, ...next })) as never })
    },
    [navigate, filters],
  )

  return {
    name,
    query,
    isFiltered: filters.some(
      filter => (search[filter] ?? '') !== '' && search[filter] !== defaults?.[filter],
    ),
    setQuery,
    replaceQuery,
    rows,
    total: data?.pages[0]?.total,
    isLoading: result.isPending,
    isStale: result.isPlaceholderData,
    error: rows.length === 0 ? result.error : undefined,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    moreError: result.isFetchNextPageError ? result.error : undefined,
    // A refresh that runs goes first.
    loadMore: () => void fetchNextPage({ cancelRefetch: false }),
    refresh: () => void refetch(),
    async *all() {
      const { signal } = new AbortController()
      let cursor: string | undefined
      do {
        const page = await load(
          query,
          { maxRecords: PAGE_SIZE, ...(cursor && { nextCursor: cursor }) },
          signal,
        )
        yield* page?.records ?? []
        cursor = page?.nextCursor ?? undefined
      } while (cursor)
    },
  }
}
