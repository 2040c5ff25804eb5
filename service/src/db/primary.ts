// Owns where the database may be, and which of several places holds the primary. The driver's own list of hosts is not
// used: with every host down it reconnects without a pause and never fails the query, so a request would hang.
import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { openDriver } from './driver.ts'
import { isUnavailable } from './sqlstate.ts'

const PATIENCE_SECONDS = 3

type Options = postgres.Options<Record<string, postgres.PostgresType>>

/** One server that may be the primary. */
export interface Target {
  name: string
  open(options: Options): postgres.Sql
}

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

const nameOf = ({ host, port }: Host) => `${host.includes(':') ? `[${host}]` : host}:${port}`

/** The same URL with these hosts. */
const withHosts = (url: string, hosts: Host[]) =>
  url.replace(/^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)[^/?]*/, `$1${hosts.map(nameOf).join(',')}`)

/** The same URL with one of its hosts. */
export const urlOf = (url: string, host: Host): string => withHosts(url, [host])

const targetOf = (url: string, host: Host): Target => ({
  name: nameOf(host),
  open: options => openDriver(urlOf(url, host), options),
})

/** The servers that a connection names, in its order. */
export function targetsOf(
  connection: { path: string; user: string; database: string } | { url: string },
): [Target, ...Target[]] {
  if (!('url' in connection))
    return [{ name: 'embedded', open: options => openDriver({ ...connection, ...options }) }]
  const { url } = connection
  const [first = { host: 'localhost', port: 5432 }, ...others] = hostsOf(url)
  // A single host is handed over as it was written.
  if (others.length === 0) return [{ name: nameOf(first), open: options => openDriver(url, options) }]
  return [targetOf(url, first), ...others.map(host => targetOf(url, host))]
}

/**
 * The same URL with the primary first, which is where a new pool begins: a connection to a standby would stay in the pool.
 * Where none of several hosts is the primary within the time, the URL comes back as it was, and the first one says why.
 */
export async function primaryFirst(url: string, seconds: number): Promise<string> {
  const hosts = hostsOf(url)
  if (hosts.length < 2) return url
  const targets = hosts.map(host => targetOf(url, host)) as [Target, ...Target[]]
  const deadline = performance.now() + seconds * 1000
  for (;;) {
    const primary = await findPrimary(targets)
    const found = hosts.find(host => nameOf(host) === primary?.name)
    if (found) return withHosts(url, [found, ...hosts.filter(host => host !== found)])
    if (performance.now() > deadline) return url
    await sleep(500)
  }
}

/**
 * The target to work with now, or undefined where there is none. A current one that does answer, but refuses us (too many
 * connections, a changed password), is kept: the pool can tell why better than this can.
 */
export async function findPrimary(
  targets: [Target, ...Target[]],
  current?: Target,
): Promise<Target | undefined> {
  const alone = targets.length === 1
  const usable = async (target: Target) => {
    const state = await askFor(target)
    if (state === 'primary' || (alone && state !== 'gone')) return target
    throw state
  }
  const asked = targets.map(usable)
  try {
    // The first primary counts: a host that was switched off answers nothing, and is not waited for.
    return await Promise.any(asked)
  } catch (error) {
    const states = (error as AggregateError).errors
    const kept = current && targets.indexOf(current)
    return kept !== undefined && states[kept] === 'refuses' ? current : undefined
  }
}

type State = 'primary' | 'standby' | 'refuses' | 'gone'

async function askFor({ open }: Target): Promise<State> {
  const probe = open({ max: 1, connect_timeout: PATIENCE_SECONDS, fetch_types: false, onnotice: () => {} })
  // One that took the connection may still never answer.
  const late = new AbortController()
  const silent = sleep(PATIENCE_SECONDS * 1000, 'gone' as const, { signal: late.signal, ref: false })
  try {
    return await Promise.race([silent, stateOf(probe)])
  } finally {
    late.abort()
    void probe.end({ timeout: 0 })
  }
}

async function stateOf(probe: postgres.Sql): Promise<State> {
  try {
    const [row] = await probe`select pg_is_in_recovery() as standby`
    return row?.['standby'] === false ? 'primary' : 'standby'
  } catch (error) {
    const tooMany = (error as { code?: string }).code === '53300'
    return isUnavailable(error) && !tooMany ? 'gone' : 'refuses'
  }
}
