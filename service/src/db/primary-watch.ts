// Watches which host is the primary, over connections that stay open. A server that is slow to accept new connections still
// responds there, so that its pool is kept with all running queries.
import type { Log } from '../lib/log.ts'
import type { Host } from './hosts.ts'
import { findPrimary, type HostState, openProbe } from './primary.ts'

interface PrimaryWatch {
  /** Searches for the primary now, because a connection was lost. */
  check(): void
  close(): void
}

interface WatchOptions {
  /** The first is used until the first search has ended. */
  hosts: [Host, ...Host[]]
  log: Log
  /**
   * Whether to search every two seconds. A server that is switched off, or cut off, closes no connection: its queries would
   * wait until the network times out, which takes a quarter of an hour.
   */
  periodic: boolean
  /** Called with the new primary, or undefined when there is none. */
  onChange(primary: Host | undefined): void
}

const INTERVAL_MS = 2_000
const RETRY_MS = 150
/** How long the host in use may take to respond, over an open connection and over a new one. */
const TIMEOUT_MS = 7_000
/** While no host is in use, the search is retried sooner. */
const SEARCH_TIMEOUT_MS = 3_000

export function watchPrimary({ hosts, log, periodic, onChange }: WatchOptions): PrimaryWatch {
  const probes = new Map(
    hosts.map(host => [host, openProbe(host, { idleSeconds: (2 * INTERVAL_MS) / 1_000 })]),
  )
  let current = hosts[0]
  let isDown = false
  let isSearching = false
  let closed = false
  let timer: NodeJS.Timeout | undefined

  const probe = async (host: Host): Promise<HostState> =>
    probes.get(host)?.state(isDown ? SEARCH_TIMEOUT_MS : TIMEOUT_MS) ?? 'unreachable'

  async function search(): Promise<void> {
    if (isSearching || closed) return
    isSearching = true
    clearTimeout(timer)
    const found = await findPrimary({ hosts, current: isDown ? undefined : current, probe })
    isSearching = false
    if (closed) return
    if (!found) {
      if (!isDown) {
        log.warn({}, 'the database does not respond; requests are rejected until it does')
        isDown = true
        onChange(undefined)
      }
      timer = setTimeout(search, RETRY_MS).unref()
      return
    }
    if (!isDown && found === current) return
    if (found !== current) log.warn({ host: found.name }, 'the database primary has moved')
    else log.info({}, 'the database responds again')
    current = found
    isDown = false
    onChange(found)
  }

  if (hosts.length > 1) void search()
  const interval = periodic ? setInterval(search, INTERVAL_MS).unref() : undefined

  return {
    check: () => void search(),
    close() {
      closed = true
      clearTimeout(timer)
      clearInterval(interval)
      for (const each of probes.values()) each.close()
    },
  }
}
