// One connection that can be replaced, and moved to another host. When its server is lost, the driver is closed with all
// queries that wait in it, and new queries fail at once. The driver alone would let each queued query try to connect,
// one after the other, which takes seconds under load.
import type postgres from 'postgres'
import type { ReplaceableConnection } from './hedged.ts'
import type { Host } from './hosts.ts'

export interface Pool extends ReplaceableConnection {
  /** Closes the current connection and opens a new one to this host; without a host, all queries fail. */
  moveTo(host: Host | undefined): void
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

  const end = (old: postgres.Sql) => void old.end({ timeout: 0 }).catch(() => {})
  const moveTo = (next: Host | undefined) => {
    const previous = driver
    host = next
    // A closed driver rejects all queries at once, so that none has to be opened for that.
    if (next) driver = openAt(next)
    end(previous)
  }

  return {
    driver: () => driver,
    moveTo,
    replace(old) {
      if (old === driver && host) moveTo(host)
    },
    openSpare: () => (host ? openAt(host) : undefined),
    adopt(spare, old) {
      if (old !== driver || !host) return end(spare)
      driver = spare
      end(old)
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
