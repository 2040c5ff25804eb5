// A connection pool that can be moved to another host. When its server is lost, the driver's pool is closed with all
// queries that wait in it, and new queries fail at once. The driver alone would let each queued query try to connect in
// turn, which takes seconds under load.
import type postgres from 'postgres'
import type { ReplaceableConnection } from './hedged.ts'
import type { Host } from './hosts.ts'

interface Pool extends ReplaceableConnection {
  /** Delegates to the current driver, so that it may be kept while the driver is replaced. */
  sql: postgres.Sql
  /** Closes the current connections and opens new ones to this host; without a host, all queries fail. */
  moveTo(host: Host | undefined): void
  close(): Promise<void>
}

interface PoolOptions {
  host: Host
  options: postgres.Options<Record<string, postgres.PostgresType>>
  onConnectionLost: () => void
}

export function openPool({ host: initial, options, onConnectionLost }: PoolOptions): Pool {
  let host: Host | undefined = initial
  let driver = openAt(initial)

  function openAt(next: Host): postgres.Sql {
    const opened: postgres.Sql = next.open({
      ...options,
      onclose: () => {
        if (opened === driver) onConnectionLost()
      },
    })
    return opened
  }

  const moveTo = (next: Host | undefined) => {
    const previous = driver
    host = next
    // A closed driver rejects all queries at once, so that none has to be opened for that.
    if (next) driver = openAt(next)
    void previous.end({ timeout: 0 })
  }

  const sql = new Proxy(driver, {
    apply: (_, self, parameters) => Reflect.apply(driver as never, self, parameters),
    get: (_, name) => Reflect.get(driver, name),
  })
  return {
    sql,
    driver: () => driver,
    moveTo,
    replace(old) {
      if (old === driver && host) moveTo(host)
    },
    close: () => driver.end({ timeout: 5 }),
  }
}
