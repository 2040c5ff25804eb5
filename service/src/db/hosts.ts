// The hosts that DATABASE_URL names. The driver's own list of hosts is not used: when all hosts are down it reconnects
// without a pause and never fails the query, so that requests hang.
import postgres from 'postgres'
import { readTls } from './tls.ts'

type Options = postgres.Options<Record<string, postgres.PostgresType>>

/** The embedded server, by its socket, or the servers of a URL. */
export type Connection = SocketConnection | { url: string }

export interface SocketConnection {
  path: string
  user: string
  database: string
  password?: string
}

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
export function hostAt(url: string, address: HostAddress): Host {
  const tls = readTls(url)
  return {
    name: formatAddress(address),
    open: options => postgres(withHosts(tls.url, [address]), { ...options, ssl: tls.forHost(address.host) }),
  }
}

/** The hosts of a connection, in its order. */
export function hostsOf(connection: Connection): [Host, ...Host[]] {
  if (!('url' in connection))
    return [{ name: 'embedded', open: options => postgres({ ...connection, ...options }) }]
  const { url } = connection
  const [first = { host: 'localhost', port: 5432 }, ...others] = parseHosts(url)
  if (others.length > 0) return [hostAt(url, first), ...others.map(address => hostAt(url, address))]
  // The URL of a single host is passed on, without its parameters of TLS.
  const tls = readTls(url)
  const ssl = tls.forHost(first.host)
  return [{ name: formatAddress(first), open: options => postgres(tls.url, { ...options, ssl }) }]
}
