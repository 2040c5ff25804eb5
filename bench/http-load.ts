// A client that costs little CPU time, because it shares the machine with the server: plain sockets, one request at a time
// on each, responses parsed only far enough to find their end.
import { connect, type Socket } from 'node:net'

export interface Load {
  port: number
  connections: number
  seconds: number
  /** The bytes of the next request, or undefined when there are no more. */
  next: () => Buffer | undefined
}

export interface Measured {
  requests: number
  rate: number
  p50: number
  p99: number
  /** Responses with an error, by status. */
  failures: Record<string, number>
}

const END = Buffer.from('\r\n\r\n')
const LENGTH = Buffer.from('\r\ncontent-length: ')
const ZERO = 48

export async function applyLoad({ port, connections, seconds, next }: Load): Promise<Measured> {
  const times: number[] = []
  const failures: Record<string, number> = {}
  const until = performance.now() + seconds * 1000
  const began = performance.now()
  await Promise.all(
    Array.from({ length: connections }, () => runConnection({ port, next, until, times, failures })),
  )
  const took = (performance.now() - began) / 1000
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return { requests: times.length, rate: times.length / took, p50: at(0.5), p99: at(0.99), failures }
}

interface ConnectionOptions {
  port: number
  next: () => Buffer | undefined
  until: number
  times: number[]
  failures: Record<string, number>
}

function runConnection({ port, next, until, times, failures }: ConnectionOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let sent = 0
    let missing = -1
    let head: Buffer = Buffer.alloc(0)
    let ended = false
    const send = () => {
      const request = performance.now() >= until ? undefined : next()
      if (!request) {
        ended = true
        socket.end()
        return
      }
      missing = -1
      head = Buffer.alloc(0)
      sent = performance.now()
      socket.write(request)
    }
    const done = () => {
      times.push(performance.now() - sent)
      send()
    }
    socket.on('connect', send)
    socket.on('data', (data: Buffer) => {
      if (missing < 0) {
        head = head.length > 0 ? Buffer.concat([head, data]) : data
        const end = head.indexOf(END)
        if (end < 0) return
        // The status is decoded only for errors: decoding every response would cost half of what is measured.
        if ((head[9] ?? 0) > ZERO + 2) {
          const status = head.toString('latin1', 9, 12)
          failures[status] = (failures[status] ?? 0) + 1
        }
        const at = head.indexOf(LENGTH)
        if (at < 0 && head[11] !== ZERO + 4)
          return reject(new Error(`A response without a length: ${head.toString('latin1', 0, end)}`))
        missing = (at < 0 ? 0 : numberAt(head, at + LENGTH.length)) - (head.length - end - END.length)
      } else missing -= data.length
      if (missing === 0) done()
    })
    socket.on('error', reject)
    socket.on('close', () =>
      ended || performance.now() >= until
        ? resolve()
        : reject(new Error('The server closed the connection.')),
    )
  })
}

function numberAt(bytes: Buffer, from: number): number {
  let number = 0
  for (let at = from; (bytes[at] ?? 0) >= ZERO; at++) number = number * 10 + (bytes[at] ?? 0) - ZERO
  return number
}

interface RequestLine {
  method: string
  path: string
  token: string
  body?: string | undefined
  headers?: Record<string, string>
}

export function requestBytes({ method, path, token, body, headers = {} }: RequestLine): Buffer {
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const entity =
    body === undefined
      ? ''
      : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n${more.join('')}${entity}\r\n${body ?? ''}`,
  )
}
