// Owns which server is the primary now. It asks over connections that stay open: a server that is slow to take new ones, or
// slow altogether, still answers there, and keeps its pool with all that runs in it.
import type { Log } from '../lib/log.ts'
import type { Target } from './hosts.ts'
import { findPrimary, openProbe, type State } from './primary.ts'

export interface Watch {
  /** Asks at once, because a connection was lost. */
  check(): void
  close(): void
}

interface WatchParts {
  /** The first is taken for the primary to begin with. */
  targets: [Target, ...Target[]]
  log: Log
  /**
   * Whether to ask every few seconds. A server that is switched off, or cut off, closes no connection: a query that waits for
   * it would wait until the network gives up, which takes it a quarter of an hour.
   */
  periodic: boolean
  /** Told where the primary is now, or that there is none. */
  onChange(primary: Target | undefined): void
}

const ASK_EVERY_MS = 2_000
const LOOK_AGAIN_MS = 150
/** For so long a server in use may keep silent, over an open connection and over a new one. */
const SILENCE_MS = 7_000
/** One that is not in use is asked anew sooner. */
const SHORT_SILENCE_MS = 3_000

export function watchPrimary({ targets, log, periodic, onChange }: WatchParts): Watch {
  const probes = new Map(
    targets.map(target => [target, openProbe(target, { idleSeconds: (2 * ASK_EVERY_MS) / 1_000 })]),
  )
  let current = targets[0]
  let gone = false
  let looking = false
  let closed = false
  let timer: NodeJS.Timeout | undefined

  const ask = async (target: Target): Promise<State> =>
    probes.get(target)?.ask(gone ? SHORT_SILENCE_MS : SILENCE_MS) ?? 'gone'

  async function look(): Promise<void> {
    if (looking || closed) return
    looking = true
    clearTimeout(timer)
    const found = await findPrimary({ targets, current: gone ? undefined : current, ask })
    looking = false
    if (closed) return
    if (!found) {
      if (!gone) {
        log.warn({}, 'the database does not answer; requests are refused until it does')
        gone = true
        onChange(undefined)
      }
      timer = setTimeout(look, LOOK_AGAIN_MS).unref()
      return
    }
    if (!gone && found === current) return
    if (found !== current) log.warn({ host: found.name }, 'the database primary has moved')
    else log.info({}, 'the database answers again')
    current = found
    gone = false
    onChange(found)
  }

  if (targets.length > 1) void look()
  const asking = periodic ? setInterval(look, ASK_EVERY_MS).unref() : undefined

  return {
    check: () => void look(),
    close() {
      closed = true
      clearTimeout(timer)
      clearInterval(asking)
      for (const probe of probes.values()) probe.close()
    },
  }
}
