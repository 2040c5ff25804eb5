// Owns where a webhook may lead. Whoever may register a URL must not be able to reach what only this host can reach,
// so every address that a name resolves to is checked, and the connection goes to a checked address.
import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

/** IPv4 that is not for the public: this host, private nets, CGNAT, link-local, special purposes, multicast, reserved. */
const CLOSED_IPV4: [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // Public by its number, but on one cloud every machine reaches its own host there.
  ['168.63.129.16', 32],
]

/** Of IPv6 only global unicast is open, which leaves out loopback, local, mapped and translated addresses. */
const OPEN_IPV6: [string, number] = ['2000::', 3]
const CLOSED_IPV6: [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const closed = new BlockList()
for (const [net, prefix] of CLOSED_IPV4) closed.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of CLOSED_IPV6) closed.addSubnet(net, prefix, 'ipv6')
const openIpv6 = new BlockList()
openIpv6.addSubnet(...OPEN_IPV6, 'ipv6')

export function isPublic(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !closed.check(address, 'ipv4')
  return version === 6 && openIpv6.check(address, 'ipv6') && !closed.check(address, 'ipv6')
}

/** What is wrong with a URL as it stands, or undefined. What a name resolves to is seen only when it is used. */
export function urlFault(text: string, allowPrivate: boolean): string | undefined {
  const url = URL.parse(text)
  if (!url?.hostname || !['http:', 'https:'].includes(url.protocol)) return 'Expected an http or https URL.'
  if (url.username || url.password) return 'Must not hold a user name or a password.'
  const host = hostOf(url)
  const local = isIP(host) ? !isPublic(host) : /(^|\.)localhost\.?$/.test(host)
  return local && !allowPrivate ? 'Must not lead to a private address.' : undefined
}

/** The URL parser has already turned other spellings, such as 0x7f.1, into plain addresses. */
export const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '')

export class AddressRefused extends Error {}

/** Where a host can be reached; throws where any of its addresses is closed. */
export async function resolveHost(host: string, allowPrivate: boolean): Promise<LookupAddress[]> {
  const version = isIP(host)
  const addresses = version ? [{ address: host, family: version }] : await lookup(host, { all: true })
  const refused = allowPrivate ? undefined : addresses.find(({ address }) => !isPublic(address))
  if (refused)
    throw new AddressRefused(`The host leads to ${refused.address}, which is not a public address.`)
  return addresses
}
