import type { Sql } from '../db/database.ts'

/**
 * The e-mail addresses that a person's reminders may go to, the first one first: those of the person, then those of the
 * primary applicant. `person` and `primary` are the columns with their records.
 */
export const addressesOf = (sql: Sql, person: string, primary: string) => {
  const [own, family] = [sql.unsafe(person), sql.unsafe(primary)]
  return sql`array_remove(array[
    nullif(${own}->>'email', ''), nullif(${own}->>'alternateEmail', ''),
    nullif(${family}->>'email', ''), nullif(${family}->>'alternateEmail', '')], null)`
}
