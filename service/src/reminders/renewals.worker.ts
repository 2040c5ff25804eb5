// Records notifications of documents that are due for renewal, with their events: once per rung, however many services
// run. Only documents that are due for a check are read: renewal_checks has the day of each document's next rung, and a
// trigger resets it when the expiry, the schedule or the switch changes.
import { randomUUID } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { type Recorders, runUnitOfWork, systemActor, type UnitOfWork } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import { minusDays } from '../lib/dates.ts'
import { newId } from '../lib/ids.ts'
import { parseSchedule } from '../lib/schedule.ts'
import { dueRung, nextCheck } from './due.ts'
import * as store from './renewals.store.ts'

const BATCH_SIZE = 500
const RESET_BATCH = 5_000

interface Options {
  db: Database
  clock: Clock
  recorders: Recorders
  defaultDays: number[]
  /** Undefined where no mail server is configured. `cc` receives every mail. */
  mail: { cc: string | undefined } | undefined
}

export type Renewals = ReturnType<typeof createRenewals>

export function createRenewals({ db, clock, recorders, defaultDays, mail }: Options) {
  const ladder = defaultDays.join(',')

  const recordBatch = async (unit: UnitOfWork): Promise<number> => {
    const { tx, now } = unit
    const today = now.toISOString().slice(0, 10)
    const checks = await store.lockDueChecks(tx, { today, limit: BATCH_SIZE })
    const later: store.NextCheck[] = []
    const expired: string[] = []
    const due: (store.NewNotification & Pick<store.Check, 'applicantId' | 'caseId'>)[] = []
    for (const { documentId, applicantId, caseId, expiry, reminder, ...check } of checks) {
      const schedule = parseSchedule(reminder) ?? 'default'
      const query = { expiry, schedule, defaultDays, today, lastDueOn: check.lastDueOn }
      const rung = dueRung(query)
      if (today > expiry) expired.push(documentId)
      // There are no reminders for archived applicants. A daily check finds what is due once one is restored.
      else if (rung && check.archived) later.push({ documentId, checkOn: minusDays(today, -1) })
      else later.push({ documentId, checkOn: nextCheck(query) })
      if (!rung || check.archived) continue
      const reachable = mail !== undefined && (check.reachable || mail.cc !== undefined)
      due.push({
        notificationId: newId<'notification'>(),
        documentId,
        applicantId,
        caseId,
        expiry,
        rung: rung.name,
        dueOn: rung.dueOn,
        state: reachable ? 'pending' : 'recorded',
      })
    }
    const inserted = due.length > 0 ? await store.insertNotifications(tx, { notifications: due, now }) : []
    const isNew = new Set(inserted)
    for (const { documentId, applicantId, caseId } of due) {
      if (!isNew.has(documentId)) continue
      unit.audit({ action: 'document.remind', recordId: documentId })
      unit.emit({
        type: 'document.renewal_due',
        recordId: documentId,
        data: { documentId, applicantId, caseId },
      })
    }
    if (later.length > 0) await store.updateChecks(tx, { checks: later, ladder })
    if (expired.length > 0) await store.deleteChecks(tx, expired)
    return checks.length
  }

  const run = <T>(work: (unit: UnitOfWork) => Promise<T>) => {
    const actor = systemActor('caseport', randomUUID())
    return db.transaction(tx => runUnitOfWork({ tx, actor, now: clock.now(), recorders, work }))
  }

  const resetChecks = async () => {
    let after: string | undefined = ''
    while (after !== undefined) {
      const from: string = after
      after = await run(({ tx }) => store.resetChecks(tx, { ladder, after: from, limit: RESET_BATCH }))
    }
  }

  let checksReset = false
  return {
    /** Records everything that is due now. */
    async find(): Promise<void> {
      if (!checksReset && (await store.hasOtherLadder(db.sql, ladder))) await resetChecks()
      checksReset = true
      while ((await run(recordBatch)) > 0);
    },
  }
}
