// Kills the service at random moments of reads, writes and rejected calls. Every response that arrived must have its audit
// entry. Then alters entries in the database, which the verification of the chain must find.
import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { freePort } from '../scripts/free-port.ts'
import type { Attack, Context, Outcome } from './attack.ts'
import { envForBrokenGuard } from './guards.ts'
import { type Call, createClient } from './support/client.ts'
import { embeddedSql } from './support/postgres-processes.ts'
import { launch, tokenOf } from './support/service.ts'

const CALLERS = 16
const PEOPLE = 40
/** Of our own form, but of no record. */
const UNKNOWN_ID = 'AAAAAAAAAAAAAAAAAAAAAAA='
const VERIFY = join(import.meta.dirname, '..', 'service', 'src', 'audit-verify.cli.ts')

async function run({ quick, broken, folder, progress, after }: Context): Promise<Outcome> {
  const total = quick ? 500 : 10_000
  const dataDir = join(folder, 'data')
  const env = { DATA_DIR: dataDir, PORT: String(await freePort()), ...envForBrokenGuard(broken) }
  let service = await launch(env)
  after(() => service.kill())
  await service.ready()
  const client = createClient(() => service.url, { token: await tokenOf(service.url) })
  after(client.close)

  const calls = callsOf(await createPeople(client))
  /** The status of each response that arrived, by request id. */
  const answered = new Map<string, number>()
  let sent = 0
  let isRunning = true
  const caller = async () => {
    while (isRunning) {
      const requestId = `audit-attack-${++sent}`
      const call = (calls[randomInt(calls.length)] as () => Call)()
      const { status } = await client.call({
        ...call,
        headers: { ...call.headers, 'x-request-id': requestId },
      })
      if (status > 0) answered.set(requestId, status)
      else await sleep(50)
    }
  }
  const callers = Array.from({ length: CALLERS }, caller)
  let kills = 0
  while (answered.size < total) {
    const until = answered.size + randomInt(20, quick ? 200 : 150)
    for (let waited = 0; answered.size < until && waited < 200; waited++) await sleep(randomInt(1, 25))
    service.child.kill('SIGKILL')
    await service.exited
    kills += 1
    service = await launch(env)
    await service.ready()
    progress(Math.min(answered.size, total), total, `${kills} kills`)
  }
  isRunning = false
  await Promise.all(callers)

  const sql = embeddedSql(dataDir)
  after(() => sql.end())
  const missing = await missingEntries(sql, answered)
  const findings = [...missing]
  const chained = await waitForChain(sql)
  if (!chained) findings.push('the last entries were not chained within 30 s')
  const verify = () => verifyWith({ ...env, PATH: process.env['PATH'] ?? '' })
  const intact = await verify()
  if (intact.code !== 0) findings.push(`the untouched chain does not verify: ${intact.output}`)
  const unnoticed = await alter(sql, verify)
  findings.push(...unnoticed)
  const statuses = [...Map.groupBy(answered.values(), status => status)].sort(([a], [b]) => a - b)
  return {
    figures: `${kills} kills; ${answered.size} responses of ${sent} requests (${statuses.map(([status, all]) => `${status}: ${all.length}`).join(', ')}), ${missing.length} without an entry; ${intact.output.split('\n')[0]}; of an update and 3 alterations by the owner of the tables ${unnoticed.length} were accepted or not found`,
    findings,
  }
}

async function createPeople(client: ReturnType<typeof createClient>): Promise<string[]> {
  const ids: string[] = []
  for (let number = 0; number < PEOPLE; number++) {
    const { body, status } = await client.call({
      method: 'PUT',
      path: `/v2/applicant/employeenumber/A-${number}`,
      body: {
        primaryApplicant: { firstName: 'A', lastName: `B ${number}` },
        dependents: [1, 2].map(each => ({ firstName: `C${each}`, lastName: 'B', relationship: 'Child' })),
      },
    })
    if (status !== 201) throw new Error(`No applicant: ${status}`)
    ids.push(body.primaryApplicant.applicantId)
  }
  return ids
}

/** Reads of records and lists, writes, and calls that are rejected. */
function callsOf(ids: string[]): (() => Call)[] {
  const id = () => encodeURIComponent(ids[randomInt(ids.length)] as string)
  const today = new Date().toISOString().slice(0, 10)
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  const range = `startDate=${today}&endDate=${tomorrow}`
  const person = (jobTitle: string) => ({ primaryApplicant: { jobTitle } })
  let count = 0
  return [
    () => ({ path: `/v2/applicant/${id()}` }),
    () => ({ path: `/v2/applicant/${id()}` }),
    () => ({ path: `/v2/applicant/employeenumber/A-${randomInt(PEOPLE)}` }),
    () => ({ path: `/v2/applicant/${id()}/dependents` }),
    () => ({ path: '/admin/v1/applicants?q=b&maxRecords=20' }),
    () => ({ path: `/v2/documents?${range}` }),
    () => ({ path: '/admin/v1/clients' }),
    () => ({ path: `/admin/v1/audit?${range}&maxRecords=5` }),
    () => ({ method: 'PATCH', path: `/v2/applicant/${id()}`, body: person(`Job ${++count}`) }),
    () => ({ method: 'PATCH', path: `/v2/applicant/${id()}`, body: person('Pilot') }),
    () => ({ method: 'POST', path: '/admin/v1/companies', body: { name: `Company ${++count}` } }),
    () => ({ path: `/v2/applicant/${encodeURIComponent(UNKNOWN_ID)}` }),
    () => ({ method: 'POST', path: '/v2/applicant', body: { firstNmae: 'A' } }),
    () => ({ path: `/v2/applicant/${id()}`, headers: { authorization: 'Bearer invalid' } }),
  ]
}

/** Responses whose entry is missing or has another status. A rejection while there is no database cannot have one. */
async function missingEntries(sql: postgres.Sql, answered: Map<string, number>): Promise<string[]> {
  const rows = await sql<{ requestId: string; statuses: number[] }[]>`
    select request_id as "requestId", array_agg(status::int) as statuses from audit
    where request_id like 'audit-attack-%' group by request_id`
  const found = new Map(rows.map(({ requestId, statuses }) => [requestId, statuses]))
  return [...answered].flatMap(([requestId, status]) => {
    const statuses = found.get(requestId)
    if (statuses?.includes(status) || (status === 503 && !statuses)) return []
    return [`${requestId}: response ${status}, entries with ${statuses?.join(', ') ?? 'nothing'}`]
  })
}

async function waitForChain(sql: postgres.Sql): Promise<boolean> {
  for (let waited = 0; waited < 300; waited++) {
    const [row] = await sql<{ waiting: boolean }[]>`
      select exists (select from audit where xid > (select max(to_xid) from audit_chain)) as waiting`
    if (row && !row.waiting) return true
    await sleep(100)
  }
  return false
}

interface Verified {
  code: number
  output: string
}

const verifyWith = (env: Record<string, string>) =>
  new Promise<Verified>(resolve =>
    execFile(process.execPath, [VERIFY], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: `${stdout}${stderr}`.trim() }),
    ),
  )

/** What the service may never do is rejected; what the owner of the tables can do is found. */
async function alter(sql: postgres.Sql, verify: () => Promise<Verified>): Promise<string[]> {
  const findings: string[] = []
  const rejected = await sql`update audit set client_id = 'nobody' where seq = 1`.then(
    () => false,
    () => true,
  )
  if (!rejected) findings.push('an update of the audit was accepted')
  const [read, change, gone] = await sql<{ seq: string }[]>`
    select seq from audit where request_id like 'audit-attack-%' order by random() limit 3`
  const alterations = [
    { seq: read?.seq, statement: `update audit set client_id = 'nobody' where seq = ${read?.seq}` },
    { seq: change?.seq, statement: `update audit set at = at + interval '1 s' where seq = ${change?.seq}` },
    { seq: gone?.seq, statement: `delete from audit where seq = ${gone?.seq}` },
  ]
  for (const { seq, statement } of alterations) {
    await sql.unsafe(
      `alter table audit disable trigger user; ${statement}; alter table audit enable trigger user`,
    )
    const { code, output } = await verify()
    if (code !== 1 || !output.includes(`entry ${seq} was `))
      findings.push(`not found: ${statement}; the verification says: ${output}`)
  }
  return findings
}

export const audit: Attack = {
  name: 'audit',
  title: 'kill -9 of the service under audited reads and writes; altered entries',
  must: '0 responses without an entry, the chain verifies, every alteration is found',
  breaks: ['audit-before-response', 'audit-chain'],
  run,
}
