// One connection that can be replaced, and moved to another host. When its server is lost, the driver is closed with all
// queries that wait in it, and new queries fail at once. The driver alone would let each queued query try to connect,
// one after the other, which takes seconds under load.
import type postgres from 'postgres'
import type { ReplaceableConnection } from './hedged.ts'
import type { Host } from './hosts.ts'

export interface Pool extends ReplaceableConnection {
  /** Closes the current connection and opens a new one to this host; without a host, all queries fail. */
  moveTo(host: Host | undefined): void
  /** Aborted when this driver is closed; the driver itself never settles the later statements of a pipelined transaction. */
  closing(driver: postgres.Sql): AbortSignal
  close(): Promise<void>
}

interface PoolOptions {
  host: Host
  options: postgres.Options<Record<string, postgres.PostgresType>>
  onConnectionLost: () => void
  /** Sent first over each new connection, where the settings cannot be part of its start. */
  setUp?: ((driver: postgres.Sql) => Promise<unknown>) | undefined
}

export function openPool({ host: initial, options, onConnectionLost, setUp }: PoolOptions): Pool {
  const setUps = new WeakMap<postgres.Sql, Promise<unknown>>()
  const closings = new WeakMap<postgres.Sql, AbortController>()
  /** Drivers beside the current one, until one is adopted or closed. */
  const spares = new Set<postgres.Sql>()
  let host: Host | undefined = initial
  let driver = openAt(initial)

  function openAt(next: Host): postgres.Sql {
    const opened: postgres.Sql = next.open({
      ...options,
      max: 1,
      onclose: () => {
        setUps.delete(opened)
        if (opened === driver) onConnectionLost()
      },
    })
    return opened
  }

  const closingOf = (opened: postgres.Sql) => {
    const closing = closings.get(opened) ?? new AbortController()
    closings.set(opened, closing)
    return closing
  }
  const end = (old: postgres.Sql) => {
    closingOf(old).abort()
    void old.end({ timeout: 0 }).catch(() => {})
  }
  const use = (next: postgres.Sql) => {
    const previous = driver
    driver = next
    end(previous)
  }
  const closeSpare = (spare: postgres.Sql) => {
    spares.delete(spare)
    end(spare)
  }

  return {
    driver: () => driver,
    closing: used => closingOf(used).signal,
    moveTo(next) {
      host = next
      for (const spare of spares) closeSpare(spare)
      // A closed driver rejects all queries at once, so that none has to be opened for that.
      if (next) use(openAt(next))
      else end(driver)
    },
    replace(old) {
      if (old === driver && host) use(openAt(host))
    },
    openSpare() {
      if (!host) return undefined
      const spare = openAt(host)
      spares.add(spare)
      return spare
    },
    closeSpare,
    adopt(spare, old) {
      // A spare that is not there any more was opened to another host.
      if (old !== driver || !spares.delete(spare)) return closeSpare(spare)
      use(spare)
    },
    async prepare(used) {
      if (!setUp) return
      const done = setUps.get(used) ?? setUp(used)
      setUps.set(used, done)
      try {
        await done
      } catch (error) {
        setUps.delete(used)
        throw error
      }
    },
    close: () => driver.end({ timeout: 5 }),
  }
}
