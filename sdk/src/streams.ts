// Responses that are read while they arrive, and that cannot be resumed: a second request would see another state.
import type { CallOptions } from './calls.ts'
import { networkError } from './errors.ts'
import type { Call, Transport } from './transport.ts'

/** The deadline and the retries are for the response to begin. */
export async function openStream(
  transport: Transport,
  call: Call,
  options?: CallOptions,
): Promise<ReadableStream<Uint8Array>> {
  return (await openResponse(transport, call, options)).body as ReadableStream<Uint8Array>
}

/** The deadline and the retries are for `begin`: by default, for the response to begin. */
export async function openResponse(
  transport: Transport,
  call: Call,
  { signal, ...limits }: CallOptions = {},
  begin = async (response: Response) => response,
): Promise<Response> {
  const ended = new AbortController()
  const response = await transport.run({ ...limits, signal, repeatable: true }, async sending =>
    // The signal of the attempt ends with it, and would not end the transfer.
    begin(
      await transport.send(call, {
        ...sending,
        signal: AbortSignal.any([sending.signal, ended.signal, ...(signal ? [signal] : [])]),
      }),
    ),
  )
  const { status, statusText, headers, body } = response
  const reader = body?.getReader()
  const stream =
    reader &&
    new ReadableStream<Uint8Array<ArrayBuffer>>(
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
  return new Response(stream ?? null, { status, statusText, headers })
}
