// Passports as statements see them: items of the JSON of an applicant record.
import type { Sql } from './access.ts'

/**
 * The passports of a record with an expiry date: `passport_id` and `expires_on`. One is left out while its holder has another
 * one of the same country that expires later: records also keep the passports of the past.
 */
export const passportsOf = (sql: Sql, record: string) => sql`public.passport_expiries(${sql.unsafe(record)})`
