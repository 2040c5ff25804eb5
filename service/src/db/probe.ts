// Asks a host what it is, over a connection that stays open. While it does not respond, further connections are tried
// beside it, a few at a time: a lost route closes no connection, and a slow server accepts new ones late.
import type postgres from 'postgres'
import type { Host } from './hosts.ts'
import { isDatabaseError, isUnavailable } from './sqlstate.ts'

/** `rejecting`: the server responds, but accepts no connection of ours. The timeline is 0 where the server hides it. */
export type HostState =
  | { role: 'primary'; timeline: number }
  | { role: 'standby' | 'rejecting' | 'unreachable' }

/** After how long without a response another connection is tried. */
const ANOTHER_AFTER_MS = 1_000
const MAX_CONNECTIONS = 4
/** A slow server needs long to accept a connection. */
const CONNECTION_MS = 20_000

const OPTIONS = {
  max: 1,
  connect_timeout: CONNECTION_MS / 1_000,
  idle_timeout: 0,
  max_lifetime: null,
  backoff: () => 0,
  fetch_types: false,
  onnotice: () => {},
  connection: { application_name: 'caseport probe' },
} satisfies postgres.Options<Record<string, postgres.PostgresType>>

interface Probing {
  driver: postgres.Sql
  since: number
  /** Its query that is under way; never rejects. */
  result: Promise<{ from: Probing; state: HostState }>
  isOpen: boolean
}

export interface Probe {
  /** What the host is; `unreachable` when it does not respond in time. */
  state(timeoutMs: number): Promise<HostState>
  close(): void
}

export function openProbe(host: Host): Probe {
  const pending = new Set<Probing>()
  /** The connection that responded last. */
  let kept: Probing | undefined
  let startedAt = -Infinity
  let isClosed = false

  const discard = (probing: Probing) => {
    const isAsked = pending.delete(probing)
    if (kept === probing) kept = undefined
    const end = () => void probing.driver.end({ timeout: 0 }).catch(() => {})
    // The driver (3.4.9) does not close a connection that is being opened, so that is waited for.
    if (isAsked && !probing.isOpen) void withTimeout(CONNECTION_MS, [probing.result]).finally(end)
    else end()
  }
  const ask = (probing: Probing) => {
    probing.since = performance.now()
    probing.result = askRole(probing.driver).then(state => ({ from: probing, state }))
    pending.add(probing)
  }
  const askAnother = () => {
    startedAt = performance.now()
    ask({ driver: host.open(OPTIONS), since: 0, isOpen: false } as Probing)
  }
  /** Whether the host is still waited for, after what one of the connections got. */
  const settle = ({ from, state }: { from: Probing; state: HostState }): HostState | undefined => {
    pending.delete(from)
    if (state.role === 'unreachable') {
      const wasOpen = from.isOpen
      discard(from)
      // The connection may have been closed long ago: only a new one tells whether the host is reachable.
      if (wasOpen) askAnother()
      return pending.size > 0 ? undefined : state
    }
    for (const other of [...pending]) discard(other)
    if (kept !== from && kept) discard(kept)
    if (state.role === 'rejecting') discard(from)
    else {
      from.isOpen = true
      kept = from
    }
    return state
  }

  return {
    async state(timeoutMs) {
      const deadline = performance.now() + timeoutMs
      for (const old of [...pending]) if (performance.now() - old.since > CONNECTION_MS) discard(old)
      if (pending.size === 0) {
        if (kept) ask(kept)
        else askAnother()
      }
      for (;;) {
        const now = performance.now()
        // Otherwise it would open connections that nothing closes.
        if (isClosed || now >= deadline) return { role: 'unreachable' }
        if (now - newest(pending, startedAt) >= ANOTHER_AFTER_MS) {
          // The oldest is kept for a server that is slow to accept it.
          const [, second] = pending
          if (pending.size === MAX_CONNECTIONS && second) discard(second)
          askAnother()
        }
        const results = [...pending].map(({ result }) => result)
        const next = await withTimeout(Math.min(ANOTHER_AFTER_MS, deadline - now), results)
        const state = next && pending.has(next.from) ? settle(next) : undefined
        if (state) return state
      }
    },
    close() {
      isClosed = true
      for (const probing of [...pending]) discard(probing)
      if (kept) discard(kept)
    },
  }
}

const newest = (pending: Set<Probing>, startedAt: number) =>
  Math.max(startedAt, ...[...pending].map(({ since }) => since))

/** The first result, or undefined after the time. */
async function withTimeout<T>(milliseconds: number, results: Promise<T>[]): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(() => resolve(undefined), milliseconds).unref()
  })
  try {
    return await Promise.race([...results, late])
  } finally {
    clearTimeout(timer)
  }
}

async function askRole(driver: postgres.Sql): Promise<HostState> {
  try {
    return await readRole(driver)
  } catch (error) {
    const tooManyConnections = isDatabaseError(error) && error.code === '53300'
    return { role: isUnavailable(error) && !tooManyConnections ? 'unreachable' : 'rejecting' }
  }
}

/** Not the timeline of the control file, which a promotion changes only with its first checkpoint. */
async function readRole(driver: postgres.Sql): Promise<HostState> {
  try {
    const [row] = await driver<[{ timeline: number | null }]>`
      select case when pg_is_in_recovery() then null
        else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int end as timeline`
    return row.timeline === null ? { role: 'standby' } : { role: 'primary', timeline: row.timeline }
  } catch (error) {
    // Some hosted servers hide their log: there is no timeline then.
    if (!isDatabaseError(error) || !['42501', '42883', '55000', '0A000'].includes(error.code)) throw error
    const [row] = await driver<[{ standby: boolean }]>`select pg_is_in_recovery() as standby`
    return row.standby ? { role: 'standby' } : { role: 'primary', timeline: 0 }
  }
}
