// The hosts that DATABASE_URL names. The driver's own list of hosts is not used: when all hosts are down it reconnects
// without a pause and never fails the query, so that requests hang.
import postgres from 'postgres'

type Options = postgres.Options<Record<string, postgres.PostgresType>>

/** A server that may be the primary. */
export interface Host {
  name: string
  open(options: Options): postgres.Sql
}

interface HostAddress {
  host: string
  port: number
}

export function parseHosts(url: string): HostAddress[] {
  const authority = /^postgres(?:ql)?:\/\/(?:[^@/]*@)?([^/?]*)/.exec(url)?.[1] ?? ''
  return authority.split(',').map(part => {
    const match = /^(\[[^\]]+\]|[^:]*)(?::(\d+))?$/.exec(part)
    return { host: match?.[1]?.replace(/^\[|\]$/g, '') || 'localhost', port: Number(match?.[2] ?? 5432) }
  })
}

export const formatAddress = ({ host, port }: HostAddress) =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`

/** The same URL with these hosts. */
export const withHosts = (url: string, hosts: HostAddress[]) =>
  url.replace(/^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)[^/?]*/, `$1${hosts.map(formatAddress).join(',')}`)

/** One of the hosts of a URL. */
export const hostAt = (url: string, address: HostAddress): Host => ({
  name: formatAddress(address),
  open: options => postgres(withHosts(url, [address]), options),
})

/** The hosts of a connection, in its order. */
export function hostsOf(
  connection: { path: string; user: string; database: string } | { url: string },
): [Host, ...Host[]] {
  if (!('url' in connection))
    return [{ name: 'embedded', open: options => postgres({ ...connection, ...options }) }]
  const { url } = connection
  const [first = { host: 'localhost', port: 5432 }, ...others] = parseHosts(url)
  // The URL of a single host is passed on unchanged.
  if (others.length === 0) return [{ name: formatAddress(first), open: options => postgres(url, options) }]
  return [hostAt(url, first), ...others.map(address => hostAt(url, address))]
}
