// Addresses of callers, in one spelling.
import { isIP } from 'node:net'

/**
 * The address without brackets, zone and port, and as IPv4 where it is one mapped to IPv6. Undefined for text that is no
 * address, such as the `unknown` that some proxies send.
 */
export function parseAddress(text: string): string | undefined {
  const [, bracketed] = /^"?\[([^\]]*)\](?::\d+)?"?$/.exec(text) ?? []
  const [, withPort] = /^([\d.]+):\d+$/.exec(text) ?? []
  const address = (bracketed ?? withPort ?? text).replace(/%.*$/, '').toLowerCase()
  if (isIP(address) === 0) return undefined
  if (isIP(address) === 4) return address
  const groups = groupsOf(address)
  const isMapped = groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff
  return isMapped ? ipv4Of(groups) : address
}

/**
 * What limits are counted for: an IPv4 address, or the /64 network of an IPv6 address, all of whose addresses one machine
 * can have.
 */
export function networkOf(text: string): string {
  const address = parseAddress(text) ?? text
  if (isIP(address) !== 6) return address
  const network = groupsOf(address).slice(0, 4)
  return `${network.map(group => group.toString(16)).join(':')}::/64`
}

/** The eight numbers of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::')
  const parse = (text: string) => text.split(':').filter(Boolean).flatMap(numbersOf)
  const [before, after] = [parse(head), parse(tail ?? '')]
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after]
}

function numbersOf(group: string): number[] {
  if (!group.includes('.')) return [Number.parseInt(group, 16)]
  const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
  return [a * 256 + b, c * 256 + d]
}

function ipv4Of(groups: number[]): string {
  return groups
    .slice(6)
    .flatMap(group => [group >> 8, group & 255])
    .join('.')
}
