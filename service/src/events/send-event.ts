// Sends one event to a receiver: signed, to a checked address, within the time limit.
import { randomBytes } from 'node:crypto'
import { describeFailure, isTimeout, post } from './post.ts'
import { signedHeaders } from './signature.ts'

/** Milliseconds for one request. */
export const REQUEST_TIMEOUT_MS = 15_000

export interface OutgoingEvent {
  eventId: string
  type: string
  data: Record<string, string | null>
  occurredAt: Date
  traceId: string | null
  url: string
  secrets: string[]
}

interface Options {
  sentAt: Date
  allowPrivate: boolean
  timeoutMs: number
}

export interface Outcome {
  /** Null where there was no response. */
  status: number | null
  error: string | null
  timedOut: boolean
}

export async function sendEvent(
  { eventId, type, data, occurredAt, traceId, url, secrets }: OutgoingEvent,
  { sentAt, allowPrivate, timeoutMs }: Options,
): Promise<Outcome> {
  const body = JSON.stringify({ type, timestamp: occurredAt.toISOString(), data })
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Caseport',
    ...signedHeaders({ id: eventId, sentAt, body, secrets }),
    ...(traceId && { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` }),
  }
  try {
    const status = await post({ url, headers, body, allowPrivate, timeoutMs })
    const redirected = status >= 300 && status < 400
    return { status, error: redirected ? 'A redirect is not followed.' : null, timedOut: false }
  } catch (error) {
    return { status: null, error: describeFailure(error, timeoutMs), timedOut: isTimeout(error) }
  }
}

export const isSuccess = ({ status }: Outcome) => status !== null && status >= 200 && status < 300
