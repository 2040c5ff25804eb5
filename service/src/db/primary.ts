// Owns which of several hosts the pool talks to. The driver's own list of hosts is not used: with every host down it
// reconnects without a pause and never fails the query, so a request would hang.
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import type { Log } from '../lib/log.ts'

interface Host {
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

/** The same URL with one of its hosts. */
export function urlOf(url: string, { host, port }: Host): string {
  const name = host.includes(':') ? `[${host}]` : host
  return url.replace(/^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)[^/?]*/, `$1${name}:${port}`)
}

/**
 * The same URL with the primary first, which is where a new pool begins: a connection to a standby would stay in the pool.
 * Where none of several hosts is the primary within the time, the URL comes back as it was, and the first one says why.
 */
export async function primaryFirst(url: string, seconds: number): Promise<string> {
  const hosts = hostsOf(url)
  if (hosts.length < 2) return url
  const deadline = performance.now() + seconds * 1000
  for (;;) {
    const primary = await findPrimary(url, hosts)
    if (primary) {
      const others = hosts.filter(host => host !== primary)
      const names = [primary, ...others].map(
        ({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`,
      )
      return url.replace(/^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)[^/?]*/, `$1${names.join(',')}`)
    }
    if (performance.now() > deadline) return url
    await sleep(500)
  }
}

interface FollowOptions {
  url: string
  options: postgres.Options<Record<string, postgres.PostgresType>>
  log: Log
}

/** A pool whose new connections go to whichever host is the primary, found again when connections are lost. */
export function followPrimary({ url, options, log }: FollowOptions) {
  const hosts = hostsOf(url)
  const [first] = hosts
  if (hosts.length < 2 || !first) return { sql: postgres(url, options), stop: () => {} }

  let current = first
  let searching: NodeJS.Timeout | undefined
  let stopped = false

  const search = async () => {
    const primary = await findPrimary(url, hosts)
    if (stopped) return
    if (primary) {
      if (primary !== current)
        log.warn({ host: primary.host, port: primary.port }, 'the database primary has moved')
      current = primary
      searching = undefined
    } else {
      searching = setTimeout(search, 500).unref()
    }
  }
  const searchSoon = () => {
    if (!stopped) searching ??= setTimeout(search, 50).unref()
  }

  const sql = postgres(urlOf(url, first), {
    ...options,
    onclose: searchSoon,
    // postgres.js takes a socket that is still connecting and writes to it once it is open.
    socket: () => {
      const socket = net.connect(current.port, current.host)
      socket.once('error', searchSoon)
      return Object.assign(socket, { host: current.host, port: current.port })
    },
  } as postgres.Options<Record<string, postgres.PostgresType>>)
  searchSoon()
  return {
    sql,
    stop: () => {
      stopped = true
      clearTimeout(searching)
    },
  }
}

async function findPrimary(url: string, hosts: Host[]): Promise<Host | undefined> {
  const answers = await Promise.all(
    hosts.map(async host => {
      const probe = postgres(urlOf(url, host), {
        max: 1,
        connect_timeout: 2,
        fetch_types: false,
        onnotice: () => {},
      })
      try {
        const [row] = await probe`select pg_is_in_recovery() as standby`
        return row?.['standby'] === false ? host : undefined
      } catch {
        return undefined // A host that does not answer is simply not the primary now.
      } finally {
        await probe.end({ timeout: 1 })
      }
    }),
  )
  return answers.find(host => host !== undefined)
}
