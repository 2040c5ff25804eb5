// The first screen of a page: who is signed in, the code of the screen and what it shows are requested side by side, and the
// shell is drawn once, with all of them. Each step that waited for the one before it would be seen.
import type { QueryClient } from '@tanstack/react-query'
import { prefetchList } from '../list/list-query.ts'
import { companiesQuery, overviewQuery } from '../records/queries.ts'
import { caseList } from '../screens/cases/cases.list.ts'
import { peopleList } from '../screens/people/people.list.ts'
import { servicePath } from './page.ts'
import { parseSearch, router, type Search } from './router.tsx'
import { screenOf } from './screens.ts'
import { isContactOf, type Me, mayAll, meQuery } from './session.tsx'

type Prefetch = (queries: QueryClient, search: Search, me: Me) => void

const PREFETCHES: Partial<Record<string, Prefetch>> = {
  today(queries, _search, me) {
    if (!isContactOf(me)) void queries.prefetchQuery(overviewQuery)
  },
  people(queries, search) {
    void prefetchList(queries, peopleList, search)
    void queries.prefetchQuery(companiesQuery)
  },
  cases(queries, search) {
    void prefetchList(queries, caseList, search)
    void queries.prefetchQuery(companiesQuery)
  },
}

export function loadFirstScreen(queries: QueryClient): void {
  const screen = screenOf(location.pathname.slice(`${servicePath}/console`.length))
  // The router shows what fails.
  const loaded = router.load().catch(() => undefined)
  const queryFn = async () => {
    const me = await meQuery.queryFn()
    if (screen && mayAll(me, screen.scopes))
      PREFETCHES[screen.id]?.(queries, parseSearch(location.search), me)
    await loaded
    return me
  }
  void queries.prefetchQuery({ ...meQuery, queryFn })
}
