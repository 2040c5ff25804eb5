// Sends each POST five times at once, to any service that is up, and repeats each until it gets a response. The effects are
// then counted in the database.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { createExternalPostgres } from '../service/test/support/external-postgres.ts'
import type { Attack, Context, Outcome } from './attack.ts'
import { type Answer, type Call, type Client, createClient } from './support/client.ts'
import { type Fleet, launchFleet } from './support/fleet.ts'
import { tokenOf } from './support/service.ts'
import { COMPANY } from './support/subjects.ts'
import { prepare } from './support/writers.ts'

const AT_ONCE = 5
const SIDE_BY_SIDE = 6
const PATIENCE_MS = 60_000

/** Three kinds of POST that only the key keeps from taking effect twice. */
const kinds: ((mark: string, caseId: string) => Omit<Call, 'method' | 'headers'>)[] = [
  mark => ({ path: '/v2/applicant', body: { primaryApplicant: { firstName: 'A', lastName: mark } } }),
  mark => ({ path: '/v2/case', body: newCase(mark) }),
  (mark, caseId) => ({ path: `/admin/v1/cases/${caseId}/notes`, body: { content: mark, author: 'A' } }),
]

const newCase = (mark: string) => ({
  caseType: 'Work Permit',
  hostCompany: COMPANY,
  sendingCompany: COMPANY,
  billingCompany: COMPANY,
  assignmentId: mark,
  applicant: { firstName: 'A', lastName: `of ${mark}` },
})

async function untilAnswered(client: Client, call: Call): Promise<Answer> {
  for (const end = performance.now() + PATIENCE_MS; ; await sleep(50)) {
    const answer = await client.call(call)
    const open =
      answer.missing || answer.status === 503 || answer.body?.code === 'idempotency-key-in-progress'
    if (!open || performance.now() > end) return answer
  }
}

/** The guard `idempotency-keys`: a trigger that deletes every key as soon as it is stored. */
const forgetKeys = (sql: postgres.Sql) =>
  sql.unsafe(`
    create function forget_key() returns trigger language plpgsql as $$
    begin
      delete from idempotency_keys where client_id = new.client_id and key = new.key;
      return null;
    end
    $$;
    create trigger forget_key after insert on idempotency_keys for each row execute function forget_key()`)

async function effects(sql: postgres.Sql): Promise<Map<string, number>> {
  const rows = await sql<{ mark: string; count: number }[]>`
    select mark, count(*)::int as count from (
      select record->>'lastName' as mark from applicants
      union all select details->>'assignmentId' from cases
      union all select content from case_notes
    ) as marks where mark like 'post-%' group by mark`
  return new Map(rows.map(({ mark, count }) => [mark, count]))
}

async function run(context: Context): Promise<Outcome> {
  const { quick, broken, folder, progress, after } = context
  const total = quick ? 50 : 2000
  const server = await createExternalPostgres({ folder: join(folder, 'outside') })
  after(server.kill)
  const fleet = await launchFleet({ context, databaseUrl: server.url })
  const client = createClient(fleet.url, { token: await tokenOf(fleet.url()) })
  after(client.close)
  await prepare(client)
  const opened = await client.call({ method: 'POST', path: '/v2/case', body: newCase('all notes') })
  const sql = server.sql()
  after(() => sql.end())
  if (broken === 'idempotency-keys') await forgetKeys(sql)

  const findings: string[] = []
  let done = 0
  const sendOne = async (index: number) => {
    const mark = `post-${index}`
    const kind = kinds[index % kinds.length] as (typeof kinds)[number]
    const call = {
      method: 'POST',
      ...kind(mark, opened.body?.caseId),
      headers: { 'idempotency-key': mark },
    } as const
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => untilAnswered(client, call)))
    const seen = new Set(answers.map(({ status, text }) => `${status} ${text}`))
    if (seen.size > 1) findings.push(`${mark}: ${seen.size} different answers`)
    for (const { status, missing } of answers)
      if (status !== 201) findings.push(`${mark}: answered ${missing ?? status}`)
    done += 1
    progress(done, total, `${fleet.kills} kills`)
  }
  const harassing = harass(fleet, () => done === total)
  let next = 0
  await Promise.all(
    Array.from({ length: SIDE_BY_SIDE }, async () => {
      while (next < total) await sendOne(next++)
    }),
  )
  await harassing
  const counts = await effects(sql)
  for (let index = 0; index < total; index++) {
    const count = counts.get(`post-${index}`) ?? 0
    if (count !== 1) findings.push(`post-${index} took effect ${count} times`)
  }
  const once = [...counts.values()].filter(count => count === 1).length
  return {
    figures: `${total} POSTs sent ${AT_ONCE} times at once each, ${fleet.kills} services killed meanwhile; ${once} took effect once, ${total - once} not; ${findings.length === 0 ? 'every answer the same' : 'answers differ'}`,
    findings,
  }
}

async function harass(fleet: Fleet, isOver: () => boolean): Promise<void> {
  for (let index = 0; !isOver(); index = (index + 1) % fleet.members.length) {
    await sleep(200)
    await fleet.replace(index)
  }
}

export const repeatedPosts: Attack = {
  name: 'repeated-posts',
  title: 'the same POST with one Idempotency-Key, five at once',
  must: 'one effect each, same answer',
  breaks: ['idempotency-keys'],
  run,
}
