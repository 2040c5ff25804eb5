// Sends one request to someone else's server: to a checked address, within a time limit, without following redirects.
// What comes back beside the status is thrown away.
import type { LookupAddress } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { AddressRefused, hostOf, resolveHost } from './addresses.ts'

const MOST_READ = 4096

interface Posting {
  url: string
  headers: Record<string, string>
  body: string
  allowPrivate: boolean
  milliseconds: number
}

/** The status of the answer; throws where there is none. */
export async function post({ url, headers, body, allowPrivate, milliseconds }: Posting): Promise<number> {
  const signal = AbortSignal.timeout(milliseconds)
  const target = new URL(url)
  const addresses = await Promise.race([resolveHost(hostOf(target), allowPrivate), aborted(signal)])
  return send({ target, addresses, headers, body, signal })
}

interface Sending {
  target: URL
  addresses: LookupAddress[]
  headers: Record<string, string>
  body: string
  signal: AbortSignal
}

function send({ target, addresses, headers, body, signal }: Sending): Promise<number> {
  const { request } = target.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const outgoing = request(target, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      // A connection of its own: one that is kept open would not be checked again.
      agent: false,
      lookup: only(addresses),
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
        if (read > MOST_READ) done()
      })
      // The status counts, however the rest of the answer ends.
      for (const end of ['end', 'error', 'close']) response.on(end, done)
    })
    outgoing.end(body)
  })
}

/** Answers with the addresses that were checked: a second question to the DNS might get another answer. */
const only =
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

/** Why there was no answer, in words that hold nothing but codes. */
export function reasonOf(error: unknown, milliseconds: number): string {
  if (error instanceof AddressRefused) return error.message
  if (isTimeout(error)) return `There was no answer within ${milliseconds / 1000} seconds.`
  const { code } = error as Error & { code?: string }
  return code ? `The connection failed: ${code}.` : 'The request failed.'
}

export function isTimeout(error: unknown): boolean {
  const { name } = error as Error
  return name === 'TimeoutError' || name === 'AbortError'
}
