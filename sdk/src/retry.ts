// When a call is repeated, and after how long. The whole call has a deadline, its retries included.
import { CaseportError } from './errors.ts'

export interface Limits {
  signal?: AbortSignal | undefined
  /** Milliseconds for the whole call, retries included; 0 is no limit. */
  deadline: number
  /** How often a failed attempt is repeated. */
  retries: number
}

/** Goes on for as long as it takes until the service responds again. */
export const PATIENT = { deadline: 0, retries: Infinity }

export interface Attempt {
  signal: AbortSignal
  /** Whether an earlier attempt may have had its effect although it failed. */
  uncertain: boolean
}

/** Thrown in an attempt for an error from before the request was sent: whatever the call is, it may be repeated. */
export class Unsent {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

const BASE_DELAY_MS = 200
const MAX_DELAY_MS = 20_000
/** A proxy may ask for days. */
const MAX_RETRY_AFTER_MS = 3_600_000
/** A timer that is longer ends at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Transient states of the service or of a proxy. 500 is one of them: the service asks to retry it. */
const TRANSIENT_STATUS = [408, 500, 502, 503, 504]
/** Not transient, although its status is. */
const FINAL_CODE = 'file-damaged'
/** The service has done nothing, so that even a call that must not be repeated can be sent again. */
const UNTOUCHED_CODES = ['too-busy', 'idempotency-key-in-progress']

/** Whether nothing was changed by the call that failed like this. */
const wasUntouched = ({ code, status }: CaseportError) => status === 429 || UNTOUCHED_CODES.includes(code)

/** `repeatable`: sending the call twice has the effect of sending it once. */
export function mayRetry(error: CaseportError, repeatable: boolean): boolean {
  if (error.code === FINAL_CODE) return false
  if (wasUntouched(error)) return true
  return repeatable && (error.code === 'network-error' || TRANSIENT_STATUS.includes(error.status))
}

/** Milliseconds: exponential with full jitter, and not less than the service asks for, up to an hour. `failures` starts at 1. */
export function delayAfter(failures: number, retryAfter = 0, random: () => number = Math.random): number {
  const ceiling = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (failures - 1))
  return Math.min(MAX_RETRY_AFTER_MS, retryAfter * 1000) + random() * ceiling
}

/** Runs `attempt` until it succeeds, fails for good, or a limit is reached. `once`: the request can be sent only once. */
export async function withRetries<T>(
  { repeatable, once = false, ...limits }: Limits & { repeatable: boolean; once?: boolean },
  attempt: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const stop = stopSignal(limits)
  let uncertain = false
  let last: CaseportError | undefined
  try {
    for (let failures = 1; ; failures++) {
      try {
        return await attempt({ signal: stop.signal, uncertain })
      } catch (thrown) {
        const unsent = thrown instanceof Unsent
        const error = unsent ? thrown.error : thrown
        if (stop.signal.aborted || !(error instanceof CaseportError)) throw error
        const wait = delayAfter(failures, error.retryAfter)
        const isFinal = (once && !unsent) || !mayRetry(error, unsent || repeatable)
        if (failures > limits.retries || isFinal || Date.now() + wait > stop.ends) throw error
        uncertain ||= !unsent && !wasUntouched(error)
        last = error
        await sleep(wait, stop.signal)
      }
    }
  } catch (error) {
    if (limits.signal?.aborted) throw limits.signal.reason
    if (stop.signal.aborted) {
      const earlier = last ? ` The last error was: ${last.message}` : ''
      const detail = `The call did not finish within ${limits.deadline} ms.${earlier}`
      throw new CaseportError('deadline-exceeded', { detail, cause: last })
    }
    throw error
  } finally {
    stop.release()
  }
}

/** Aborts with the caller's signal or at the deadline. AbortSignal.any would keep a listener on a long-lived signal. */
function stopSignal({ signal, deadline }: Limits) {
  const controller = new AbortController()
  const release = onAbort(signal, reason => controller.abort(reason))
  const limit = deadline || Infinity
  const timer = limit > MAX_TIMER_MS ? undefined : setTimeout(() => controller.abort(), limit)
  return {
    signal: controller.signal,
    ends: Date.now() + limit,
    release() {
      clearTimeout(timer)
      release()
    },
  }
}

/** Calls back when the signal is aborted, or at once if it is already. Returns what ends the listening. */
export function onAbort(signal: AbortSignal | undefined, abort: (reason: unknown) => void): () => void {
  const listener = () => abort(signal?.reason)
  if (signal?.aborted) listener()
  signal?.addEventListener('abort', listener)
  return () => signal?.removeEventListener('abort', listener)
}

export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      release()
      resolve()
    }, ms)
    const release = onAbort(signal, reason => {
      clearTimeout(timer)
      reject(reason)
    })
  })
}
