// Sends each POST five times concurrently, to any service that is up, and retries each until it gets a response. The
// effects are then counted in the database.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { createExternalPostgres } from '../service/test/support/external-postgres.ts'
import type { Attack, Context, Outcome } from './attack.ts'
import { type Call, type Client, type ClientResponse, createClient } from './support/client.ts'
import { type Fleet, launchFleet } from './support/fleet.ts'
import { tokenOf } from './support/service.ts'
import { COMPANY } from './support/subjects.ts'
import { createCompany } from './support/writers.ts'

const CONCURRENT_COPIES = 5
const CLIENTS = 6
const RETRY_LIMIT_MS = 60_000

/** Three kinds of POST that would take effect twice without an idempotency key. */
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

async function callUntilResponse(client: Client, call: Call): Promise<ClientResponse> {
  for (const end = performance.now() + RETRY_LIMIT_MS; ; await sleep(50)) {
    const response = await client.call(call)
    const isPending =
      response.missing || response.status === 503 || response.body?.code === 'idempotency-key-in-progress'
    if (!isPending || performance.now() > end) return response
  }
}

/** The guard `idempotency-keys`: a trigger that deletes every key as soon as it is stored. */
const deleteKeys = (sql: postgres.Sql) =>
  sql.unsafe(`
    create function forget_key() returns trigger language plpgsql as $$
    begin
      delete from idempotency_keys where client_id = new.client_id and key = new.key;
      return null;
    end
    $$;
    create trigger forget_key after insert on idempotency_keys for each row execute function forget_key()`)

async function countEffects(sql: postgres.Sql): Promise<Map<string, number>> {
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
  const server = await createExternalPostgres({ folder: join(folder, 'external') })
  after(server.kill)
  const fleet = await launchFleet({ context, databaseUrl: server.url })
  const client = createClient(fleet.url, { token: await tokenOf(fleet.url()) })
  after(client.close)
  await createCompany(client)
  const opened = await client.call({ method: 'POST', path: '/v2/case', body: newCase('all notes') })
  const sql = server.sql()
  after(() => sql.end())
  if (broken === 'idempotency-keys') await deleteKeys(sql)

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
    const responses = await Promise.all(
      Array.from({ length: CONCURRENT_COPIES }, () => callUntilResponse(client, call)),
    )
    const seen = new Set(responses.map(({ status, text }) => `${status} ${text}`))
    if (seen.size > 1) findings.push(`${mark}: ${seen.size} different responses`)
    for (const { status, missing } of responses)
      if (status !== 201) findings.push(`${mark}: ${missing ?? status}`)
    done += 1
    progress(done, total, `${fleet.kills} kills`)
  }
  const killing = killServices(fleet, () => done === total)
  let next = 0
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (next < total) await sendOne(next++)
    }),
  )
  await killing
  const counts = await countEffects(sql)
  for (let index = 0; index < total; index++) {
    const count = counts.get(`post-${index}`) ?? 0
    if (count !== 1) findings.push(`post-${index} took effect ${count} times`)
  }
  const once = [...counts.values()].filter(count => count === 1).length
  return {
    figures: `${total} POSTs sent ${CONCURRENT_COPIES} times concurrently, ${fleet.kills} services killed meanwhile; ${once} took effect once, ${total - once} not; ${findings.length === 0 ? 'all copies got the same response' : 'responses differ'}`,
    findings,
  }
}

async function killServices(fleet: Fleet, isOver: () => boolean): Promise<void> {
  for (let index = 0; !isOver(); index = (index + 1) % fleet.members.length) {
    await sleep(200)
    await fleet.replace(index)
  }
}

export const repeatedPosts: Attack = {
  name: 'repeated-posts',
  title: 'the same POST with one Idempotency-Key, five times concurrently',
  must: 'one effect each, same response',
  breaks: ['idempotency-keys'],
  run,
}
