// Finds what is due for renewal and records it, with the event that tells of it, once for each rung however many
// services run. Only documents whose day has come are read: renewal_checks holds the day of each one's next rung, and a
// trigger sets it back when an expiry, a schedule or the switch is changed.
import { randomUUID } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { type Recorders, runUnitOfWork, type UnitOfWork } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import { minusDays } from '../lib/dates.ts'
import { newId } from '../lib/ids.ts'
import { parseSchedule } from '../lib/schedule.ts'
import { dueRung, nextCheck } from './due.ts'
import * as store from './renewals.store.ts'

const AT_ONCE = 500

interface Options {
  db: Database
  clock: Clock
  recorders: Recorders
  defaultDays: number[]
  /** Undefined where there is no way to write to anyone; `cc` hears of everything. */
  mail: { cc: string | undefined } | undefined
}

export type Renewals = ReturnType<typeof createRenewals>

export function createRenewals({ db, clock, recorders, defaultDays, mail }: Options) {
  const ladder = defaultDays.join(',')

  const findSome = async (unit: UnitOfWork): Promise<number> => {
    const { tx, now } = unit
    const today = now.toISOString().slice(0, 10)
    const checks = await store.lockDueChecks(tx, { today, limit: AT_ONCE })
    const later: store.NextCheck[] = []
    const over: string[] = []
    const due: (store.NewNotification & Pick<store.Check, 'applicantId' | 'caseId'>)[] = []
    for (const { documentId, applicantId, caseId, expiry, reminder, ...check } of checks) {
      const schedule = parseSchedule(reminder) ?? 'default'
      const question = { expiry, schedule, defaultDays, today, lastDueOn: check.lastDueOn }
      const rung = dueRung(question)
      if (today > expiry) over.push(documentId)
      // Nobody is reminded for somebody in the archive; should they come back, what was missed is found the next day.
      else if (rung && check.archived) later.push({ documentId, checkOn: minusDays(today, -1) })
      else later.push({ documentId, checkOn: nextCheck(question) })
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
    const made = due.length > 0 ? await store.insertNotifications(tx, { notifications: due, now }) : []
    const isNew = new Set(made)
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
    if (over.length > 0) await store.deleteChecks(tx, over)
    return checks.length
  }

  const run = <T>(work: (unit: UnitOfWork) => Promise<T>) => {
    const actor = { clientId: 'caseport', requestId: randomUUID(), traceId: undefined }
    return db.transaction(tx => runUnitOfWork({ tx, actor, now: clock.now(), recorders, work }))
  }

  let prepared = false
  return {
    /** Records everything that is due now. */
    async find(): Promise<void> {
      if (!prepared) await run(({ tx }) => store.resetChecks(tx, ladder))
      prepared = true
      while ((await run(findSome)) > 0);
    },
  }
}
