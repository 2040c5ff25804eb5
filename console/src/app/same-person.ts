// One browser has one session: a person who signs in in another tab is signed in here, too. This tab must not act for that
// person with what it shows of the one before.
import { connection, signInClient } from './connection.ts'
import { leavePage } from './leave-page.ts'
import { servicePath } from './page.ts'
import type { Me } from './session.tsx'

const channel = new BroadcastChannel(`caseport-person-${servicePath}`)

/** Leaves the page for that of the person who is signed in. */
export function leaveForOther(): void {
  connection.close()
  leavePage()
}

/** Tells the other tabs who is signed in, and watches whether it becomes another person. Returns how to stop. */
export function watchPerson({ userId }: Me): () => void {
  const stopped = new AbortController()
  const { signal } = stopped
  const compare = (current: Me['userId']) => {
    if (!signal.aborted && current !== userId) leaveForOther()
  }
  channel.addEventListener('message', ({ data }) => compare(data as Me['userId']), { signal })
  // Signing in at an issuer, or at the pages of the service, tells no tab.
  const look = () =>
    void signInClient.api.GET('/admin/v1/me', { signal }).then(
      ({ data }) => data && compare(data.userId),
      () => undefined,
    )
  window.addEventListener('focus', look, { signal })
  channel.postMessage(userId)
  return () => stopped.abort()
}
