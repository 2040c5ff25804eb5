// Three services on one database, killed and paused at random. Effects are counted in the database and by a webhook
// receiver: each effect has one event, each event one id. A receiver may get an id twice, because a service can die between
// sending an event and recording the delivery, but must not miss one.
import { randomInt } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { createExternalPostgres } from '../service/test/support/external-postgres.ts'
import type { Attack, Context, Outcome } from './attack.ts'
import { type Client, createClient } from './support/client.ts'
import { type Fleet, launchFleet } from './support/fleet.ts'
import { openLedger } from './support/ledger.ts'
import { startReceiver } from './support/receiver.ts'
import { tokenOf } from './support/service.ts'
import { createCompany, createWriters, waitForWrites, writeDuring } from './support/writers.ts'

const WRITERS = 12
/** Longer than the claim on a delivery, so that another service takes over while the first still considers it its own. */
const LONG_PAUSE_MS = 35_000
const MIGRATIONS = join(import.meta.dirname, '..', 'service', 'migrations')

async function run(context: Context): Promise<Outcome> {
  const { quick, folder, progress, after } = context
  const rounds = quick ? 3 : 30
  const reminders = quick ? 40 : 400
  const server = await createExternalPostgres({ folder: join(folder, 'external') })
  after(server.kill)
  const sql = server.sql()
  after(() => sql.end())
  const env = { WEBHOOK_ALLOW_PRIVATE: 'on', LOG_LEVEL: 'info' }
  const fleet = await launchFleet({ context, databaseUrl: server.url, env })
  const findings = await migratedOnce(sql, fleet)

  const client = createClient(fleet.url, { token: await tokenOf(fleet.url()) })
  after(client.close)
  await createCompany(client)
  const receiver = await startReceiver()
  after(receiver.close)
  const webhook = await client.call({
    method: 'POST',
    path: '/admin/v1/webhooks',
    body: { url: receiver.url, description: 'attack', eventTypes: [] },
  })
  if (webhook.status !== 201) throw new Error(`No webhook: ${webhook.text}`)

  const ledger = openLedger(join(folder, 'ledger'))
  after(ledger.close)
  const writers = createWriters({ client, ledger, mayHang: true })
  await writeDuring(writers, { count: quick ? 6 : WRITERS }, async () => {
    for (let round = 1; round <= rounds; round++) {
      await waitForWrites(writers, randomInt(20, quick ? 60 : 200), 2000)
      await killOrPause(fleet, { round, long: !quick && round === 1 })
      progress(round, rounds, `${writers.counts.acknowledged} acknowledged`)
    }
  })
  await createReminders(client, reminders)
  // Each service looks for due reminders at its start, here all three at the same time.
  await Promise.all(fleet.members.map((_, index) => fleet.replace(index)))

  const { lost, checked } = await writers.verify(client)
  const undelivered = await waitForDeliveries(sql, quick ? 5_000 : 90_000)
  findings.push(...writers.errors, ...lost, ...(await wrongEffects(sql, reminders)))
  const events = await sql<{ event_id: string }[]>`
    select e.event_id from events e join webhook_deliveries d on d.event_seq = e.seq where d.state = 'delivered'`
  const missed = events.filter(({ event_id: id }) => !receiver.deliveries.has(id)).length
  if (missed > 0) findings.push(`${missed} events are recorded as delivered but did not arrive`)
  if (undelivered > 0 && !quick) findings.push(`${undelivered} events were never delivered`)
  const redelivered = [...receiver.deliveries.values()].filter(count => count > 1).length
  const { acknowledged, unknown } = writers.counts
  return {
    figures: `${fleet.kills} kills, ${fleet.pauses} pauses; ${acknowledged} writes acknowledged, ${unknown} without a response; of ${checked} records ${lost.length} lost; ${events.length} events delivered, ${missed} missed, ${redelivered} delivered again with the same id; ${reminders} reminders, each once; migrations run once by three services`,
    findings,
  }
}

async function migratedOnce(sql: postgres.Sql, { members }: Fleet): Promise<string[]> {
  const expected = readdirSync(MIGRATIONS).filter(name => name.endsWith('.sql')).length
  const [row] = await sql`select count(*)::int as applied from schema_migrations`
  const runs = members.map(member => member.output().split('migration applied').length - 1)
  const total = runs.reduce((sum, each) => sum + each, 0)
  return row?.['applied'] === expected && total === expected
    ? []
    : [`${expected} migrations: ${row?.['applied']} recorded, run ${runs.join(' + ')} times`]
}

async function killOrPause(fleet: Fleet, { round, long }: { round: number; long: boolean }): Promise<void> {
  const victim = randomInt(fleet.members.length)
  const other = (victim + 1) % fleet.members.length
  if (long) return fleet.pause(victim, LONG_PAUSE_MS, true)
  if (round % 3 === 0) await Promise.all([fleet.replace(victim), fleet.pause(other, randomInt(200, 3000))])
  else if (round % 3 === 1) await fleet.replace(victim)
  else await fleet.pause(victim, randomInt(200, 3000))
}

async function createReminders(client: Client, count: number): Promise<void> {
  const soon = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
  const create = (each: number) =>
    client.call({
      method: 'PUT',
      path: `/v2/applicant/employeenumber/R-${each}`,
      body: {
        primaryApplicant: {
          firstName: 'R',
          lastName: 'R',
          documents: [{ name: 'Permit', expiryDate: soon, remindAboutRenewal: true }],
        },
      },
    })
  for (let from = 0; from < count; from += 20)
    await Promise.all(Array.from({ length: Math.min(20, count - from) }, (_, each) => create(from + each)))
}

/** Waits until every event is delivered; returns how many are not. */
async function waitForDeliveries(sql: postgres.Sql, timeoutMs: number): Promise<number> {
  for (const end = performance.now() + timeoutMs; ; await sleep(250)) {
    const [row] = await sql`
      select (select count(*) from events e where not exists (
          select from webhook_deliveries d where d.event_seq = e.seq and d.state = 'delivered'))
        - (select count(*) from events where seq <= (select coalesce(min(event_seq), 0) - 1 from webhook_deliveries))
        as open`
    const open = Number(row?.['open'])
    if (open === 0 || performance.now() > end) return open
  }
}

/** Duplicate or missing effects: records without exactly one event, documents without exactly one reminder. */
async function wrongEffects(sql: postgres.Sql, reminders: number): Promise<string[]> {
  const rows = await sql<{ what: string; id: string; count: number }[]>`
    select 'events of a created applicant' as what, a.applicant_id as id, count(e.seq)::int as count
    from applicants a left join events e on e.record_id = a.applicant_id and e.type like '%.created'
    group by a.applicant_id having count(e.seq) <> 1
    union all
    select 'events of a created case', c.case_id, count(e.seq)::int
    from cases c left join events e on e.record_id = c.case_id and e.type = 'case.created'
    group by c.case_id having count(e.seq) <> 1
    union all
    select 'notes against events of a case', c.case_id,
      (select count(*) from case_notes n where n.case_id = c.case_id)::int
    from cases c
    where (select count(*) from case_notes n where n.case_id = c.case_id)
      <> (select count(*) from events e where e.record_id = c.case_id and e.type = 'case.note_added')
    union all
    select 'deliveries of an event', e.event_id, count(*)::int
    from events e join webhook_deliveries d on d.event_seq = e.seq group by e.event_id having count(*) > 1
    union all
    select 'reminders of a document', d.document_id, count(e.seq)::int
    from documents d left join events e on e.record_id = d.document_id and e.type = 'document.renewal_due'
    where d.remind_about_renewal group by d.document_id having count(e.seq) <> 1`
  const [row] = await sql`select count(*)::int as count from notifications`
  const found = rows.map(({ what, id, count }) => `${what}: ${count} (${id})`)
  if (row?.['count'] !== reminders) found.push(`${row?.['count']} reminders instead of ${reminders}`)
  return found
}

export const threeServices: Attack = {
  name: 'three-services',
  title: 'three services on one database, killed and paused at random',
  must: '0 lost, no duplicate effect, no reminder twice, migrations run once',
  run,
}
