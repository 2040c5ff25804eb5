// Sends one event to a receiver: signed, to a checked address, within the time limit.
import { randomBytes } from 'node:crypto'
import { placeOf } from '../db/sealed-columns.ts'
import { SealedValueError, type Sealer } from '../lib/sealing.ts'
import { describeFailure, isTimeout, post } from './post.ts'
import { signedHeaders } from './signature.ts'
import { webhookSecretColumns } from './webhooks.store.ts'

/** Milliseconds for one request. */
export const REQUEST_TIMEOUT_MS = 15_000

export interface OutgoingEvent {
  webhookId: string
  eventId: string
  type: string
  data: Record<string, string | null>
  occurredAt: Date
  traceId: string | null
  url: string
  /** As they are stored. */
  secrets: string[]
}

interface Options {
  sealer: Sealer
  sentAt: Date
  allowPrivate: boolean
  timeoutMs: number
}

export interface Outcome {
  /** Null where there was no response. */
  status: number | null
  error: string | null
  /** The code of the network's error. Only for the operator's log: it tells what is in the inner network. */
  code?: string | undefined
  timedOut: boolean
}

export async function sendEvent(
  { webhookId, eventId, type, data, occurredAt, traceId, url, secrets }: OutgoingEvent,
  { sealer, sentAt, allowPrivate, timeoutMs }: Options,
): Promise<Outcome> {
  const body = JSON.stringify({ type, timestamp: occurredAt.toISOString(), data })
  const place = placeOf(webhookSecretColumns[0], webhookId)
  try {
    const unsealed = secrets.map(stored => sealer.unseal(stored, place))
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Caseport',
      ...signedHeaders({ id: eventId, sentAt, body, secrets: unsealed }),
      ...(traceId && { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` }),
    }
    const status = await post({ url, headers, body, allowPrivate, timeoutMs })
    const redirected = status >= 300 && status < 400
    return { status, error: redirected ? 'A redirect is not followed.' : null, timedOut: false }
  } catch (error) {
    if (error instanceof SealedValueError)
      return { status: null, error: 'Its secret cannot be opened: rotate it.', timedOut: false }
    const { code } = ((error as Error).cause ?? error) as { code?: string }
    return { status: null, error: describeFailure(error, timeoutMs), code, timedOut: isTimeout(error) }
  }
}

export const isSuccess = ({ status }: Outcome) => status !== null && status >= 200 && status < 300
