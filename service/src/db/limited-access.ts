// Access to the database for callers who are limited to some companies. Their connections have the search path `limited`,
// a schema of views that show what belongs to those companies (limited-schema.ts), so that a statement that forgets the
// boundary finds nothing. Every statement runs in a transaction that begins with the companies of the caller.
import type postgres from 'postgres'
import { allInOrder } from '../lib/async.ts'
import type { Access, Database, Lookup, Sql, Tx } from './access.ts'
import { currentCompanies } from './caller.ts'
import { LIMITED } from './limited.ts'
import { statements } from './statements.ts'

type Transaction = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>

interface LimitedOptions {
  /** Makes statements; sends nothing. */
  base: postgres.Sql
  /** Runs a transaction in the pool. */
  transaction: Transaction
  /** Runs reads that all see the same state. */
  snapshot: Transaction
  /** Runs a read on a driver that has a single connection. */
  hedgedRead: <T>(read: (driver: postgres.Sql) => Promise<T>) => Promise<T>
}

export function createLimitedAccess({ base, transaction, snapshot, hedgedRead }: LimitedOptions) {
  const runBatch = createBatches()
  // A client keeps its list of companies between its requests.
  const known = new WeakMap<readonly string[], Access>()

  const accessOf = (companies: readonly string[]): Access => {
    const limitedBy =
      (run: Transaction): Transaction =>
      work =>
        run(async tx => {
          // Sent before the first statement of the work, which does not wait for it.
          const entered = enter(tx, companies).execute()
          const [, result] = await allInOrder([entered, work(marked(tx))])
          return result
        })
    const limitedTransaction = limitedBy(transaction)
    const lookup: Lookup = work =>
      hedgedRead(driver =>
        work(
          statements({
            base: driver,
            run: make => runBatch(driver, { companies, make }),
            members: { [LIMITED]: true },
          }),
        ),
      )
    return {
      sql: statements({
        base,
        run: make => limitedTransaction(async tx => make(tx)),
        members: { [LIMITED]: true },
      }),
      lookup,
      transaction: limitedTransaction,
      snapshot: limitedBy(snapshot),
    }
  }

  return (companies: readonly string[]): Access => {
    const access = known.get(companies) ?? accessOf(companies)
    known.set(companies, access)
    return access
  }
}

/** The database as the caller of the running code may see it. */
export function limitByCaller(db: Database): Database {
  const access = () => db.forCompanies(currentCompanies())
  return {
    ...db,
    sql: new Proxy(db.sql, {
      apply: (_target, self, parameters) => Reflect.apply(access().sql as never, self, parameters),
      get: (_target, name) => Reflect.get(access().sql, name),
    }),
    lookup: work => access().lookup(work),
    transaction: work => access().transaction(work),
    snapshot: work => access().snapshot(work),
  }
}

/**
 * The companies of the caller and the sets that they are in, until the transaction ends. The search path is also that of the
 * connection; it is repeated because a connection pooler may drop the settings of a connection.
 */
const enter = (sql: Sql, companies: readonly string[]) => sql`
  select set_config('search_path', 'limited', true),
    set_config('caseport.companies', ${[...companies]}::text[]::text, true),
    set_config('caseport.company_sets', coalesce((
      select array_agg(s.company_set_id) from public.company_sets s where s.company_ids && ${[...companies]}::text[]
    ), '{}')::text, true)`

interface Batch {
  companies: readonly string[]
  make: (sql: Sql) => PromiseLike<unknown>
}

/**
 * Runs one statement in a transaction of its own, in one round trip: the driver has a single connection, which runs what
 * it is sent in order. The next batch begins when this one has ended, so that two callers never share a transaction.
 */
function createBatches() {
  const ends = new WeakMap<postgres.Sql, Promise<unknown>>()

  const run = async (driver: postgres.Sql, { companies, make }: Batch) => {
    const [, , result, [state]] = await allInOrder([
      driver.unsafe('begin'),
      enter(driver, companies),
      make(driver),
      driver<{ inside: boolean }[]>`
        select current_setting('caseport.companies', true) = ${[...companies]}::text[]::text as inside`,
      driver.unsafe('commit'),
    ])
    // The driver has reconnected in between: the statement ran outside the transaction and found nothing.
    if (state?.inside !== true)
      throw Object.assign(new Error('The connection was lost.'), { code: 'CONNECTION_CLOSED' })
    return result
  }

  return (driver: postgres.Sql, batch: Batch): Promise<unknown> => {
    const previous = ends.get(driver) ?? Promise.resolve()
    const result = previous.then(() => run(driver, batch))
    ends.set(
      driver,
      result.catch(() => {}),
    )
    return result
  }
}

/** The transaction of a limited caller. */
const marked = (tx: Tx): Tx =>
  new Proxy(tx, { get: (target, name) => (name === LIMITED ? true : Reflect.get(target, name)) })
