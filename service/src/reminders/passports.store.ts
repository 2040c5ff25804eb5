// The daily walk through all passports, and the notifications recorded for them. Passports are items of applicant records,
// so they are read from these, in batches.
import type { Tx } from '../db/database.ts'
import { passportsOf } from '../db/passports.ts'
import { addressesOf } from './addresses.ts'

export interface Walk {
  walkedOn: string
  ladder: string
  /** Null once the walk of that day is finished. */
  after: string | null
}

/** Undefined while another service has it. */
export async function lockWalk(tx: Tx): Promise<Walk | undefined> {
  const [row] = await tx<Walk[]>`
    select walked_on::text as "walkedOn", ladder, after_id as after from passport_walk for update skip locked`
  return row
}

export async function updateWalk(tx: Tx, { walkedOn, ladder, after }: Walk): Promise<void> {
  await tx`update passport_walk set walked_on = ${walkedOn}, ladder = ${ladder}, after_id = ${after}`
}

export interface ExpiringPassport {
  passportId: string
  applicantId: string
  expiry: string
  /** Due date of the latest notification for this expiry. */
  lastDueOn: string | null
  /** Whether the applicant has an e-mail address. */
  reachable: boolean
}

/** The passports of the next applicants that expire in this time, and the last of these applicants; null after the last. */
export async function listExpiringPassports(
  tx: Tx,
  { after, limit, from, to }: { after: string; limit: number; from: string; to: string },
): Promise<{ passports: ExpiringPassport[]; last: string | null }> {
  const rows = await tx<
    (Omit<ExpiringPassport, 'passportId'> & { passportId: string | null; last: string })[]
  >`
    with batch as materialized (
      select applicant_id, primary_id, archived_at, record from applicants
      where applicant_id > ${after} order by applicant_id limit ${limit}
    ), expiring as (
      select t.passport_id, b.applicant_id, b.primary_id, b.record, t.expires_on as expiry
      from batch b, lateral ${passportsOf(tx, 'b.record')} t
      where b.archived_at is null and t.expires_on between ${from}::date and ${to}::date
    )
    select l.last, e.passport_id as "passportId", e.applicant_id as "applicantId", e.expiry::text as expiry,
      (select max(n.due_on)::text from notifications n
        where n.passport_id = e.passport_id and n.expiry_date = e.expiry) as "lastDueOn",
      cardinality(${addressesOf(tx, 'e.record', 'p.record')}) > 0 as reachable
    from (select max(applicant_id) as last from batch) l
    left join expiring e on true
    left join applicants p on p.applicant_id = e.primary_id
    where l.last is not null`
  return {
    last: rows[0]?.last ?? null,
    passports: rows.flatMap(({ last: _last, passportId, ...rest }) =>
      passportId === null ? [] : [{ passportId, ...rest }],
    ),
  }
}

export interface NewPassportNotification {
  notificationId: string
  passportId: string
  applicantId: string
  expiry: string
  rung: string
  dueOn: string
  state: 'pending' | 'recorded'
}

/** Returns the passports whose notification is new. */
export async function insertPassportNotifications(
  tx: Tx,
  { notifications, now }: { notifications: NewPassportNotification[]; now: Date },
): Promise<string[]> {
  const rows = await tx<{ passportId: string }[]>`
    insert into notifications (notification_id, passport_id, applicant_id, expiry_date, rung, due_on, state,
      next_attempt_at, created_at)
    select "notificationId", "passportId", "applicantId", expiry, rung, "dueOn", state,
      case when state = 'pending' then ${now}::timestamptz end, ${now}::timestamptz
    from jsonb_to_recordset(${tx.json(notifications as never)}) as n (
      "notificationId" text, "passportId" text, "applicantId" text, expiry date, rung text, "dueOn" date, state text)
    on conflict (passport_id, expiry_date, rung) where passport_id is not null do nothing
    returning passport_id as "passportId"`
  return rows.map(({ passportId }) => passportId)
}
