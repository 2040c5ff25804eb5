// HTTP/1.1 on a plain socket, to send what no HTTP client would send.
import { connect, type Socket } from 'node:net'

export interface Answer {
  status: number
  headers: Headers
  bytes: Buffer
}

export interface Exchange {
  bytes: Buffer
  /** An answer to HEAD has no body, whatever its headers say. */
  method: string
  /** Hang up our side after this many milliseconds without an answer: for what may promise more than it holds. */
  patience?: number
}

export interface Wire {
  /** The answer, or why there was none: `closed` or `silent`. */
  exchange(exchange: Exchange): Promise<Answer | 'closed' | 'silent'>
  close(): void
}

const SILENCE = 40_000

/** One connection at a time, kept for as long as the other side keeps it. */
export function openWire(port: number): Wire {
  let socket: Socket | undefined

  return {
    exchange({ bytes, method, patience }) {
      const fresh = socket === undefined || socket.destroyed || !socket.writable
      if (fresh) socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      const used = socket as Socket
      return new Promise(resolve => {
        let received = Buffer.alloc(0)
        const over = (result: Answer | 'closed' | 'silent', keep = false) => {
          clearTimeout(timer)
          clearTimeout(hangUp)
          used.removeAllListeners()
          used.on('error', () => {})
          if (!keep || used.writableEnded) {
            used.destroy()
            socket = undefined
          }
          resolve(result)
        }
        const timer = setTimeout(() => over('silent'), SILENCE)
        const hangUp = patience === undefined ? undefined : setTimeout(() => used.end(), patience)
        const read = (ended: boolean) => {
          const answer = parse(received, method, ended)
          if (answer) over(answer, !ended && !/close/i.test(answer.headers.get('connection') ?? ''))
          else if (ended) over('closed')
        }
        used.on('data', data => {
          received = received.length === 0 ? data : Buffer.concat([received, data])
          read(false)
        })
        used.on('end', () => read(true))
        // A reset may come after the answer: what was received counts.
        used.on('error', () => read(true))
        used.on('close', () => read(true))
        used.write(bytes)
      })
    },
    close: () => socket?.destroy(),
  }
}

function parse(received: Buffer, method: string, ended: boolean): Answer | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [line = '', ...fields] = received.toString('latin1', 0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1])
  const rest = received.subarray(end + 4)
  if (status >= 100 && status < 200) return parse(rest, method, ended)
  const headers = new Headers(fields.map(field => pair(field)))
  const answer = (bytes: Buffer): Answer => ({ status, headers, bytes })
  if (method === 'HEAD' || status === 204 || status === 304) return answer(Buffer.alloc(0))
  if (headers.get('transfer-encoding') === 'chunked') {
    const bytes = unchunked(rest)
    return bytes && answer(bytes)
  }
  const length = headers.get('content-length')
  if (length === null) return ended ? answer(rest) : undefined
  return rest.length >= Number(length) ? answer(rest.subarray(0, Number(length))) : undefined
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
