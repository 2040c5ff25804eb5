// Finds the primary among several hosts. Where two of them accept writes at the same time, the one with the highest
// timeline is the primary: a promotion begins a new timeline, and the former primary stays on the old one.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Host, hostAt, parseHosts, withHosts } from './hosts.ts'
import { type HostState, openProbe } from './probe.ts'

/** When the current host has not responded for so long, another one that is the primary is used instead. */
const SLOW_MS = 3_000
/** When the current host has not responded for so long, it is not used any more. */
export const SILENT_MS = 7_000
/** How old the state of another host may be. */
const RECENT_MS = 1_500
/** At the start: how long the other hosts may take, once one is found to be a primary. */
const OTHERS_MS = 1_000

export interface ObservedHost {
  host: Host
  /** Undefined until it has responded for the first time. */
  state: HostState | undefined
  /** For how long it has not responded to the probe that is under way; 0 while none is. */
  silentMs: number
}

interface Choice {
  hosts: ObservedHost[]
  /** The host in use. */
  current: Host | undefined
  /** The highest timeline that was ever seen. */
  highest: number
}

/**
 * The host to use now, or undefined when there is none. A host on an older timeline than the highest is never used. The
 * current host is kept as long as it responds as the primary. It is also kept when it rejects us (too many connections, a
 * changed password): the error of the pool tells more than none.
 */
export function choosePrimary({ hosts, current, highest }: Choice): Host | undefined {
  const own = hosts.find(({ host }) => host === current)
  const usable = hosts
    .filter(({ state, silentMs }) => state && isUsable(state, highest) && silentMs < RECENT_MS)
    .sort((one, other) => timelineOf(other) - timelineOf(one))
  const best = usable[0]
  if (!own) return best?.host ?? onlyHost(hosts)
  const isKept = own.state === undefined || isUsable(own.state, highest)
  const isBehind = own.state !== undefined && best !== undefined && timelineOf(best) > timelineOf(own)
  if (isKept && !isBehind && own.silentMs < SLOW_MS) return own.host
  if (best) return best.host
  if (isKept && own.silentMs < SILENT_MS) return own.host
  return own.state?.role === 'rejecting' ? own.host : onlyHost(hosts)
}

const isUsable = (state: HostState, highest: number) =>
  state.role === 'primary' && (state.timeline >= highest || state.timeline === 0)

const timelineOf = ({ state }: ObservedHost) => (state?.role === 'primary' ? state.timeline : 0)

/** A single host is used whatever it is, so that its own errors are seen. */
function onlyHost(hosts: ObservedHost[]): Host | undefined {
  const [only, ...others] = hosts
  if (!only || others.length > 0 || only.silentMs >= SILENT_MS) return undefined
  return only.state?.role === 'standby' || only.state?.role === 'rejecting' ? only.host : undefined
}

/**
 * The same URL with the primary first, because a new pool connects to the first host: a connection to a standby would stay
 * in the pool. When no host is the primary within the time, the URL is returned unchanged; connecting to its first host then
 * fails with the reason.
 */
export async function primaryFirst(url: string, seconds: number): Promise<string> {
  const addresses = parseHosts(url)
  if (addresses.length < 2) return url
  const hosts = addresses.map(address => hostAt(url, address))
  const probes = hosts.map(host => openProbe(host))
  const deadline = performance.now() + seconds * 1000
  try {
    for (;;) {
      const found = await findHighest(probes.map(probe => probe.state(SLOW_MS)))
      const address = found === undefined ? undefined : addresses[found]
      if (address) return withHosts(url, [address, ...addresses.filter(other => other !== address)])
      if (performance.now() > deadline) return url
      await sleep(500)
    }
  } finally {
    for (const probe of probes) probe.close()
  }
}

/** The index of the primary with the highest timeline. Hosts that are switched off are waited for only briefly. */
async function findHighest(states: Promise<HostState>[]): Promise<number | undefined> {
  const seen: { index: number; timeline: number }[] = []
  const all = Promise.all(
    states.map(async (pending, index) => {
      const state = await pending
      if (state.role === 'primary') seen.push({ index, timeline: state.timeline })
    }),
  )
  const first = Promise.any(
    states.map(async pending => {
      if ((await pending).role !== 'primary') throw new Error('no primary')
    }),
  ).catch(() => undefined)
  await first
  await Promise.race([all, sleep(OTHERS_MS, undefined, { ref: false })])
  return seen.sort((one, other) => other.timeline - one.timeline)[0]?.index
}
