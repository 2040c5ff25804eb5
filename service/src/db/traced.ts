// The database with a span for each statement and transaction of a request that is traced. Spans have the operation and the
// first table of a statement, never its text or its parameters.
import { currentSpan, runInSpan } from '../lib/spans.ts'
import type { Access, Database, Sql } from './access.ts'
import { textOf } from './statements.ts'

const SYSTEM = { 'db.system.name': 'postgresql' }

export function traceDatabase(db: Database): Database {
  const known = new WeakMap<Access, Access>()
  const traced = (access: Access): Access => ({
    sql: tracedSql(access.sql),
    lookup: work => access.lookup(sql => work(tracedSql(sql))),
    transaction: work => inSpan('transaction', () => access.transaction(tx => work(tracedSql(tx)))),
    snapshot: work => inSpan('snapshot', () => access.snapshot(tx => work(tracedSql(tx)))),
  })
  return {
    ...db,
    ...traced(db),
    append: work => db.append(sql => work(tracedSql(sql))),
    forCompanies(companies) {
      const access = db.forCompanies(companies)
      const found = known.get(access) ?? traced(access)
      known.set(access, found)
      return found
    },
  }
}

/** Includes what its statements do not: waiting for a connection, and the commit. */
async function inSpan<T>(name: string, work: () => Promise<T>): Promise<T> {
  const span = currentSpan()?.begin(name, 'internal', SYSTEM)
  if (!span) return work()
  try {
    const result = await runInSpan(span, work)
    span.end()
    return result
  } catch (error) {
    span.end({ errorType: errorTypeOf(error) })
    throw error
  }
}

function tracedSql<S extends Sql>(sql: S): S {
  return new Proxy(sql, {
    apply(target, self, parameters) {
      const made = Reflect.apply(target as never, self, parameters) as PromiseLike<unknown>
      return 'raw' in Object(parameters[0]) ? tracedStatement(made) : made
    },
    get(target, name) {
      const value = Reflect.get(target, name)
      if (name !== 'unsafe') return value
      return (...parameters: never[]) => tracedStatement(Reflect.apply(value as never, target, parameters))
    },
  })
}

/** The methods that send a statement. One that is only a fragment of others is never sent. */
const SENDING = new Set<string | symbol>(['then', 'catch', 'finally', 'execute'])

function tracedStatement(statement: PromiseLike<unknown>): PromiseLike<unknown> {
  const parent = currentSpan()
  if (!parent) return statement
  let isSent = false
  const begin = () => {
    if (isSent) return
    isSent = true
    const { operation, table } = describe(textOf(statement))
    const summary = table ? `${operation} ${table}` : operation
    const span = parent.begin(summary, 'client', {
      ...SYSTEM,
      'db.operation.name': operation,
      'db.query.summary': summary,
      ...(table && { 'db.collection.name': table }),
    })
    statement.then(
      () => span.end(),
      error => span.end({ errorType: errorTypeOf(error) }),
    )
  }
  return new Proxy(statement, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (!SENDING.has(name)) return value
      return (...parameters: never[]) => {
        begin()
        return Reflect.apply(value as never, target, parameters)
      }
    },
  })
}

const WRITES =
  /\b(insert)\s+into\b|\b(update)\s+(?!of\b|skip\b)[a-z_.]+\s|\b(delete)\s+from\b|\b(merge)\s+into\b/i
const TABLE = /\b(?:from|into|update|join)\s+(?:only\s+)?(?:public\.|limited\.)?([a-z_]+)/i

/** The operation and the first table that the text names. */
export function describe(text: string): { operation: string; table: string | undefined } {
  const first = /^\s*([a-z]+)/i.exec(text)?.[1]?.toLowerCase() ?? 'unknown'
  const written = first === 'with' ? WRITES.exec(text)?.slice(1).find(Boolean) : undefined
  const operation = first === 'with' ? (written?.toLowerCase() ?? 'select') : first
  return { operation, table: TABLE.exec(text)?.[1]?.toLowerCase() }
}

/** SQLSTATE, or the code or name of the error. */
const errorTypeOf = (error: unknown): string => {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown'
}
