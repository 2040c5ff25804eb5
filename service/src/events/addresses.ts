// Prevents server-side request forgery: webhooks must not reach addresses that only this host can reach. All addresses that a
// host name resolves to are checked, and the connection uses a checked address.
import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

/** IPv4 that is not public: this host, private networks, CGNAT, link-local, special purposes, multicast, reserved. */
const BLOCKED_IPV4: [string, number][] = [
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
  // In the public range, but on Azure every virtual machine reaches its own host there.
  ['168.63.129.16', 32],
]

/** Only global unicast is allowed, which excludes loopback, local, mapped and translated addresses. */
const ALLOWED_IPV6: [string, number] = ['2000::', 3]
const BLOCKED_IPV6: [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const blockedAddresses = new BlockList()
for (const [net, prefix] of BLOCKED_IPV4) blockedAddresses.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of BLOCKED_IPV6) blockedAddresses.addSubnet(net, prefix, 'ipv6')
const allowedIpv6 = new BlockList()
allowedIpv6.addSubnet(...ALLOWED_IPV6, 'ipv6')

export function isPublic(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !blockedAddresses.check(address, 'ipv4')
  return version === 6 && allowedIpv6.check(address, 'ipv6') && !blockedAddresses.check(address, 'ipv6')
}

/** What is wrong with a URL, or undefined. Host names are resolved only when the URL is used. */
export function urlError(text: string, allowPrivate: boolean): string | undefined {
  const url = URL.parse(text)
  if (!url?.hostname || !['http:', 'https:'].includes(url.protocol)) return 'Expected an http or https URL.'
  if (url.username || url.password) return 'Must not hold a user name or a password.'
  const host = hostOf(url)
  const local = isIP(host) ? !isPublic(host) : /(^|\.)localhost\.?$/.test(host)
  return local && !allowPrivate ? 'Must not lead to a private address.' : undefined
}

/** The URL parser has already normalized other spellings of addresses, such as 0x7f.1. */
export const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '')

/** RFC 6761, section 6.4: resolvers should not ask a name server for these, which may be slow or absent. */
const NEVER_RESOLVES = /(^|\.)invalid\.?$/

/** One text for all reasons: a client must not learn which names there are in the inner network, nor their addresses. */
export class UnusableHost extends Error {
  /** `cause`: the error of the name server, for the operator's log. */
  constructor(cause?: unknown) {
    super('The host has no address that may be used.', { cause })
  }
}

/** The addresses of a host; throws when there are none, or any of them is blocked. */
export async function resolveHost(host: string, allowPrivate: boolean): Promise<LookupAddress[]> {
  if (NEVER_RESOLVES.test(host)) throw new UnusableHost()
  const version = isIP(host)
  const addresses = version
    ? [{ address: host, family: version }]
    : await lookup(host, { all: true }).catch(error => {
        throw new UnusableHost(error)
      })
  if (!allowPrivate && addresses.some(({ address }) => !isPublic(address))) throw new UnusableHost()
  return addresses
}
