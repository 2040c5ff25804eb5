// Reminders that came due, for other features.
import type { Sql } from '../db/database.ts'
import type { Slice } from '../db/keyset.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import * as store from './notifications.store.ts'

export type Reminders = ReturnType<typeof createReminders>

export function createReminders(sql: Sql) {
  return {
    /** Of these documents and passports, by the time at which they came due. */
    listAdded: (about: store.Subjects, slice: Slice) => store.listReminders(sql, about, slice),
    /** At most `limit`. */
    countAdded: (about: store.Subjects, limit: number) => store.countReminders(sql, about, limit),
  }
}

/** The notifications about passports of people who are merged. */
export const mergedReminders = {
  move: ({ tx }: UnitOfWork, move: { from: string; to: string }): Promise<string[]> =>
    store.movePassportNotifications(tx, move),

  /** Also those that came due since about the passports that go back. */
  moveBack: (
    { tx }: UnitOfWork,
    move: { ids: string[]; passportIds: string[]; from: string; to: string },
  ): Promise<void> => store.returnPassportNotifications(tx, move),
}
