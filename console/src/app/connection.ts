// The client of the API, and what the console knows about its connection: whether the service responds, and whether the
// session has ended. A call that meets an ended session waits until the person has signed in again, and is sent again, so
// that nothing that was typed is lost.
import { createCaseport } from '@caseport/sdk'
import { servicePath } from './page.ts'

export interface Connection {
  isOnline: boolean
  /** Whether the session has ended while the console was open. */
  hasSessionEnded: boolean
}

type Listener = () => void

let state: Connection = { isOnline: true, hasSessionEnded: false }
const listeners = new Set<Listener>()
let waiting: (() => void)[] = []
let isSignedIn = false
const closed = new AbortController()

function update(change: Partial<Connection>): void {
  const next = { ...state, ...change }
  if (next.isOnline === state.isOnline && next.hasSessionEnded === state.hasSessionEnded) return
  state = next
  for (const listener of listeners) listener()
}

export const connection = {
  subscribe(listener: Listener) {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
  current: () => state,

  /** From now on a response that asks to sign in means that the session has ended. */
  signedIn() {
    isSignedIn = true
    update({ hasSessionEnded: false })
    const calls = waiting
    waiting = []
    for (const resume of calls) resume()
  },
  signedOut() {
    isSignedIn = false
  },
  /** Nothing is sent any more: the page is left for that of another person. */
  close: () => closed.abort(new DOMException('Another person has signed in.', 'AbortError')),
  /** Asks the person to sign in again, and waits for it. */
  untilSignedIn: (signal?: AbortSignal) => untilSignedIn(signal),
}

const SESSION_CODES = new Set(['session-required', 'token-required', 'invalid-token'])

async function asksToSignIn(response: Response): Promise<boolean> {
  if (response.status !== 401 || !isSignedIn) return false
  const problem: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  return SESSION_CODES.has((problem as { code?: string } | undefined)?.code ?? '')
}

function untilSignedIn(signal: AbortSignal | null | undefined): Promise<void> {
  update({ hasSessionEnded: true })
  return new Promise((resolve, reject) => {
    waiting.push(resolve)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** `fetch` that notes failures of the network, and outlasts the end of a session. */
export async function observedFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  for (;;) {
    closed.signal.throwIfAborted()
    let response: Response
    try {
      response = await globalThis.fetch(input, init)
    } catch (error) {
      if (!init?.signal?.aborted) update({ isOnline: false })
      throw error
    }
    update({ isOnline: response.status !== 502 && response.status !== 503 && response.status !== 504 })
    const canRepeat = !(input instanceof Request) && !(init?.body instanceof ReadableStream)
    if (!canRepeat || !(await asksToSignIn(response))) return response
    await untilSignedIn(init?.signal)
  }
}

/** A service that restarts is back within seconds; calls wait for it. There is no deadline: see `observedFetch`. */
const LIMITS = { deadline: 0, retries: 7 }

const baseUrl = `${location.origin}${servicePath}`

export const caseport = createCaseport({ baseUrl, auth: { kind: 'cookie' }, fetch: observedFetch, ...LIMITS })

/** For signing in: errors are shown at once, and 401 means wrong credentials. */
export const signInClient = createCaseport({ baseUrl, auth: { kind: 'cookie' }, retries: 1 })
