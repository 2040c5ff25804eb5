// Ten thousand documents become due while the clock crosses the ends of months and of a year, a leap day and both changes
// of summer time and is set back twice, and while the service is killed as it sends. Mails and webhook events are
// deduplicated by their ids, as a receiver does. Tokens and a list that is paged by cursor are checked meanwhile.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from '../attack.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { inDatabase } from '../support/repository.ts'
import { launch, type Service, tokenOf } from '../support/service.ts'
import type { Target } from '../support/uploads.ts'
import { DAYS, enterDocuments, type Watched, ZONE } from './renewals.ts'
import { type Sink, startMailSink, startWebhookSink } from './sinks.ts'
import { startWalk, walkErrors } from './walk.ts'

/** Interval of the search for due renewals in the service. */
const RENEWAL_INTERVAL_MS = 60_000
/** Mails that the service sends concurrently: one kill can repeat at most these. */
const CONCURRENT_MAILS = 5

export const time: Attack = {
  name: 'time',
  title: 'time: months, a leap day, summer time, forward and back, with kills',
  must: 'every reminder once by mail and by webhook, none missed, none early; cursors and tokens stay valid as specified',
  breaks: ['reminder-claim'],
  async run({ quick, broken, folder, progress, after }) {
    const count = quick ? 500 : 10_000
    // The clock also runs fast, so that claims of minutes expire, and the next search starts, within seconds.
    const speed = quick ? 40 : 20
    const timeoutMs = quick ? 30_000 : 90_000
    const [mails, events] = await Promise.all([startMailSink(), startWebhookSink()])
    after(() => mails.close())
    after(() => events.close())
    const clock = createFakeClock(folder)
    clock.set(new Date(DAYS[0]?.from ?? ''), speed)
    const data = join(folder, 'data')
    const env = {
      ...clock.env,
      DATA_DIR: data,
      TZ: ZONE,
      SMTP_URL: mails.url,
      SMTP_TLS: 'off',
      MAIL_FROM: 'Caseport <renewals@example.com>',
      WEBHOOK_ALLOW_PRIVATE: 'on',
    }
    let service: Service = await launch(env)
    after(() => service.kill())
    await service.ready()
    const restart = async (signal: NodeJS.Signals) => {
      await service.kill(signal)
      service = await launch(env)
      await service.ready()
    }
    const target = async (): Promise<Target> => ({ url: service.url, token: await tokenOf(service.url) })
    const findings: string[] = []
    const expect = (holds: boolean, finding: string) => {
      if (!holds) findings.push(finding)
    }

    const first = await target()
    await addWebhook(first, events.url)
    const watched = await enterDocuments(first, { count })
    if (broken === 'reminder-claim') await markSentWhenClaimed(data)
    const walk = startWalk({ startDate: '2028-01-01', endDate: '2028-12-31', maxRecords: String(count / 20) })
    let earlier = first
    let kills = 0

    for (const [index, day] of DAYS.entries()) {
      const before = events.total()
      if (index > 0) {
        const forward = new Date(day.from) > clock.now()
        clock.set(new Date(day.from), speed)
        // Alternates: a running service sees its clock change, or a service is started after the change.
        if (index % 2 === 0) service.child.kill('SIGUSR2')
        else await restart('SIGTERM')
        await sleep(100)
        const status = await statusOf({ ...earlier, url: service.url })
        expect(status === 401 || (status === 200 && !forward), `an earlier token got ${status} (${day.what})`)
      }
      const current = await target()
      expect((await statusOf(current)) === 200, `a new token was rejected (${day.what})`)
      await walk.nextPage(current)
      if (day.late) watched.push(...(await enterDocuments(current, { count: 50, late: true })))

      const planned = quick ? Math.min(1, day.kills) : day.kills
      if (planned > 0) await until(() => events.total() > before, timeoutMs)
      for (let kill = 0; kill < planned; kill++) {
        await waitForKillMoment(kill, { mails, events })
        await restart('SIGKILL')
        kills++
      }
      const due = watched.reduce((sum, { on }) => sum + on.filter(dayIndex => dayIndex <= index).length, 0)
      await until(() => mails.arrived.size >= due && events.arrived.size >= due, timeoutMs)
      // Long enough for another search, which must find nothing.
      await sleep(RENEWAL_INTERVAL_MS / speed + 500)
      const documents = await documentsByNotification(await target())
      findings.push(...compare(watched, { index, mails, events, documents }))
      progress(
        index + 1,
        DAYS.length,
        `${mails.arrived.size} mails, ${events.arrived.size} events, ${due} due`,
      )
      earlier = await target()
      if (findings.length > 0) break
    }

    while (findings.length === 0 && (await walk.nextPage(await target())));
    if (findings.length === 0)
      findings.push(
        ...walkErrors(
          walk,
          watched.map(({ documentId }) => documentId),
        ),
      )
    expect((await statusOf({ ...first, url: service.url })) === 401, 'the first token never expires')
    const repeated = mails.total() - mails.arrived.size
    expect(repeated <= kills * CONCURRENT_MAILS, `${repeated} mails were repeated after ${kills} kills`)
    return {
      figures:
        `${watched.length} documents, ${DAYS.length - 1} changes of the clock, ${kills} kills: ` +
        `${mails.arrived.size} reminders by mail (${repeated} repeated, with the same id), ` +
        `${events.arrived.size} by webhook (${events.total() - events.arrived.size} repeated); ` +
        `${walk.seen.length} documents listed by cursor`,
      findings,
    }
  },
}

async function addWebhook({ url, token }: Target, to: string): Promise<void> {
  const response = await fetch(`${url}/admin/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: to, eventTypes: ['document.renewal_due'] }),
  })
  if (response.status !== 201) throw new Error(`No webhook: ${response.status} ${await response.text()}`)
}

async function statusOf({ url, token }: Target): Promise<number> {
  const response = await fetch(`${url}/v2/document/health`, { headers: { authorization: `Bearer ${token}` } })
  return response.status
}

async function until(holds: () => boolean, milliseconds: number): Promise<void> {
  for (const end = Date.now() + milliseconds; !holds() && Date.now() < end; ) await sleep(5)
}

interface Sinks {
  mails: Sink
  events: Sink
}

/** Waits for the moment to kill: alternately during mails, shortly after a start, and during webhook deliveries. */
async function waitForKillMoment(kill: number, { mails, events }: Sinks): Promise<void> {
  const some = 10 + Math.floor(Math.random() * 70)
  const from = { mails: mails.total(), events: events.total() }
  if (kill % 3 === 0) await until(() => mails.total() >= from.mails + some, 5_000)
  else if (kill % 3 === 1) await sleep(Math.random() * 600)
  else await until(() => events.total() >= from.events + some, 2_000)
}

/** Compares the reminders sent for each document, by mail and by webhook, with the number due so far. */
function compare(
  watched: Watched[],
  { index, mails, events, documents }: Sinks & { index: number; documents: Map<string, string> },
): string[] {
  const day = DAYS[index]
  const errors: string[] = []
  const counted = (ids: Iterable<string>) => {
    const counts = new Map<string, number>()
    for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
    return counts
  }
  const byMail = counted([...mails.arrived.values()].map(id => documents.get(id) ?? id))
  const byWebhook = counted(events.arrived.values())
  for (const { documentId, name, on } of watched) {
    const due = on.filter(dayIndex => dayIndex <= index).length
    for (const [way, sent] of [
      ['by mail', byMail.get(documentId) ?? 0],
      ['by webhook', byWebhook.get(documentId) ?? 0],
    ] as const)
      if (sent !== due)
        errors.push(`${day?.from} ${day?.what}: ${name} was due ${due} times, sent ${sent} ${way}`)
  }
  return errors
}

/** The document of each notification, by its id without padding. */
async function documentsByNotification({ url, token }: Target): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const range = { startDate: '2028-01-01', endDate: '2029-12-31', maxRecords: '1000' }
  for (let nextCursor: string | null = ''; nextCursor !== null; ) {
    const query = new URLSearchParams({ ...range, ...(nextCursor && { nextCursor }) })
    const response = await fetch(`${url}/admin/v1/notifications?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    if (!response.ok) throw new Error(`No notifications: ${response.status} ${await response.text()}`)
    const page = (await response.json()) as {
      records: { notificationId: string; documentId: string }[]
      nextCursor: string | null
    }
    for (const { notificationId, documentId } of page.records)
      found.set(notificationId.replaceAll('=', ''), documentId)
    nextCursor = page.nextCursor
  }
  return found
}

/** Breaks the guard `reminder-claim`: a reminder is marked as sent when it is claimed. */
function markSentWhenClaimed(data: string): Promise<void> {
  return inDatabase(data, async sql => {
    await sql.unsafe(`
      create function sent_when_claimed() returns trigger language plpgsql as
        $$ begin new.state := 'sent'; new.next_attempt_at := null; return new; end $$;
      create trigger sent_when_claimed before update on notifications
        for each row when (new.attempts > old.attempts) execute function sent_when_claimed()`)
  })
}
