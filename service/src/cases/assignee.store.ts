// SQL of the person who works on a case or a step.
import type { Sql } from '../db/database.ts'
import { isLimited } from '../db/limited.ts'

export interface Assignee {
  userId: string
  name: string
  /** Of the user: a case shows the name, so a change of it is a change of the case. */
  version: number
}

/** The table of users' names. A limited caller sees the names of all assignees, but not their users. */
export const usersFor = (sql: Sql) => (isLimited(sql) ? 'user_names' : 'users')

/** The assignee of the row with this alias: null, or an `Assignee`. No user is looked up where there is none. */
export const assigneeText = (users: string, alias: string) => `
  case when ${alias}.assignee_id is not null then (
    select json_build_object('userId', x.user_id, 'name', x.name, 'version', x.version)
    from ${users} x where x.user_id = ${alias}.assignee_id
  ) end`

/** The version of the assignee of the row with this alias. A subquery, not a join: no plan reads all users. */
export const versionText = (users: string, alias: string) =>
  `case when ${alias}.assignee_id is not null then (
    select x.version from ${users} x where x.user_id = ${alias}.assignee_id
  ) end`

export const assigneeOf = (sql: Sql, alias: string) => sql.unsafe(assigneeText(usersFor(sql), alias))
