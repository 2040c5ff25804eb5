// Sends requests with authentication, retries and a deadline, and throws a CaseportError for every failure.
import type { Authenticator } from './auth.ts'
import { errorOf, isCaseportError, throwNetworkError } from './errors.ts'
import { type Attempt, type Limits, Unsent, withRetries } from './retry.ts'

export interface Sending extends Attempt {
  /** The Authorization header, if there is one. */
  authorization: string | undefined
}

export interface Call {
  method: string
  url: string
  headers: Headers
  body?: BodyInit | undefined
}

export type Transport = ReturnType<typeof createTransport>

/** Codes of records that do not exist. */
const GONE = /(?<!^route)-not-found$/
/** Whether the service runs can be seen without valid credentials. */
const OPEN = /\/(health|ready)z$/

interface Options {
  fetch: typeof globalThis.fetch
  auth: Authenticator
  defaults: { deadline: number; retries: number }
}

/**
 * Whether the call may be sent again when it is not known what became of it. A write with a precondition may not: if the
 * first attempt took effect, the second would report a conflict with it.
 */
export function isRepeatable(method: string, headers: Headers): boolean {
  if (method === 'POST') return headers.has('idempotency-key')
  if (method === 'GET' || method === 'HEAD') return true
  return !headers.has('if-match') && !headers.has('if-none-match')
}

export function createTransport({ fetch, auth, defaults }: Options) {
  const authorization = (signal: AbortSignal) =>
    auth.authorization(signal).catch(error => {
      throw new Unsent(error)
    })

  /** Runs an attempt with the caller's credentials; again with new ones if they are rejected. */
  const authorized = async <T>(
    attempt: Attempt,
    once: boolean,
    send: (sending: Sending) => Promise<T>,
  ): Promise<T> => {
    const first = await authorization(attempt.signal)
    try {
      return await send({ ...attempt, authorization: first })
    } catch (error) {
      if (!isCaseportError(error, 'invalid-token') || !auth.renew(first) || once) throw error
      return send({ ...attempt, authorization: await authorization(attempt.signal) })
    }
  }

  const transport = {
    credentials: auth.credentials,

    /** `once`: the request cannot be sent a second time, for whatever reason. `open`: it needs no token. */
    run: <T>(
      {
        once = false,
        open,
        ...limits
      }: Partial<Limits> & { repeatable: boolean; once?: boolean; open?: boolean },
      send: (sending: Sending) => Promise<T>,
    ): Promise<T> =>
      withRetries({ ...defaults, ...limits, once }, attempt =>
        open ? send({ ...attempt, authorization: undefined }) : authorized(attempt, once, send),
      ),

    /** One request, up to the headers of its response. Throws unless the status is a success, or 304. */
    async send({ method, url, headers, body }: Call, { signal, authorization }: Sending): Promise<Response> {
      const sent = new Headers(headers)
      if (authorization !== undefined) sent.set('authorization', authorization)
      const response = await fetch(url, {
        method,
        headers: sent,
        signal,
        credentials: auth.credentials,
        redirect: 'manual',
        body,
        // Node sends a stream only if told that it need not read the response meanwhile.
        duplex: 'half',
      } as RequestInit).catch(throwNetworkError)
      if (response.ok || response.status === 304) return response
      throw errorOf(response, await response.text().catch(() => ''))
    },

    /** Sends a request and reads its response, so that a connection that breaks in between is retried too. */
    async exchange(request: Request, limits: Partial<Limits> = {}): Promise<Response> {
      const { method, url, headers, signal } = request
      const bytes = await request.arrayBuffer()
      const call = { method, url, headers, body: bytes.byteLength ? bytes : undefined }
      return transport.run(
        { signal, ...limits, repeatable: isRepeatable(method, headers), open: OPEN.test(url) },
        async sending => {
          try {
            return await buffered(await transport.send(call, sending))
          } catch (error) {
            // What an earlier attempt deleted is gone. A 404 of a proxy says nothing about that.
            if (method === 'DELETE' && sending.uncertain && isCaseportError(error) && GONE.test(error.code))
              return new Response(null, { status: 204 })
            throw error
          }
        },
      )
    },
  }
  return transport
}

/** The response with the whole of its body. */
export async function buffered(response: Response): Promise<Response> {
  const { status, statusText } = response
  const bytes = await response.arrayBuffer().catch(throwNetworkError)
  const headers = new Headers(response.headers)
  // They describe the bytes on the wire, which are decoded here.
  headers.delete('content-encoding')
  headers.delete('content-length')
  return new Response(bytes.byteLength ? bytes : null, { status, statusText, headers })
}
