// Sends a POST request to a receiver: to a checked address, with a timeout, without following redirects. Of the response only
// the status is used.
import type { LookupAddress } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { hostOf, resolveHost, UnusableHost } from './addresses.ts'

const MAX_RESPONSE_BYTES = 4096

interface PostOptions {
  url: string
  headers: Record<string, string>
  body: string
  allowPrivate: boolean
  timeoutMs: number
}

/** Returns the status of the response; throws when there is none. */
export async function post({ url, headers, body, allowPrivate, timeoutMs }: PostOptions): Promise<number> {
  const signal = AbortSignal.timeout(timeoutMs)
  const target = new URL(url)
  const addresses = await Promise.race([resolveHost(hostOf(target), allowPrivate), aborted(signal)])
  return send({ target, addresses, headers, body, signal })
}

interface SendOptions {
  target: URL
  addresses: LookupAddress[]
  headers: Record<string, string>
  body: string
  signal: AbortSignal
}

function send({ target, addresses, headers, body, signal }: SendOptions): Promise<number> {
  const { request } = target.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const outgoing = request(target, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      // A new connection for each request: the address of one that is kept open would not be checked again.
      agent: false,
      lookup: pinnedLookup(addresses),
      signal,
    })
    outgoing.on('error', reject)
    outgoing.on('response', response => {
      const done = () => {
        resolve(response.statusCode ?? 0)
        response.destroy()
      }
      let read = 0
      response.on('data', (chunk: Buffer) => {
        read += chunk.length
        if (read > MAX_RESPONSE_BYTES) done()
      })
      // The status counts, however the body ends.
      for (const end of ['end', 'error', 'close']) response.on(end, done)
    })
    outgoing.end(body)
  })
}

/** Returns the checked addresses: a second DNS query could return others. */
const pinnedLookup =
  (addresses: LookupAddress[]): LookupFunction =>
  (_host, options, callback) => {
    const [first] = addresses
    if (options.all) callback(null, addresses)
    else callback(null, first?.address ?? '', first?.family)
  }

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** Why there was no response, without text from the receiver or the network. */
export function describeFailure(error: unknown, timeoutMs: number): string {
  if (error instanceof UnusableHost) return error.message
  if (isTimeout(error)) return `There was no response within ${timeoutMs / 1000} seconds.`
  const { code } = error as Error & { code?: string }
  return code ? `The connection failed: ${code}.` : 'The request failed.'
}

export function isTimeout(error: unknown): boolean {
  const { name } = error as Error
  return name === 'TimeoutError' || name === 'AbortError'
}
