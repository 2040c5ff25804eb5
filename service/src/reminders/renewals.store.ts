// Documents to check for renewal, and the notifications recorded for them.
import type { Sql, Tx } from '../db/database.ts'
import { addressesOf } from './addresses.ts'

export interface Check {
  documentId: string
  applicantId: string
  caseId: string | null
  expiry: string
  reminder: string | number | null
  /** Due date of the latest notification for this expiry. */
  lastDueOn: string | null
  /** Whether the applicant is archived. */
  archived: boolean
  /** Whether the applicant has an e-mail address. */
  reachable: boolean
}

/**
 * Locks and returns documents that are due for a check; rows that another worker has locked are skipped. The document's
 * own row is locked too, so that its expiry stays the one of the notification, and its events stay in order.
 */
export async function lockDueChecks(
  tx: Tx,
  { today, limit }: { today: string; limit: number },
): Promise<Check[]> {
  return tx<Check[]>`
    select d.document_id as "documentId", d.applicant_id as "applicantId",
      d.case_id as "caseId", d.expiry_date::date as expiry,
      d.expiry_reminder as reminder, a.archived_at is not null as archived,
      (select max(n.due_on) from notifications n
        where n.document_id = d.document_id and n.expiry_date = d.expiry_date::date) as "lastDueOn",
      cardinality(${addressesOf(tx, 'a.record', 'p.record')}) > 0 as reachable
    from renewal_checks c
    join documents d using (document_id)
    join applicants a using (applicant_id)
    left join applicants p on p.applicant_id = a.primary_id
    where c.check_on <= ${today} and d.removed_at is null
    order by c.check_on
    limit ${limit}
    for update of c, d skip locked`
}

export interface NewNotification {
  notificationId: string
  documentId: string
  expiry: string
  rung: string
  dueOn: string
  state: 'pending' | 'recorded'
}

/** Returns the documents whose notification is new. */
export async function insertNotifications(
  tx: Tx,
  { notifications, now }: { notifications: NewNotification[]; now: Date },
): Promise<string[]> {
  const rows = await tx<{ documentId: string }[]>`
    insert into notifications (notification_id, document_id, expiry_date, rung, due_on, state, next_attempt_at, created_at)
    select "notificationId", "documentId", expiry, rung, "dueOn", state, case when state = 'pending' then ${now} end, ${now}
    from jsonb_to_recordset(${tx.json(notifications as never)}) as n (
      "notificationId" text, "documentId" text, expiry date, rung text, "dueOn" date, state text)
    on conflict on constraint notifications_once do nothing
    returning document_id as "documentId"`
  return rows.map(({ documentId }) => documentId)
}

export interface NextCheck {
  documentId: string
  checkOn: string
}

export async function updateChecks(
  tx: Tx,
  { checks, ladder }: { checks: NextCheck[]; ladder: string },
): Promise<void> {
  await tx`
    update renewal_checks c set check_on = n."checkOn", ladder = ${ladder}
    from jsonb_to_recordset(${tx.json(checks as never)}) as n ("documentId" text, "checkOn" date)
    where c.document_id = n."documentId"`
}

export async function deleteChecks(tx: Tx, documentIds: string[]): Promise<void> {
  await tx`delete from renewal_checks where document_id = any(${documentIds}::text[])`
}

/** Whether there are checks that were computed with another default ladder. */
export async function hasOtherLadder(sql: Sql, ladder: string): Promise<boolean> {
  const { count } = await sql`
    select from renewal_checks where ladder <> ${ladder} and check_on <> '-infinity' limit 1`
  return count > 0
}

/** Makes checks of another default ladder due, in the order of their documents. Returns the last one that it looked at. */
export async function resetChecks(
  tx: Tx,
  { ladder, after, limit }: { ladder: string; after: string; limit: number },
): Promise<string | undefined> {
  const rows = await tx<{ documentId: string }[]>`
    with looked as materialized (
      select document_id, ladder from renewal_checks where document_id > ${after} order by document_id limit ${limit}
    ), reset as (
      update renewal_checks c set check_on = '-infinity'
      from looked l
      where c.document_id = l.document_id and l.ladder <> ${ladder} and c.check_on <> '-infinity'
    )
    select document_id as "documentId" from looked order by document_id desc limit 1`
  return rows[0]?.documentId
}
