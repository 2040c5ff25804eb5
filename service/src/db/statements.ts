// A connection whose statements run elsewhere: through a pool that chooses the connection, or in a transaction of their own.
import type postgres from 'postgres'
import type { Sql } from './access.ts'

export type Make = (sql: Sql) => PromiseLike<unknown>

const HELPERS = new Set<string | symbol>(['array', 'json', 'typed', 'types'])

interface StatementOptions {
  /** Only makes statements and their fragments; sends nothing. */
  base: postgres.Sql
  /** Runs the statement, which `make` makes anew for the connection that it is given. */
  run(make: Make, statement: object): Promise<unknown>
  /** Members of the connection beside those for statements. */
  members?: Record<string | symbol, unknown>
}

/** The connection makes fragments of statements as any other one does. */
export function statements({ base, run, members = {} }: StatementOptions): Sql {
  const statement = (make: Make) => {
    const made = make(base as never) as object
    return deferred(made, () => run(make, made))
  }
  return new Proxy(base, {
    apply(_target, _self, parameters) {
      const isStatement = 'raw' in Object(parameters[0])
      return isStatement
        ? statement(sql => Reflect.apply(sql as never, undefined, parameters))
        : Reflect.apply(base as never, undefined, parameters)
    },
    get(_target, name) {
      if (Object.hasOwn(members, name)) return members[name]
      if (name === 'unsafe')
        return (...parameters: unknown[]) =>
          statement(sql => Reflect.apply(sql.unsafe as never, undefined, parameters))
      if (HELPERS.has(name)) return Reflect.get(base, name)
      if (typeof name === 'symbol') return undefined
      throw new Error(`${String(name)} is not available here: use a transaction.`)
    },
    has: (_target, name) => Object.hasOwn(members, name) || name === 'unsafe' || HELPERS.has(name),
  }) as never
}

const PROMISE_METHODS = new Set<string | symbol>(['then', 'catch', 'finally'])
/** What the driver reads of a fragment. */
const FRAGMENT_FIELDS = new Set<string | symbol>(['strings', 'args', 'fragment', 'constructor'])

/** The statement as a fragment of others. Awaited, it runs through `run`, once. */
function deferred(query: object, run: () => Promise<unknown>): PromiseLike<unknown> {
  let running: Promise<unknown> | undefined
  return new Proxy(query, {
    get(target, name) {
      if (PROMISE_METHODS.has(name)) {
        running ??= run()
        return Reflect.get(running, name).bind(running)
      }
      if (FRAGMENT_FIELDS.has(name) || typeof name === 'symbol') return Reflect.get(target, name)
      throw new Error(`${name} of a statement is not available here: use a transaction.`)
    },
  }) as never
}

/**
 * Whether the statement looks like one that only reads. Errs on the side of writing. The connections for reads reject a
 * statement that writes all the same, such as one that calls a function.
 */
export function isRead(statement: object): boolean {
  const text = textOf(statement)
  if (/^\s*select\b/i.test(text)) return !LOCKS_ROWS.test(text)
  return (
    /^\s*with\b/i.test(text) && !/\b(?:insert|update|delete|merge)\b/i.test(text) && !LOCKS_ROWS.test(text)
  )
}

const LOCKS_ROWS = /\bfor\s+(?:(?:no\s+key\s+)?update|(?:key\s+)?share)\b/i

/** The text of a statement with that of its fragments. */
export function textOf(statement: object): string {
  const { strings = [], args = [] } = statement as { strings?: readonly string[]; args?: readonly unknown[] }
  return strings
    .map((part, index) => {
      const arg = args[index]
      const isFragment = typeof arg === 'object' && arg !== null && 'strings' in arg
      return isFragment ? part + textOf(arg) : part
    })
    .join(' ')
}
