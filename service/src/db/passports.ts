// Passports as statements see them: items of the JSON of an applicant record.
import type { Sql } from './access.ts'

/**
 * The passports of a record with an expiry date: `passport_id` and `expires_on`. One is left out while its holder has another
 * one of the same country that expires later: records also keep the passports of the past.
 */
export const passportsOf = (sql: Sql, record: string) => sql`(
  select p.passport_id, p.expires_on
  from (
    select i->>'passportId' as passport_id, left(i->>'expiryDate', 10)::date as expires_on,
      max(left(i->>'expiryDate', 10)) over (partition by upper(coalesce(i->>'country', '')))::date as latest
    from json_array_elements(${sql.unsafe(record)}->'passports') i
    where i->>'expiryDate' is not null
  ) p
  where p.expires_on = p.latest
)`
