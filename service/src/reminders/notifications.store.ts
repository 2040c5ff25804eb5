// Notifications: the list for operators, and the queue of those to send.
import type { Sql } from '../db/database.ts'
import { type BehindFlag, keyset, type Page, type PositionedRow, pageOf, type Window } from '../db/keyset.ts'
import type { Reminder } from './message.ts'

export interface NotificationRow {
  notificationId: string
  documentId: string
  applicantId: string
  expiryDate: string
  rung: string
  dueOn: string
  state: 'pending' | 'sent' | 'recorded' | 'failed'
  attempts: number
  nextAttemptAt: Date | null
  lastError: string | null
  createdAt: Date
  sentAt: Date | null
}

export async function listNotifications(
  sql: Sql,
  window: Window,
  { state }: { state?: string },
): Promise<Page<NotificationRow & PositionedRow>> {
  const filter = state === undefined ? sql`` : sql`and k.state = ${state}`
  const columns = ['notification_id']
  const page = keyset(sql, window, {
    table: 'notifications',
    column: 'created_at',
    isDay: false,
    columns,
    filter,
    byCompany: true,
  })
  const rows = await sql<(NotificationRow & PositionedRow & BehindFlag)[]>`
    select k.key_at as at, k.seq, ${page.behind} as behind, n.notification_id as "notificationId",
      n.document_id as "documentId", d.applicant_id as "applicantId", n.expiry_date as "expiryDate", n.rung,
      n.due_on as "dueOn", n.state, n.attempts, n.next_attempt_at as "nextAttemptAt", n.last_error as "lastError",
      n.created_at as "createdAt", n.sent_at as "sentAt"
    from (${page.rows}) k
    join notifications n using (notification_id)
    join documents d using (document_id)
    order by ${page.order}`
  return pageOf(window, rows, () => sql<BehindFlag[]>`select ${page.behind} as behind`)
}

export interface Claimed extends Reminder {
  /** Including this one. Also the token of the claim: the next claim increments it. */
  attempts: number
  address: string | null
  /** Whether the document still has this expiry and wants reminders. */
  current: boolean
  /** Whether a later rung has been recorded since. */
  superseded: boolean
}

/** Claims the next notifications to send until `until`, and returns them with the current state of their documents. */
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
    returning n.notification_id as "notificationId", n.expiry_date as expiry, n.attempts,
      coalesce(nullif(a.record->>'email', ''), nullif(a.record->>'alternateEmail', ''), nullif(p.record->>'email', ''))
        as address,
      d.remind_about_renewal and a.archived_at is null and d.removed_at is null and d.expiry_date::date is not distinct from n.expiry_date
        as current,
      exists (
        select from notifications l
        where l.document_id = n.document_id and l.expiry_date = n.expiry_date and l.due_on > n.due_on) as superseded`
}

interface Outcome {
  claimed: Claimed
  state: 'sent' | 'recorded' | 'failed'
  error: string | null
  now: Date
}

/** A no-op where another worker has claimed the notification since. */
export async function finishNotification(sql: Sql, { claimed, state, error, now }: Outcome): Promise<void> {
  await sql`
    update notifications
    set state = ${state}, next_attempt_at = null, last_error = ${error},
      sent_at = case when ${state === 'sent'} then ${now}::timestamptz end
    where notification_id = ${claimed.notificationId} and attempts = ${claimed.attempts} and state = 'pending'`
}

export async function postponeNotification(
  sql: Sql,
  { claimed, until, error }: { claimed: Claimed; until: Date; error: string },
): Promise<void> {
  await sql`
    update notifications set next_attempt_at = ${until}, last_error = ${error}
    where notification_id = ${claimed.notificationId} and attempts = ${claimed.attempts} and state = 'pending'`
}
