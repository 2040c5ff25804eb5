// The query plans of the statements of a function. A cost that grows with a table shows in the blocks that are read.
import type { Sql } from '../../src/db/database.ts'

type Statement = ReturnType<Sql>

interface PlanNode {
  'Node Type': string
  'Index Name'?: string
  'Relation Name'?: string
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: PlanNode[]
}

const SENDING = new Set<string | symbol>(['then', 'catch', 'finally', 'execute'])

/** Records the statements that were sent, without fragments of statements. */
function recording(sql: Sql) {
  const sent = new Set<Statement>()
  const recorded = (statement: Statement) =>
    new Proxy(statement, {
      get(target, name) {
        if (SENDING.has(name)) sent.add(target)
        const value = Reflect.get(target, name)
        return typeof value === 'function' && SENDING.has(name) ? value.bind(target) : value
      },
    })
  const recorder = new Proxy(sql, {
    apply(target, self, parameters) {
      const result = Reflect.apply(target as never, self, parameters) as Statement
      return 'raw' in Object(parameters[0]) ? recorded(result) : result
    },
  })
  return { sql: recorder, sent: () => [...sent] }
}

/** The result of a function, and the plan nodes of each statement that it sends, root first. */
export async function planned<T>(sql: Sql, ask: (sql: Sql) => Promise<T>) {
  const recorder = recording(sql)
  const result = await ask(recorder.sql)
  const plans: PlanNode[][] = []
  for (const statement of recorder.sent()) {
    const [row] = await sql`explain (analyze, buffers, format json) ${statement}`
    plans.push(nodesOf(row?.['QUERY PLAN'][0].Plan))
  }
  return { result, plans }
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** The blocks that a node and its children have read. */
export const blocksOf = (node: PlanNode) => node['Shared Hit Blocks'] + node['Shared Read Blocks']
