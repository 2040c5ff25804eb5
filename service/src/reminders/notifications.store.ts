// The list of notifications for operators, and the queue of those that are still to be sent.
import type { Sql } from '../db/database.ts'
import { type BehindFlag, keyset, type Page, type PositionedRow, pageOf, type Window } from '../db/keyset.ts'
import { utc } from '../db/types.ts'
import type { Reminder } from './message.ts'

interface Listed extends PositionedRow {
  json: string
}

export async function listNotifications(
  sql: Sql,
  window: Window,
  { state }: { state?: string },
): Promise<Page<Listed>> {
  const filter = state === undefined ? sql`` : sql`and k.state = ${state}`
  const columns = ['notification_id']
  const page = keyset(sql, window, {
    table: 'notifications',
    column: 'created_at',
    isDay: false,
    columns,
    filter,
  })
  const rows = await sql<(Listed & BehindFlag)[]>`
    select k.key_at as at, k.seq, ${page.behind} as behind, (
      select row_to_json(r)::text from (
        select n.notification_id as "notificationId", n.document_id as "documentId", d.applicant_id as "applicantId",
          n.expiry_date as "expiryDate", n.rung, n.due_on as "dueOn", n.state, n.attempts,
          case when n.state = 'pending' then ${utc(sql, 'n.next_attempt_at')} end as "nextAttemptAt",
          n.last_error as "lastError", ${utc(sql, 'n.created_at')} as "createdAt", ${utc(sql, 'n.sent_at')} as "sentAt"
      ) r
    ) as json
    from (${page.rows}) k
    join notifications n using (notification_id)
    join documents d using (document_id)
    order by ${page.order}`
  return pageOf(window, rows, () => sql<BehindFlag[]>`select ${page.behind} as behind`)
}

export interface Claimed extends Reminder {
  /** With this one. It is also the proof of the claim: whoever claims next counts on. */
  attempts: number
  address: string | null
  /** Whether the document still has this expiry and wants reminders. */
  current: boolean
  /** Whether a later rung has been recorded since. */
  superseded: boolean
}

/** The next ones to send, with what is to be said as it is now. Until `until` nobody else takes them. */
export async function claimNotifications(
  sql: Sql,
  { limit, until, now }: { limit: number; until: Date; now: Date },
): Promise<Claimed[]> {
  return sql<Claimed[]>`
    with due as materialized (
      select notification_id from notifications where state = 'pending' and next_attempt_at <= ${now}
      order by next_attempt_at limit ${limit}
      for update skip locked
    )
    update notifications n set attempts = n.attempts + 1, next_attempt_at = ${until}
    from due, documents d
    join applicants a using (applicant_id)
    left join applicants p on p.applicant_id = a.primary_id
    where n.notification_id = due.notification_id and d.document_id = n.document_id
    returning n.notification_id as "notificationId", n.expiry_date as expiry, n.attempts, d.name as "documentName",
      d.reference_number as "referenceNumber", d.country,
      a.record->>'firstName' as "firstName", a.record->>'lastName' as "lastName",
      coalesce(nullif(a.record->>'email', ''), nullif(a.record->>'alternateEmail', ''), nullif(p.record->>'email', ''))
        as address,
      d.remind_about_renewal and a.archived_at is null and d.removed_at is null and d.expiry_date::date is not distinct from n.expiry_date
        as current,
      exists (
        select from notifications l
        where l.document_id = n.document_id and l.expiry_date = n.expiry_date and l.due_on > n.due_on) as superseded`
}

interface Ending {
  claimed: Claimed
  state: 'sent' | 'recorded' | 'failed'
  error: string | null
  now: Date
}

/** Does nothing where the claim has passed to another. */
export async function endNotification(sql: Sql, { claimed, state, error, now }: Ending): Promise<void> {
  await sql`
    update notifications
    set state = ${state}, next_attempt_at = null, last_error = ${error},
      sent_at = case when ${state === 'sent'} then ${now}::timestamptz end
    where notification_id = ${claimed.notificationId} and attempts = ${claimed.attempts} and state = 'pending'`
}

export async function postpone(
  sql: Sql,
  { claimed, until, error }: { claimed: Claimed; until: Date; error: string },
): Promise<void> {
  await sql`
    update notifications set next_attempt_at = ${until}, last_error = ${error}
    where notification_id = ${claimed.notificationId} and attempts = ${claimed.attempts} and state = 'pending'`
}
