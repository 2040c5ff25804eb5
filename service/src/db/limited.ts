// What stores need to know of callers who are limited to some companies: their statements see the views of the schema
// `limited` (limited-schema.ts) instead of the tables.
import type { Sql } from './access.ts'

/** Marks the connections of limited callers. */
export const LIMITED = Symbol('limited')

/** Whether the statements of this connection see the views of limited callers instead of the tables. */
export const isLimited = (sql: Sql): boolean => Reflect.get(sql, LIMITED) === true

/**
 * The table of the people that cases and documents show. A limited caller who sees a case need not see the record of its
 * applicant, but the number that the case shows.
 */
export const caseApplicants = (sql: Sql) => sql.unsafe(isLimited(sql) ? 'case_applicants' : 'applicants')

/** The table of the people that cases and steps are assigned to: their names, also for a limited caller. */
export const userNames = (sql: Sql) => sql.unsafe(isLimited(sql) ? 'user_names' : 'users')

/**
 * The table itself, also for a limited caller. Only for statements that return nothing of it, where the rows of other
 * companies must change too.
 */
export const every = (sql: Sql, table: string) => sql.unsafe(isLimited(sql) ? `public.${table}` : table)
