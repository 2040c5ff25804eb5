// The address of the caller behind proxies. Each proxy appends the address that it got the request from to
// X-Forwarded-For, so that only entries at the right, added by trusted proxies, are believed; a client can send the others.
import type { IncomingMessage } from 'node:http'
import { parseAddress } from '../lib/network-address.ts'

/** How many proxies there are, or their addresses and networks; false if there are none. */
export type TrustProxy = false | number | string[]

/**
 * As Fastify expects it. Fastify itself trusts no proxy for a number, because a client that reaches the service directly
 * can send as many entries; that is documented for the operator.
 */
export function trustOf(trustProxy: TrustProxy) {
  if (typeof trustProxy !== 'number') return trustProxy
  return (_address: string, hop: number) => hop < trustProxy
}

/**
 * Brings the entries of X-Forwarded-For into one spelling, without the ports that some proxies add. What is no address
 * ends the list: the caller is then the proxy that sent it.
 */
export function normalizeForwarded({ headers }: IncomingMessage): void {
  const header = headers['x-forwarded-for']
  if (header === undefined) return
  const entries = String(header).split(',')
  const addresses: string[] = []
  for (const entry of entries.reverse()) {
    const address = parseAddress(entry.trim())
    if (address === undefined) break
    addresses.unshift(address)
  }
  headers['x-forwarded-for'] = addresses.join(', ')
}
