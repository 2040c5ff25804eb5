// The change feed as server-sent events. The id of each event is the cursor after it, so that a client that reconnects goes on
// where it was.

import { changeToJson } from './changes.schema.ts'
import type { Change, ChangesPage, FeedPosition } from './changes.service.ts'
import { positionAfter } from './changes.service.ts'

/** Milliseconds in which a stream that has nothing to send sends its position. Proxies close connections that are silent. */
export const HEARTBEAT_MS = 15_000
/** A client reconnects after this. */
const RETRY_MS = 2_000

interface StreamOptions {
  first: ChangesPage
  /** The page after this one. At the end of the feed it waits for changes, at most for the time of a heartbeat. */
  next: (page: ChangesPage) => Promise<ChangesPage>
  /** Audits what is about to be sent. */
  audit: (changes: Change[]) => Promise<void>
  /** Whether the stream has to end: the client, its credentials or the service do. */
  isOver: () => Promise<boolean>
  cursorOf: (position: FeedPosition) => string
}

export async function* changeStream({
  first,
  next,
  audit,
  isOver,
  cursorOf,
}: StreamOptions): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\n`
  for (let page = first; ; page = await next(page)) {
    if (await isOver()) return
    const { changes } = page
    if (changes.length > 0) await audit(changes)
    const events = changes.map(
      change => `id: ${cursorOf(positionAfter(change))}\ndata: ${changeToJson(change)}\n\n`,
    )
    // Also past what the reader does not see. An event without data is not reported to the program of a browser.
    yield `${events.join('')}id: ${cursorOf(page.next)}\n\n`
  }
}
