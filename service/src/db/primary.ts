// Owns which of several servers is the primary.
import { setTimeout as sleep } from 'node:timers/promises'
import { createHedged } from './hedged.ts'
import { hostsOf, nameOf, type Target, targetOf, withHosts } from './hosts.ts'
import { openPool } from './pool.ts'
import { isDatabaseError, isUnavailable } from './sqlstate.ts'

/** After so long another server may be taken instead, if it says that it is the primary. */
const SLOW_MS = 3_000
const HEDGE_MS = 1_000
const CONNECT_SECONDS = 7

export type State = 'primary' | 'standby' | 'refuses' | 'gone'

/**
 * The same URL with the primary first, which is where a new pool begins: a connection to a standby would stay in the pool.
 * Where none of several hosts is the primary within the time, the URL comes back as it was, and the first one says why.
 */
export async function primaryFirst(url: string, seconds: number): Promise<string> {
  const hosts = hostsOf(url)
  if (hosts.length < 2) return url
  const targets = hosts.map(host => targetOf(url, host)) as [Target, ...Target[]]
  const probes = new Map(targets.map(target => [target, openProbe(target, { idleSeconds: 5 })]))
  const deadline = performance.now() + seconds * 1000
  const ask = async (target: Target) => probes.get(target)?.ask(SLOW_MS) ?? 'gone'
  try {
    for (;;) {
      const primary = await findPrimary({ targets, ask })
      const found = hosts.find(host => nameOf(host) === primary?.name)
      if (found) return withHosts(url, [found, ...hosts.filter(host => host !== found)])
      if (performance.now() > deadline) return url
      await sleep(500)
    }
  } finally {
    for (const probe of probes.values()) probe.close()
  }
}

interface Search {
  targets: [Target, ...Target[]]
  /** The one in use. */
  current?: Target | undefined
  ask(target: Target): Promise<State>
}

/**
 * The server to work with now, or undefined where there is none. The current one is kept for as long as it answers; also
 * where it refuses us (too many connections, a changed password), because the pool can tell why better than this can.
 */
export async function findPrimary({ targets, current, ask }: Search): Promise<Target | undefined> {
  const alone = targets.length === 1
  const asked = targets.map(async target => ({ target, state: await ask(target) }))
  const own = asked.find((_, index) => targets[index] === current)
  const late = new AbortController()
  const slow = sleep(SLOW_MS, undefined, { signal: late.signal, ref: false }).catch(() => undefined)
  const early = own && (await Promise.race([own, slow]))
  late.abort()
  if (early?.state === 'primary') return current
  const usable = asked.map(async answer => {
    const { target, state } = await answer
    if (state === 'primary' || (alone && state !== 'gone')) return target
    throw state
  })
  try {
    // The first primary counts: a host that was switched off answers nothing, and is not waited for.
    return await Promise.any(usable)
  } catch {
    return (await own)?.state === 'refuses' ? current : undefined
  }
}

/** Two connections to one server: one that stays open while it is used, and a second one where that does not answer. */
export function openProbe(target: Target, { idleSeconds }: { idleSeconds: number }) {
  const options = {
    max: 1,
    connect_timeout: CONNECT_SECONDS,
    idle_timeout: idleSeconds,
    backoff: () => 0,
    fetch_types: false,
    onnotice: () => {},
  }
  const connections = [0, 1].map(() => openPool({ target, options, onLost: () => {} }))
  const hedged = createHedged(connections)
  return {
    async ask(giveUpAfter: number): Promise<State> {
      try {
        const [row] = await hedged(sql => sql`select pg_is_in_recovery() as standby`, {
          hedgeAfter: HEDGE_MS,
          giveUpAfter,
        })
        return row?.['standby'] === false ? 'primary' : 'standby'
      } catch (error) {
        const tooMany = isDatabaseError(error) && error.code === '53300'
        return isUnavailable(error) && !tooMany ? 'gone' : 'refuses'
      }
    },
    close() {
      for (const connection of connections) connection.moveTo(undefined)
    },
  }
}
