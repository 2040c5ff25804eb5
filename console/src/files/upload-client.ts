import { createCaseport, isCaseportError } from '@caseport/sdk'
import { connection } from '../app/connection.ts'
import { servicePath } from '../app/page.ts'

/**
 * A client that sends with XMLHttpRequest, because only that tells the progress of an upload. It does not wait for a new
 * session by itself: `untilSent` does.
 */
export const uploadClient = createCaseport({
  baseUrl: `${location.origin}${servicePath}`,
  auth: { kind: 'cookie' },
  retries: 3,
})

/** Where the session has ended, the person is asked to sign in, and it is sent again. */
export async function untilSent<T>(send: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await send()
    } catch (error) {
      if (!isCaseportError(error) || error.status !== 401) throw error
      await connection.untilSignedIn(signal)
    }
  }
}
