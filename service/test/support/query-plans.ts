// What PostgreSQL does for the statements of a function: a cost that grows with a table shows in the blocks it reads.
import type { Sql } from '../../src/db/database.ts'

type Statement = ReturnType<Sql>

export interface PlanNode {
  'Node Type': string
  'Index Name'?: string
  'Relation Name'?: string
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: PlanNode[]
}

/** Remembers the statements that were sent, as opposed to parts of them. */
function recording(sql: Sql) {
  const made: (Statement & { executed?: boolean })[] = []
  const recorder = new Proxy(sql, {
    apply(target, self, parameters) {
      const result = Reflect.apply(target as never, self, parameters) as Statement
      if ('raw' in Object(parameters[0])) made.push(result)
      return result
    },
  })
  return { sql: recorder, sent: () => made.filter(({ executed }) => executed) }
}

/** What a function answers, and the nodes of the plan of every statement that it sends, the uppermost first. */
export async function planned<T>(sql: Sql, ask: (sql: Sql) => Promise<T>) {
  const recorder = recording(sql)
  const answer = await ask(recorder.sql)
  const plans: PlanNode[][] = []
  for (const statement of recorder.sent()) {
    const [row] = await sql`explain (analyze, buffers, format json) ${statement}`
    plans.push(nodesOf(row?.['QUERY PLAN'][0].Plan))
  }
  return { answer, plans }
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** The blocks that a node and those below it have read. */
export const blocksOf = (node: PlanNode) => node['Shared Hit Blocks'] + node['Shared Read Blocks']
