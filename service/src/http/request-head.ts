// Checks the head of a request: parts that two servers could read differently are rejected (RFC 9112, sections 3.2 and 6).
import type { IncomingMessage } from 'node:http'

/** Node keeps the first or the last of several, or joins them; a proxy in front may choose another one. */
const SINGLE = new Set([
  'host',
  'authorization',
  'x-api-key',
  'content-type',
  'content-length',
  'idempotency-key',
])
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+;=%-]*)(?::\d{0,5})?$/i

/** What is wrong with the head, in plain words. The target is in origin form where that was possible. */
export function headErrorOf({ url, headers, rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  if (!url?.startsWith('/') && url !== '*')
    return 'The request target is not a path, and does not name the host of the Host header.'
  const seen: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase()
    if (!SINGLE.has(name)) continue
    if (seen.includes(name)) return `The header ${name} is there twice. Send it once.`
    seen.push(name)
  }
  const { host } = headers
  if (host === undefined) return httpVersion === '1.1' ? 'There is no Host header.' : undefined
  return HOST.test(host) ? undefined : 'The Host header is not a host with an optional port.'
}

/**
 * The path and query of the request target. A target in absolute form must name the host of the Host header: one of them
 * may have decided where a proxy sent the request.
 */
export function originFormOf({ url = '', headers }: IncomingMessage): string | undefined {
  if (url.startsWith('/') || url === '*') return url
  const [, authority, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? []
  if (!authority || authority.toLowerCase() !== headers.host?.toLowerCase()) return undefined
  return rest.startsWith('/') ? rest : `/${rest}`
}
