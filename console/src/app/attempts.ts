// Keys of requests that create something. The same content is sent with the same key: an attempt may have succeeded
// although its response was lost, and must not be made twice.
import { isCaseportError } from '@caseport/sdk'

export const newKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

/** Whether the service has rejected the request: nothing was stored, and its key gets the same error again. */
export const wasRejected = (error: unknown): boolean =>
  isCaseportError(error) &&
  error.status >= 400 &&
  error.status < 500 &&
  error.code !== 'idempotency-key-in-progress'
