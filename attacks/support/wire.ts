// HTTP/1.1 on a plain socket, to send what no HTTP client would send.
import { connect, type Socket } from 'node:net'

export interface RawResponse {
  status: number
  headers: Headers
  bytes: Buffer
}

export interface Exchange {
  bytes: Buffer
  /** A response to HEAD has no body, whatever its headers say. */
  method: string
  /** Half-closes the connection after so many milliseconds, for requests that may announce more bytes than they send. */
  halfCloseAfter?: number
}

export interface Wire {
  /** The response, or why there was none: `closed` or `timeout`. */
  exchange(exchange: Exchange): Promise<RawResponse | 'closed' | 'timeout'>
  close(): void
}

const TIMEOUT_MS = 40_000

/** Uses one connection at a time, and reuses it while the server keeps it open. */
export function openWire(port: number): Wire {
  let socket: Socket | undefined

  return {
    exchange({ bytes, method, halfCloseAfter }) {
      const fresh = socket === undefined || socket.destroyed || !socket.writable
      if (fresh) socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      const current = socket as Socket
      return new Promise(resolve => {
        let received = Buffer.alloc(0)
        const finish = (result: RawResponse | 'closed' | 'timeout', keep = false) => {
          clearTimeout(timer)
          clearTimeout(halfClose)
          current.removeAllListeners()
          current.on('error', () => {})
          if (!keep || current.writableEnded) {
            current.destroy()
            socket = undefined
          }
          resolve(result)
        }
        const timer = setTimeout(() => finish('timeout'), TIMEOUT_MS)
        const halfClose =
          halfCloseAfter === undefined ? undefined : setTimeout(() => current.end(), halfCloseAfter)
        const read = (ended: boolean) => {
          const response = parse(received, method, ended)
          if (response) finish(response, !ended && !/close/i.test(response.headers.get('connection') ?? ''))
          else if (ended) finish('closed')
        }
        current.on('data', data => {
          received = received.length === 0 ? data : Buffer.concat([received, data])
          read(false)
        })
        current.on('end', () => read(true))
        // A reset may follow the response, so that the received bytes are still parsed.
        current.on('error', () => read(true))
        current.on('close', () => read(true))
        current.write(bytes)
      })
    },
    close: () => socket?.destroy(),
  }
}

function parse(received: Buffer, method: string, ended: boolean): RawResponse | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [line = '', ...fields] = received.toString('latin1', 0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1])
  const rest = received.subarray(end + 4)
  if (status >= 100 && status < 200) return parse(rest, method, ended)
  const headers = new Headers(fields.map(field => pair(field)))
  const response = (bytes: Buffer): RawResponse => ({ status, headers, bytes })
  if (method === 'HEAD' || status === 204 || status === 304) return response(Buffer.alloc(0))
  if (headers.get('transfer-encoding') === 'chunked') {
    const bytes = unchunked(rest)
    return bytes && response(bytes)
  }
  const length = headers.get('content-length')
  if (length === null) return ended ? response(rest) : undefined
  return rest.length >= Number(length) ? response(rest.subarray(0, Number(length))) : undefined
}

function pair(field: string): [string, string] {
  const colon = field.indexOf(':')
  return [field.slice(0, colon), field.slice(colon + 1).trim()]
}

function unchunked(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at)
    if (line < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    const begin = line + 2
    if (bytes.length < begin + size + 2) return undefined
    if (size === 0) return Buffer.concat(parts)
    parts.push(bytes.subarray(begin, begin + size))
    at = begin + size + 2
  }
}
