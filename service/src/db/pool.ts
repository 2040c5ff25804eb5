// Owns that nothing waits for a database that is gone. The driver's pool lives for as long as its server answers: then it
// is thrown away, with all that waits in it, and whatever is asked meanwhile fails at once. The driver alone would let
// every query wait its turn to find out for itself, a crowd of them for seconds.
import type postgres from 'postgres'
import type { Log } from '../lib/log.ts'
import { findPrimary, type Target } from './primary.ts'

export interface PoolOptions {
  targets: [Target, ...Target[]]
  options: postgres.Options<Record<string, postgres.PostgresType>>
  log: Log
  /**
   * Whether to ask every few seconds. A server that is switched off, or cut off, closes no connection: whoever waits for
   * it would wait until the network gives up, which takes it a quarter of an hour.
   */
  ask: boolean
}

export interface Pool {
  /** Always the pool of the moment, whoever kept this. */
  sql: postgres.Sql
  close(): Promise<void>
}

const LOOK_AGAIN_MS = 150
const ASK_EVERY_MS = 2000

export function openPool({ targets, options, log, ask }: PoolOptions): Pool {
  let target = targets[0]
  let driver = openAt(target)
  let gone = false
  let looking = false
  let closed = false
  let timer: NodeJS.Timeout | undefined

  function openAt(place: Target): postgres.Sql {
    const made: postgres.Sql = place.open({
      ...options,
      onclose: () => {
        if (made === driver) void look()
      },
    })
    return made
  }

  /** Is it one connection alone that was lost, has the primary moved, or is there none? */
  async function look(): Promise<void> {
    if (looking || closed) return
    looking = true
    let found = await findPrimary(targets, target)
    // Much hangs on it: a server that was only slow to answer gets another chance.
    if (!found && !gone && !closed) found = await findPrimary(targets, target)
    looking = false
    if (closed) return
    if (!found) {
      if (!gone) log.warn({}, 'the database does not answer; requests are refused until it does')
      gone = true
      // A pool that was ended refuses every query at once; there need not be another one for that.
      void driver.end({ timeout: 0 })
      timer = setTimeout(look, LOOK_AGAIN_MS).unref()
      return
    }
    if (!gone && found === target) return
    if (found !== target) log.warn({ host: found.name }, 'the database primary has moved')
    else log.info({}, 'the database answers again')
    const former = driver
    target = found
    driver = openAt(found)
    gone = false
    void former.end({ timeout: 0 })
  }

  if (targets.length > 1) void look()
  const asking = ask ? setInterval(look, ASK_EVERY_MS).unref() : undefined

  const sql = new Proxy(driver, {
    apply: (_, self, parameters) => Reflect.apply(driver as never, self, parameters),
    get: (_, name) => Reflect.get(driver, name),
  })
  return {
    sql,
    async close() {
      closed = true
      clearTimeout(timer)
      clearInterval(asking)
      await driver.end({ timeout: 5 })
    },
  }
}
