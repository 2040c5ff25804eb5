// Keys of requests that create something. The same content is sent with the same key: an attempt may have succeeded
// although its response was lost, and must not be made twice.
import { isCaseportError } from '@caseport/sdk'
import { useRef } from 'react'

export const newKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

/** Whether the service has rejected the request: nothing was stored, and its key gets the same error again. */
export const wasRejected = (error: unknown): boolean =>
  isCaseportError(error) &&
  error.status >= 400 &&
  error.status < 500 &&
  error.code !== 'idempotency-key-in-progress'

/**
 * For a form that creates a record: `attempt(body, idempotencyKey => …)` sends the body with the key of the attempt before if
 * that had the same body and may have succeeded, otherwise with a new one.
 */
export function useAttempts() {
  const last = useRef({ content: '', key: '' })
  return async <Result>(
    body: unknown,
    send: (idempotencyKey: string) => Promise<Result>,
  ): Promise<Result> => {
    const content = JSON.stringify(body)
    if (content !== last.current.content) last.current = { content, key: newKey() }
    try {
      return await send(last.current.key)
    } catch (error) {
      if (wasRejected(error)) last.current = { content: '', key: '' }
      throw error
    }
  }
}
