// An HTTP client with kept-alive connections and a timeout. It never throws: every outcome of a request is a value.
import http from 'node:http'

export interface Call {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  body?: unknown
  headers?: Record<string, string>
}

export interface ClientResponse {
  /** 0 when there was no response. */
  status: number
  /**
   * Why there was none: `not sent`, the connection was refused; `cut off`, it closed before the end of the response;
   * `timeout`, the time limit passed.
   */
  missing?: 'not sent' | 'cut off' | 'timeout'
  headers: http.IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: an attack inspects arbitrary responses.
  body: any
  text: string
  milliseconds: number
}

export interface Client {
  call(call: Call): Promise<ClientResponse>
  close(): void
}

/** Sends each request to the current `url()`. A request that takes longer than `limit` milliseconds is a timeout. */
export function createClient(
  url: () => string,
  { token, limit = 10_000 }: { token: string; limit?: number },
) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 })
  const authorization = `Bearer ${token}`
  return {
    call: ({ method = 'GET', path, body, headers }: Call) =>
      new Promise<ClientResponse>(resolve => {
        const began = performance.now()
        const payload = body === undefined ? undefined : JSON.stringify(body)
        const request = http.request(`${url()}${path}`, {
          method,
          agent,
          headers: {
            authorization,
            ...(payload !== undefined && {
              'content-type': 'application/json',
              'content-length': Buffer.byteLength(payload),
            }),
            ...headers,
          },
        })
        const timer = setTimeout(() => end({ missing: 'timeout' }), limit)
        const end = (response: Partial<ClientResponse>) => {
          clearTimeout(timer)
          request.destroy()
          const milliseconds = performance.now() - began
          resolve({ status: 0, headers: {}, body: undefined, text: '', ...response, milliseconds })
        }
        request.on('error', (error: NodeJS.ErrnoException) =>
          end({ missing: error.code === 'ECONNREFUSED' ? 'not sent' : 'cut off' }),
        )
        request.on('response', response => {
          const chunks: Buffer[] = []
          response.on('data', chunk => chunks.push(chunk))
          response.on('error', () => end({ missing: 'cut off' }))
          response.on('close', () => {
            if (!response.complete) return end({ missing: 'cut off' })
            clearTimeout(timer)
            const text = Buffer.concat(chunks).toString()
            const { statusCode: status = 0, headers } = response
            const milliseconds = performance.now() - began
            resolve({ status, headers, body: parsed(text), text, milliseconds })
          })
        })
        request.end(payload)
      }),
    close: () => agent.destroy(),
  } satisfies Client
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
