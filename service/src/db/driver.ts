// The driver as we open it. It gives each query two functions, as members (3.4.9); V8 takes such functions for methods and
// places them among the objects that live long. They hold the query, and the query its rows: all of it would outlive every
// small collection and be left to the large ones, which under load came every second and took a tenth of the machine.
import postgres from 'postgres'

type Rows = unknown[] & { count?: number | null }

/** What is left of a query that has been answered. */
interface Answered extends Promise<unknown> {
  parameters: unknown
  handedOver?: true
}

type Callback = ((value: unknown) => unknown) | null | undefined

export const openDriver = ((...settings: Parameters<typeof postgres>) => {
  const sql = postgres(...settings)
  const query = Object.getPrototypeOf(sql``) as { then: typeof handOver }
  if (query.then !== handOver) {
    wait = query.then
    // biome-ignore lint/suspicious/noThenProperty: it is a promise, and this is where it gives its answer.
    query.then = handOver
  }
  return sql
}) as typeof postgres

let wait: (fulfilled: Callback, rejected: Callback) => Promise<unknown>

/** Gives the rows to whoever waits for them, once, and keeps nothing. */
function handOver(this: Answered, fulfilled: Callback, rejected: Callback): Promise<unknown> {
  if (!fulfilled) return wait.call(this, fulfilled, rejected)
  return wait.call(
    this,
    answer => {
      // An empty list, as of a query that found nothing, would be a wrong answer that nobody notices. An await hears of it
      // through `rejected` alone.
      if (this.handedOver) return (rejected ?? fail)(twice())
      this.handedOver = true
      this.parameters = null
      return fulfilled(Array.isArray(answer) ? moved(answer) : answer)
    },
    rejected,
  )
}

const twice = () => new Error('The rows of this query were handed over before: wait for it once.')

function fail(error: unknown): never {
  throw error
}

function moved(answer: Rows): Rows {
  const rows: Rows = answer.splice(0)
  if (answer.count !== undefined) rows.count = answer.count
  return rows
}
