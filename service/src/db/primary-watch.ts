// Watches which host is the primary, over connections that stay open. A server that is slow to accept new connections still
// responds there, so that its pool is kept with all running queries. Each host is asked independently: one that does not
// respond delays no other.
import type { Log } from '../lib/log.ts'
import type { Host } from './hosts.ts'
import { choosePrimary, SILENT_MS } from './primary.ts'
import { type HostState, openProbe, type Probe } from './probe.ts'

interface PrimaryWatch {
  /** Asks all hosts now, because a connection was lost. */
  check(): void
  close(): void
}

interface WatchOptions {
  /** The first is used until the hosts have responded. */
  hosts: [Host, ...Host[]]
  log: Log
  /**
   * Whether to ask every second. A server that is switched off, or cut off, closes no connection: its queries would wait
   * until the network times out, which takes a quarter of an hour.
   */
  periodic: boolean
  /** Called with the new primary, or undefined when there is none. Also when the same host is on a new timeline. */
  onChange(primary: Host | undefined): void
  openProbe?: (host: Host) => Probe
}

const INTERVAL_MS = 1_000
/** While no host is in use. */
const RETRY_MS = 200
/** A host that cannot be reached, while another one is in use. */
const UNREACHABLE_MS = 2_000
/** While no host is in use. Connections that take longer are waited for all the same. */
const SEARCH_TIMEOUT_MS = 1_000
const TICK_MS = 250
/** Lost connections come in crowds. */
const MIN_PAUSE_MS = 50

interface Watched {
  host: Host
  probe: Probe
  state: HostState | undefined
  askedAt: number | undefined
  timer: NodeJS.Timeout | undefined
  /** Ask again at once when the response has come. */
  again: boolean
}

export function watchPrimary({
  hosts,
  log,
  periodic,
  onChange,
  openProbe: open = openProbe,
}: WatchOptions): PrimaryWatch {
  const watched: Watched[] = hosts.map(host => ({
    host,
    probe: open(host),
    state: undefined,
    askedAt: undefined,
    timer: undefined,
    again: false,
  }))
  const reported = new Set<string>()
  let current = hosts[0]
  /** The timeline of the connections in use; 0 until it is known. */
  let timeline = 0
  let highest = 0
  let isDown = false
  let closed = false

  async function ask(each: Watched): Promise<void> {
    if (closed || each.askedAt !== undefined) return
    clearTimeout(each.timer)
    each.askedAt = performance.now()
    const state = await each.probe.state(isDown ? SEARCH_TIMEOUT_MS : SILENT_MS)
    each.askedAt = undefined
    if (closed) return
    each.state = state
    if (state.role === 'primary') highest = Math.max(highest, state.timeline)
    decide()
    schedule(each)
  }

  function schedule(each: Watched): void {
    const isLost = isDown || each.again
    each.again = false
    if (!periodic && !isLost) return
    const pause = !isLost
      ? each.state?.role === 'unreachable'
        ? UNREACHABLE_MS
        : INTERVAL_MS
      : isDown
        ? RETRY_MS
        : MIN_PAUSE_MS
    each.timer = setTimeout(() => void ask(each), pause).unref()
  }

  function decide(): void {
    const now = performance.now()
    const observed = watched.map(({ host, state, askedAt }) => ({
      host,
      state,
      silentMs: askedAt === undefined ? 0 : now - askedAt,
    }))
    reportOutdated()
    const found = choosePrimary({ hosts: observed, current: isDown ? undefined : current, highest })
    if (!found) {
      lose()
      return
    }
    const state = watched.find(({ host }) => host === found)?.state
    const next = state?.role === 'primary' ? state.timeline : 0
    // Through a proxy, connections to the former primary may still be open.
    const isPromoted = timeline > 0 && next > timeline
    if (next > 0) timeline = next
    if (!isDown && found === current && !isPromoted) return
    if (found !== current || isPromoted)
      log.warn({ host: found.name, timeline: next }, 'the database primary has moved')
    else log.info({}, 'the database responds again')
    current = found
    isDown = false
    onChange(found)
  }

  function lose(): void {
    if (isDown) return
    log.warn({}, 'the database does not respond; requests are rejected until it does')
    isDown = true
    onChange(undefined)
    for (const each of watched) void ask(each)
  }

  /** Two primaries at once, or a database that has gone back: what it has acknowledged since may be lost. */
  function reportOutdated(): void {
    for (const { host, state } of watched) {
      if (state?.role !== 'primary' || state.timeline === 0 || state.timeline >= highest) continue
      const key = `${host.name} ${state.timeline} ${highest}`
      if (reported.has(key)) continue
      reported.add(key)
      log.error(
        { host: host.name, timeline: state.timeline, highest },
        'a database host accepts writes on an older timeline than another one has shown; it is not used. Stop it; if the database was restored on purpose, restart the service',
      )
    }
  }

  if (hosts.length > 1) for (const each of watched) void ask(each)
  else if (periodic) for (const each of watched) schedule(each)
  const tick = periodic ? setInterval(decide, TICK_MS).unref() : undefined

  return {
    check() {
      for (const each of watched) {
        each.again = true
        if (each.askedAt !== undefined) continue
        clearTimeout(each.timer)
        each.again = false
        each.timer = setTimeout(() => void ask(each), isDown ? RETRY_MS : 0).unref()
      }
    },
    close() {
      closed = true
      clearInterval(tick)
      for (const { probe, timer } of watched) {
        clearTimeout(timer)
        probe.close()
      }
    },
  }
}
