// Owns where the database may be: the hosts of a URL. The driver's own list of hosts is not used: with every host down it
// reconnects without a pause and never fails the query, so a request would hang.
import postgres from 'postgres'

type Options = postgres.Options<Record<string, postgres.PostgresType>>

/** One server that may be the primary. */
export interface Target {
  name: string
  open(options: Options): postgres.Sql
}

export interface Host {
  host: string
  port: number
}

export function hostsOf(url: string): Host[] {
  const authority = /^postgres(?:ql)?:\/\/(?:[^@/]*@)?([^/?]*)/.exec(url)?.[1] ?? ''
  return authority.split(',').map(part => {
    const match = /^(\[[^\]]+\]|[^:]*)(?::(\d+))?$/.exec(part)
    return { host: match?.[1]?.replace(/^\[|\]$/g, '') || 'localhost', port: Number(match?.[2] ?? 5432) }
  })
}

export const nameOf = ({ host, port }: Host) => `${host.includes(':') ? `[${host}]` : host}:${port}`

/** The same URL with these hosts. */
export const withHosts = (url: string, hosts: Host[]) =>
  url.replace(/^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)[^/?]*/, `$1${hosts.map(nameOf).join(',')}`)

/** The same URL with one of its hosts. */
export const urlOf = (url: string, host: Host): string => withHosts(url, [host])

export const targetOf = (url: string, host: Host): Target => ({
  name: nameOf(host),
  open: options => postgres(urlOf(url, host), options),
})

/** The servers that a connection names, in its order. */
export function targetsOf(
  connection: { path: string; user: string; database: string } | { url: string },
): [Target, ...Target[]] {
  if (!('url' in connection))
    return [{ name: 'embedded', open: options => postgres({ ...connection, ...options }) }]
  const { url } = connection
  const [first = { host: 'localhost', port: 5432 }, ...others] = hostsOf(url)
  // A single host is handed over as it was written.
  if (others.length === 0) return [{ name: nameOf(first), open: options => postgres(url, options) }]
  return [targetOf(url, first), ...others.map(host => targetOf(url, host))]
}
