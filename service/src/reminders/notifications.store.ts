// Notifications: the list for operators, and the queue of those to send.
import type { Sql, Tx } from '../db/database.ts'
import {
  type BehindFlag,
  keyset,
  type Page,
  type PositionedRow,
  pageOf,
  type Slice,
  sliceOf,
  type Window,
} from '../db/keyset.ts'
import { every } from '../db/limited.ts'
import { passportsOf } from '../db/passports.ts'
import { addressesOf } from './addresses.ts'
import type { Reminder } from './message.ts'

export interface NotificationRow {
  notificationId: string
  /** One of the two: what expires. */
  documentId: string | null
  passportId: string | null
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
      n.document_id as "documentId", n.passport_id as "passportId",
      coalesce(n.applicant_id, d.applicant_id) as "applicantId", n.expiry_date as "expiryDate", n.rung,
      n.due_on as "dueOn", n.state, n.attempts, n.next_attempt_at as "nextAttemptAt", n.last_error as "lastError",
      n.created_at as "createdAt", n.sent_at as "sentAt"
    from (${page.rows}) k
    join notifications n using (notification_id)
    left join documents d using (document_id)
    order by ${page.order}`
  return pageOf(window, rows, () => sql<BehindFlag[]>`select ${page.behind} as behind`)
}

export interface ReminderRow extends PositionedRow {
  notificationId: string
  /** Null for a passport. */
  documentId: string | null
  /** Whose passport; null for a document. */
  applicantId: string | null
  /** YYYY-MM-DD. */
  expiryDate: string
  rung: string
  state: NotificationRow['state']
}

export interface Subjects {
  documentIds: string[]
  /** Whose passports; null for documents only. */
  applicantId: string | null
}

const isAbout = (sql: Sql, { documentIds, applicantId }: Subjects) =>
  sql`(k.document_id = any(${documentIds}::text[]) or k.applicant_id = ${applicantId})`

export async function listReminders(sql: Sql, about: Subjects, slice: Slice): Promise<ReminderRow[]> {
  const { where, order } = sliceOf(sql, slice, 'created_at')
  return sql<ReminderRow[]>`
    select k.created_at as at, k.seq, k.notification_id as "notificationId", k.document_id as "documentId",
      k.applicant_id as "applicantId", k.expiry_date as "expiryDate", k.rung, k.state
    from notifications k
    where ${isAbout(sql, about)} and ${where}
    ${order}`
}

/** At most `limit`. */
export async function countReminders(sql: Sql, about: Subjects, limit: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::integer as count
    from (select from notifications k where ${isAbout(sql, about)} limit ${limit}) limited`
  return row.count
}

export interface Claimed extends Reminder {
  /** Including this one. Also the token of the claim: the next claim increments it. */
  attempts: number
  /** Of the person, and of the primary applicant. They may be no addresses at all. */
  addresses: string[]
  /** Whether the document or passport still has this expiry, and the document wants reminders. */
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
    from due
    join notifications o using (notification_id)
    left join documents d on d.document_id = o.document_id
    join applicants a on a.applicant_id = coalesce(o.applicant_id, d.applicant_id)
    left join applicants p on p.applicant_id = a.primary_id
    where n.notification_id = due.notification_id
    returning n.notification_id as "notificationId", n.expiry_date as expiry, n.attempts,
      ${addressesOf(sql, 'a.record', 'p.record')} as addresses,
      a.archived_at is null and case
        when d.document_id is null then exists (
          select from ${passportsOf(sql, 'a.record')} t
          where t.passport_id = o.passport_id and t.expires_on = o.expiry_date)
        else d.remind_about_renewal and d.removed_at is null
          and d.expiry_date::date is not distinct from o.expiry_date
      end as current,
      exists (
        select from notifications l
        where l.document_id = o.document_id and l.expiry_date = o.expiry_date and l.due_on > o.due_on
      ) or exists (
        select from notifications l
        where l.passport_id = o.passport_id and l.expiry_date = o.expiry_date and l.due_on > o.due_on
      ) as superseded`
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

/** Moves the notifications about passports of one applicant to another, and returns their ids. */
export async function movePassportNotifications(
  tx: Tx,
  { from, to }: { from: string; to: string },
): Promise<string[]> {
  const rows = await tx<{ notificationId: string }[]>`
    update ${every(tx, 'notifications')} n set applicant_id = a.applicant_id, company_set_id = a.company_set_id
    from ${every(tx, 'applicants')} a
    where n.applicant_id = ${from} and a.applicant_id = ${to}
    returning n.notification_id as "notificationId"`
  return rows.map(row => row.notificationId)
}

/** Moves these notifications, and those about these passports, back to the applicant they were about. */
export async function returnPassportNotifications(
  tx: Tx,
  { ids, passportIds, from, to }: { ids: string[]; passportIds: string[]; from: string; to: string },
): Promise<void> {
  await tx`
    update ${every(tx, 'notifications')} n set applicant_id = a.applicant_id, company_set_id = a.company_set_id
    from ${every(tx, 'applicants')} a
    where n.applicant_id = ${from} and a.applicant_id = ${to}
      and (n.notification_id = any(${ids}::text[]) or n.passport_id = any(${passportIds}::text[]))`
}
