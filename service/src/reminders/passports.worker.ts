// Records notifications of passports that are due for renewal, with their events: once for each passport, expiry date and
// rung. A walk through all records each day finds them, so that writes of records cost nothing more. Services share one
// walk, and the next batch resumes what a crash interrupts.
import { randomUUID } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { type Recorders, runUnitOfWork, systemActor, type UnitOfWork } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import { minusDays } from '../lib/dates.ts'
import { newId } from '../lib/ids.ts'
import { dueRung } from './due.ts'
import * as store from './passports.store.ts'

const BATCH_SIZE = 500

interface Options {
  db: Database
  clock: Clock
  recorders: Recorders
  /** Days before the expiry; none switches these reminders off. */
  days: number[]
  /** Undefined where no mail server is configured. `cc` receives every mail. */
  mail: { cc: string | undefined } | undefined
}

export type PassportReminders = ReturnType<typeof createPassportReminders>

export function createPassportReminders({ db, clock, recorders, days, mail }: Options) {
  const ladder = days.join(',')
  const longest = Math.max(0, ...days)

  /** Returns whether there is more to do now. */
  const walkBatch = async (unit: UnitOfWork): Promise<boolean> => {
    const { tx, now } = unit
    const today = now.toISOString().slice(0, 10)
    const walk = await store.lockWalk(tx)
    if (!walk) return false
    const isCurrent = walk.walkedOn === today && walk.ladder === ladder
    if (isCurrent && walk.after === null) return false
    const after = isCurrent && walk.after !== null ? walk.after : ''
    const to = minusDays(today, -longest)
    const { passports, last } = await store.listExpiringPassports(tx, {
      after,
      limit: BATCH_SIZE,
      from: today,
      to,
    })
    await record(unit, passports, today)
    await store.updateWalk(tx, { walkedOn: today, ladder, after: last })
    return last !== null
  }

  const record = async (unit: UnitOfWork, passports: store.ExpiringPassport[], today: string) => {
    const due = passports.flatMap(({ passportId, applicantId, expiry, lastDueOn, reachable }) => {
      const rung = dueRung({ expiry, schedule: { days }, defaultDays: days, today, lastDueOn })
      if (!rung) return []
      const canSend = mail !== undefined && (reachable || mail.cc !== undefined)
      return [
        {
          notificationId: newId<'notification'>() as string,
          passportId,
          applicantId,
          expiry,
          rung: rung.name,
          dueOn: rung.dueOn,
          state: canSend ? ('pending' as const) : ('recorded' as const),
        },
      ]
    })
    if (due.length === 0) return
    const inserted = await store.insertPassportNotifications(unit.tx, { notifications: due, now: unit.now })
    const isNew = new Set(inserted)
    for (const { passportId, applicantId } of due) {
      if (!isNew.has(passportId)) continue
      unit.audit({ action: 'passport.remind', recordId: applicantId })
      unit.emit({
        type: 'passport.renewal_due',
        recordId: applicantId,
        data: { applicantId, passportId },
      })
    }
  }

  return {
    /** Records everything that is due today, once a day. */
    async find(): Promise<void> {
      if (days.length === 0) return
      const walkOn = () => {
        const actor = systemActor('caseport', randomUUID())
        return db.transaction(tx =>
          runUnitOfWork({ tx, actor, now: clock.now(), recorders, work: walkBatch }),
        )
      }
      while (await walkOn());
    },
  }
}
