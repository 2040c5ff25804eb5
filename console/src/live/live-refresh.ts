// Lists, Today and open records are read again when the change feed tells of changes that they show. Loaded after the
// first screen.
import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query'
import { caseport } from '../app/connection.ts'
import { watchBusy } from './busy.ts'
import { isShownBy } from './changed.ts'
import { followChanges } from './follow-changes.ts'
import { watchPresence } from './presence.ts'
import { createRefresher } from './refresher.ts'

const pagesOf = ({ state }: Query): number =>
  (state.data as Partial<InfiniteData<unknown>> | undefined)?.pages?.length ?? 1

/** Returns how to stop. */
export function startLiveRefresh(client: QueryClient): () => void {
  const stopped = new AbortController()
  const presence = watchPresence()
  const busy = watchBusy()
  const shown = () => client.getQueryCache().findAll({ queryKey: ['list'], type: 'active' })
  const refresher = createRefresher({
    isBusy: () => busy.isBusy() || client.isFetching({ queryKey: ['list'] }) > 0,
    pages: () => Math.max(1, ...shown().map(pagesOf)),
    refresh: changed =>
      void client.invalidateQueries({ predicate: ({ queryKey }) => isShownBy(queryKey, changed) }),
  })
  void followChanges({
    caseport,
    ...presence,
    onChanged: changed => refresher.changed(changed),
    signal: stopped.signal,
  })
  return () => {
    stopped.abort()
    presence.stop()
    busy.stop()
    refresher.stop()
  }
}
