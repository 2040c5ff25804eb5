// A database with one person, and the workers that find and send reminders of its documents.
import { after } from 'node:test'
import { createAudit } from '../../src/audit/audit.service.ts'
import { appendEvents } from '../../src/events/outbox.store.ts'
import { createMailer } from '../../src/reminders/notifications.worker.ts'
import { createRenewals } from '../../src/reminders/renewals.worker.ts'
import { createTestDatabase, silent, testClock } from '../support/harness.ts'

type Mail = { smtpUrl: string; from: string; cc: string | undefined; requireTls: boolean }

interface DocumentInput {
  id?: string
  expiry: string | null
  reminder?: string | number | null
  remind?: boolean
  person?: string
}

export async function setUpReminders({ mail, today = '2026-03-01' }: { mail?: Mail; today?: string } = {}) {
  const db = await createTestDatabase()
  const { sql } = db
  const clock = testClock(new Date(`${today}T00:00:30Z`))
  const recorders = { audit: createAudit({ sql, clock }).append, emit: appendEvents }
  const renewals = (defaultDays = [90, 30, 7]) => createRenewals({ db, clock, recorders, defaultDays, mail })
  const mailer = (settings: Mail) => {
    const made = createMailer({ db, clock, log: silent, mail: settings })
    after(() => made.stop())
    return made
  }
  const person = (id: string, record: object, primary: string | null = null) => sql`
    insert into applicants (applicant_id, primary_id, record, name_key, name_key_reversed, search_keys, created_at, updated_at)
    values (${id}, ${primary}, ${sql.json(record as never)}, '', '', '{}', now(), now())`
  await person('anna', { firstName: 'Anna', lastName: 'Schmidt', email: 'anna@example.com' })
  return {
    db,
    sql,
    clock,
    renewals,
    mailer,
    person,
    document: ({
      id = 'doc-1',
      expiry,
      reminder = null,
      remind = true,
      person: of = 'anna',
    }: DocumentInput) => sql`
      insert into documents (document_id, applicant_id, name, reference_number, country, expiry_date,
        remind_about_renewal, expiry_reminder, created_at, updated_at)
      values (${id}, ${of}, 'Work permit', 'WP-42', 'DE', ${expiry}, ${remind},
        ${reminder === null ? null : sql.json(reminder)}, now(), now())`,
    rungs: async () =>
      (
        await sql<{ text: string }[]>`
          select due_on || ' ' || rung || ' ' || state as text from notifications order by seq`
      ).map(({ text }) => text),
    events: async () => {
      const [row] = await sql<[{ count: number }]>`
        select count(*)::int as count from events where type = 'document.renewal_due'`
      return row.count
    },
    /** Runs the worker once a day for this number of days. */
    async runDaily(worker: { find(): Promise<void> }, days: number) {
      for (let day = 0; day < days; day++) {
        await worker.find()
        clock.advance(86_400)
      }
    },
  }
}
