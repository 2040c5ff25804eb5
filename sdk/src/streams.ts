// Responses that are read while they arrive, and that cannot be resumed: a second request would see another state.
import type { CallOptions } from './calls.ts'
import { networkError } from './errors.ts'
import type { Call, Transport } from './transport.ts'

/** The deadline and the retries are for the response to begin. */
export async function openStream(
  transport: Transport,
  call: Call,
  { signal, ...limits }: CallOptions = {},
): Promise<ReadableStream<Uint8Array>> {
  const ended = new AbortController()
  const { body } = await transport.run({ ...limits, signal, repeatable: true }, sending =>
    // The signal of the attempt ends with it, and would not end the transfer.
    transport.send(call, {
      ...sending,
      signal: AbortSignal.any([sending.signal, ended.signal, ...(signal ? [signal] : [])]),
    }),
  )
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read().catch(error => {
          throw signal?.aborted ? signal.reason : networkError(error)
        })
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel(reason) {
        await reader.cancel(reason).catch(() => {})
        ended.abort(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
