// The first screen of a page: who is signed in, the code of the screen and what it shows are requested side by side, and the
// shell is drawn once, with all of them. Each step that waited for the one before it would be seen.
import type { QueryClient } from '@tanstack/react-query'
import { prefetchList } from '../list/list-query.ts'
import { companiesQuery, overviewQuery } from '../records/queries.ts'
import { caseList } from '../screens/cases/cases.list.ts'
import { peopleList } from '../screens/people/people.list.ts'
import { pageScopes, servicePath } from './page.ts'
import { parseSearch, router, type Search } from './router.tsx'
import { screenOf } from './screens.ts'
import { isContactOf, mayAll, meQuery } from './session.tsx'

type Prefetch = (queries: QueryClient, search: Search) => Promise<unknown>

const PREFETCHES: Partial<Record<string, Prefetch>> = {
  people: (queries, search) =>
    Promise.all([prefetchList(queries, peopleList, search), queries.prefetchQuery(companiesQuery)]),
  cases: (queries, search) =>
    Promise.all([prefetchList(queries, caseList, search), queries.prefetchQuery(companiesQuery)]),
}

/** Ends when all of it is there, or has failed. */
export async function loadFirstScreen(queries: QueryClient): Promise<void> {
  const screen = screenOf(location.pathname.slice(`${servicePath}/console`.length))
  // The router shows what fails.
  const loaded = router.load().catch(() => undefined)
  const content =
    screen && mayAll({ scopes: pageScopes }, screen.scopes)
      ? PREFETCHES[screen.id]?.(queries, parseSearch(location.search))
      : undefined
  let overview: Promise<unknown> | undefined
  const queryFn = async () => {
    const me = await meQuery.queryFn()
    // A contact of one company sees another first screen.
    if (screen?.id === 'today' && mayAll(me, screen.scopes) && !isContactOf(me))
      overview = queries.prefetchQuery(overviewQuery)
    await loaded
    return me
  }
  await queries.prefetchQuery({ ...meQuery, queryFn })
  await Promise.all([content, overview])
}
