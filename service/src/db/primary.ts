// Finds the primary among several hosts.
import { setTimeout as sleep } from 'node:timers/promises'
import { createHedgedRead } from './hedged.ts'
import { formatAddress, type Host, hostAt, parseHosts, withHosts } from './hosts.ts'
import { openPool } from './pool.ts'
import { isDatabaseError, isUnavailable } from './sqlstate.ts'

/** When the current host has not responded for so long, another one that is the primary is used instead. */
const SLOW_MS = 3_000
const HEDGE_AFTER_MS = 1_000
const CONNECT_SECONDS = 7

/** `rejecting`: the server responds, but accepts no connection of ours. */
export type HostState = 'primary' | 'standby' | 'rejecting' | 'unreachable'

/**
 * The same URL with the primary first, because a new pool connects to the first host: a connection to a standby would stay
 * in the pool. When no host is the primary within the time, the URL is returned unchanged; connecting to its first host then
 * fails with the reason.
 */
export async function primaryFirst(url: string, seconds: number): Promise<string> {
  const addresses = parseHosts(url)
  if (addresses.length < 2) return url
  const hosts = addresses.map(address => hostAt(url, address)) as [Host, ...Host[]]
  const probes = new Map(hosts.map(host => [host, openProbe(host, { idleSeconds: 5 })]))
  const deadline = performance.now() + seconds * 1000
  const probe = async (host: Host) => probes.get(host)?.state(SLOW_MS) ?? 'unreachable'
  try {
    for (;;) {
      const primary = await findPrimary({ hosts, probe })
      const found = addresses.find(address => formatAddress(address) === primary?.name)
      if (found) return withHosts(url, [found, ...addresses.filter(address => address !== found)])
      if (performance.now() > deadline) return url
      await sleep(500)
    }
  } finally {
    for (const each of probes.values()) each.close()
  }
}

interface Search {
  hosts: [Host, ...Host[]]
  /** The host in use. */
  current?: Host | undefined
  probe(host: Host): Promise<HostState>
}

/**
 * The host to use now, or undefined when there is none. The current host is kept as long as it responds as the primary. It is
 * also kept when it rejects us (too many connections, a changed password): the error of the pool tells more than none.
 */
export async function findPrimary({ hosts, current, probe }: Search): Promise<Host | undefined> {
  const isOnlyHost = hosts.length === 1
  const probed = hosts.map(async host => ({ host, state: await probe(host) }))
  const currentProbe = probed.find((_, index) => hosts[index] === current)
  const timer = new AbortController()
  const slow = sleep(SLOW_MS, undefined, { signal: timer.signal, ref: false }).catch(() => undefined)
  const early = currentProbe && (await Promise.race([currentProbe, slow]))
  timer.abort()
  if (early?.state === 'primary') return current
  const usable = probed.map(async pending => {
    const { host, state } = await pending
    if (state === 'primary' || (isOnlyHost && state !== 'unreachable')) return host
    throw state
  })
  try {
    // The first primary wins: hosts that are switched off do not respond, and are not waited for.
    return await Promise.any(usable)
  } catch {
    return (await currentProbe)?.state === 'rejecting' ? current : undefined
  }
}

/** Two connections to one host: one stays open while it is used, the other is the hedge. */
export function openProbe(host: Host, { idleSeconds }: { idleSeconds: number }) {
  const options = {
    max: 1,
    connect_timeout: CONNECT_SECONDS,
    idle_timeout: idleSeconds,
    backoff: () => 0,
    fetch_types: false,
    onnotice: () => {},
  }
  const connections = [0, 1].map(() => openPool({ host, options, onConnectionLost: () => {} }))
  const hedgedRead = createHedgedRead(connections)
  return {
    async state(timeoutMs: number): Promise<HostState> {
      try {
        const [row] = await hedgedRead(sql => sql`select pg_is_in_recovery() as standby`, {
          hedgeAfterMs: HEDGE_AFTER_MS,
          timeoutMs,
        })
        return row?.['standby'] === false ? 'primary' : 'standby'
      } catch (error) {
        const tooManyConnections = isDatabaseError(error) && error.code === '53300'
        return isUnavailable(error) && !tooManyConnections ? 'unreachable' : 'rejecting'
      }
    },
    close() {
      for (const connection of connections) connection.moveTo(undefined)
    },
  }
}
