// Owns that nothing waits for a database that is gone. The driver's pool lives for as long as its server answers: then it
// is thrown away, with all that waits in it, and whatever is asked meanwhile fails at once. The driver alone would let
// every query wait its turn to find out for itself, a crowd of them for seconds.
import type postgres from 'postgres'
import type { Replaceable } from './hedged.ts'
import type { Target } from './hosts.ts'

export interface Pool extends Replaceable {
  /** Always the pool of the moment, whoever kept this. */
  sql: postgres.Sql
  /** Throws away what there is, and begins anew at this server, if there is one. */
  moveTo(target: Target | undefined): void
  close(): Promise<void>
}

type Options = postgres.Options<Record<string, postgres.PostgresType>>

interface PoolParts {
  target: Target
  options: Options
  /** Called when a connection of the pool was lost. */
  onLost: () => void
}

export function openPool({ target: first, options, onLost }: PoolParts): Pool {
  let target: Target | undefined = first
  let driver = openAt(first)

  function openAt(server: Target): postgres.Sql {
    const made: postgres.Sql = server.open({
      ...options,
      onclose: () => {
        if (made === driver) onLost()
      },
    })
    return made
  }

  const moveTo = (next: Target | undefined) => {
    const former = driver
    target = next
    // A pool that was ended refuses every query at once; there need not be another one for that.
    if (next) driver = openAt(next)
    void former.end({ timeout: 0 })
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
      if (old === driver && target) moveTo(target)
    },
    close: () => driver.end({ timeout: 5 }),
  }
}
