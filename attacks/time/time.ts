// Ten thousand documents become due while the clock crosses the ends of months and of a year, a leap day and both changes of
// summer time and is set back twice, and while the service is killed as it sends. Mails and webhook events are deduplicated
// by their ids, as a receiver does. Tokens and a list walked by cursor are checked meanwhile.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from '../attack.ts'
import { createClock } from '../support/clock.ts'
import { inDatabase } from '../support/repository.ts'
import { launch, type Service, tokenOf } from '../support/service.ts'
import type { Target } from '../support/uploads.ts'
import { DAYS, enterDocuments, type Watched, ZONE } from './renewals.ts'
import { type Sink, startMailSink, startWebhookSink } from './sinks.ts'
import { startWalk, walkFaults } from './walk.ts'

/** How often the service looks for due renewals. */
const LOOK = 60_000
/** How many mails it sends at once: a kill can repeat no more than these. */
const MAILS_AT_ONCE = 5

export const time: Attack = {
  name: 'time',
  title: 'time: months, a leap day, summer time, forward and back, with kills',
  must: 'every reminder once by mail and by webhook, none missed, none early; cursors and tokens sane',
  breaks: ['reminder-claim'],
  async run({ quick, broken, folder, progress, after }) {
    const count = quick ? 500 : 10_000
    // The clock also runs fast: claims of minutes run out, and the next look comes, within seconds.
    const speed = quick ? 40 : 20
    const within = quick ? 30_000 : 90_000
    const [mails, events] = await Promise.all([startMailSink(), startWebhookSink()])
    after(() => mails.close())
    after(() => events.close())
    const clock = createClock(folder)
    clock.set(new Date(DAYS[0]?.from ?? ''), speed)
    const data = join(folder, 'data')
    const env = {
      ...clock.env,
      DATA_DIR: data,
      TZ: ZONE,
      SMTP_URL: mails.url,
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
    if (broken === 'reminder-claim') await sentWhenClaimed(data)
    const walk = startWalk({ startDate: '2028-01-01', endDate: '2028-12-31', maxRecords: String(count / 20) })
    let earlier = first
    let kills = 0

    for (const [index, day] of DAYS.entries()) {
      const before = events.total()
      if (index > 0) {
        const forward = new Date(day.from) > clock.now()
        clock.set(new Date(day.from), speed)
        // Both happen: a running service sees its clock move, and one is started when it has moved.
        if (index % 2 === 0) service.child.kill('SIGUSR2')
        else await restart('SIGTERM')
        await sleep(100)
        const status = await statusOf({ ...earlier, url: service.url })
        expect(
          status === 401 || (status === 200 && !forward),
          `an earlier token was answered ${status} (${day.what})`,
        )
      }
      const current = await target()
      expect((await statusOf(current)) === 200, `a new token was not taken (${day.what})`)
      await walk.step(current)
      if (day.late) watched.push(...(await enterDocuments(current, { count: 50, late: true })))

      const planned = quick ? Math.min(1, day.kills) : day.kills
      if (planned > 0) await until(() => events.total() > before, within)
      for (let kill = 0; kill < planned; kill++) {
        await momentToKill(kill, { mails, events })
        await restart('SIGKILL')
        kills++
      }
      const due = watched.reduce((sum, { on }) => sum + on.filter(place => place <= index).length, 0)
      await until(() => mails.arrived.size >= due && events.arrived.size >= due, within)
      // Long enough for another look, which must find nothing.
      await sleep(LOOK / speed + 500)
      findings.push(...compare(watched, { index, mails, events }))
      progress(
        index + 1,
        DAYS.length,
        `${mails.arrived.size} mails, ${events.arrived.size} events, ${due} due`,
      )
      earlier = await target()
      if (findings.length > 0) break
    }

    while (findings.length === 0 && (await walk.step(await target())));
    if (findings.length === 0)
      findings.push(
        ...walkFaults(
          walk,
          watched.map(({ documentId }) => documentId),
        ),
      )
    expect((await statusOf({ ...first, url: service.url })) === 401, 'the first token is good for ever')
    const repeated = mails.total() - mails.arrived.size
    expect(repeated <= kills * MAILS_AT_ONCE, `${repeated} mails came again after ${kills} kills`)
    return {
      figures:
        `${watched.length} documents, ${DAYS.length - 1} moves of the clock, ${kills} kills: ` +
        `${mails.arrived.size} reminders by mail (${repeated} came again, with the same id), ` +
        `${events.arrived.size} by webhook (${events.total() - events.arrived.size} again); ` +
        `${walk.seen.length} documents in one walk`,
      findings,
    }
  },
}

async function addWebhook({ url, token }: Target, to: string): Promise<void> {
  const answer = await fetch(`${url}/admin/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: to, eventTypes: ['document.renewal_due'] }),
  })
  if (answer.status !== 201) throw new Error(`No webhook: ${answer.status} ${await answer.text()}`)
}

async function statusOf({ url, token }: Target): Promise<number> {
  const answer = await fetch(`${url}/v2/document/health`, { headers: { authorization: `Bearer ${token}` } })
  return answer.status
}

async function until(holds: () => boolean, milliseconds: number): Promise<void> {
  for (const end = Date.now() + milliseconds; !holds() && Date.now() < end; ) await sleep(5)
}

interface Sinks {
  mails: Sink
  events: Sink
}

/** In the midst of mails, of what is recorded right after a start, and of deliveries, by turns. */
async function momentToKill(kill: number, { mails, events }: Sinks): Promise<void> {
  const some = 10 + Math.floor(Math.random() * 70)
  const from = { mails: mails.total(), events: events.total() }
  if (kill % 3 === 0) await until(() => mails.total() >= from.mails + some, 5_000)
  else if (kill % 3 === 1) await sleep(Math.random() * 600)
  else await until(() => events.total() >= from.events + some, 2_000)
}

/** Each document must have been heard of as often as it was due, in both ways. */
function compare(watched: Watched[], { index, mails, events }: Sinks & { index: number }): string[] {
  const day = DAYS[index]
  const faults: string[] = []
  const counted = (sink: Sink) => {
    const counts = new Map<string, number>()
    for (const about of sink.arrived.values()) counts.set(about, (counts.get(about) ?? 0) + 1)
    return counts
  }
  const [byMail, byWebhook] = [counted(mails), counted(events)]
  for (const { documentId, name, on } of watched) {
    const due = on.filter(place => place <= index).length
    for (const [way, sent] of [
      ['by mail', byMail.get(name) ?? 0],
      ['by webhook', byWebhook.get(documentId) ?? 0],
    ] as const)
      if (sent !== due)
        faults.push(`${day?.from} ${day?.what}: ${name} was due ${due} times, sent ${sent} ${way}`)
  }
  return faults
}

/** Breaks the claim of a reminder: it counts as sent before it is. */
function sentWhenClaimed(data: string): Promise<void> {
  return inDatabase(data, async sql => {
    await sql.unsafe(`
      create function sent_when_claimed() returns trigger language plpgsql as
        $$ begin new.state := 'sent'; new.next_attempt_at := null; return new; end $$;
      create trigger sent_when_claimed before update on notifications
        for each row when (new.attempts > old.attempts) execute function sent_when_claimed()`)
  })
}
