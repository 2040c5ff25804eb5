// Kills the service, and every second time PostgreSQL with it, at random moments of two imports: one creates families, the
// other changes all of them. Then every row must have been applied once, with one event and one audit entry for each person.
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../scripts/free-port.ts'
import type { Attack, Context, Outcome } from './attack.ts'
import { envForBrokenGuard } from './guards.ts'
import { embeddedSql, killPostgres } from './support/postgres-processes.ts'
import { launch, type Service, tokenOf } from './support/service.ts'

const ENDED = new Set(['completed', 'held', 'cancelled', 'failed'])
const END_LIMIT_MS = 300_000

const family = (index: number, jobTitle: string) => ({
  primaryApplicant: {
    employeeNumber: `K-${index}`,
    firstName: 'Anna',
    lastName: `Number ${index}`,
    jobTitle,
    passports: [{ passportNumber: `P${index}`, country: 'DE' }],
    documents: [{ name: 'Permit', referenceNumber: `R${index}`, description: jobTitle }],
  },
  dependents: [
    {
      firstName: 'Ben',
      lastName: `Number ${index}`,
      relationship: 'Child',
      dateOfBirth: '2018-09-12',
      jobTitle,
    },
  ],
})

const fileOf = (families: number, jobTitle: string) =>
  Array.from({ length: families }, (_, index) => `${JSON.stringify(family(index, jobTitle))}\n`).join('')

async function run({ quick, broken, folder, progress, after }: Context): Promise<Outcome> {
  const families = quick ? 3_000 : 20_000
  const kills = quick ? 4 : 20
  const dataDir = join(folder, 'data')
  const env = { DATA_DIR: dataDir, PORT: String(await freePort()), ...envForBrokenGuard(broken) }
  let service: Service = await launch(env)
  after(() => service.kill())
  await service.ready()
  let token = await tokenOf(service.url)
  const call = async (method: string, path: string, rest: { body?: string; headers?: object } = {}) => {
    const response = await fetch(service.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...rest.headers },
      ...(rest.body !== undefined && { body: rest.body }),
    })
    return { status: response.status, body: await response.text() }
  }
  const send = async (jobTitle: string): Promise<string> => {
    const headers = {
      'content-type': 'application/x-ndjson',
      'idempotency-key': `import of ${jobTitle}`.replaceAll(' ', '-'),
    }
    const { status, body } = await call('POST', '/v2/imports', { body: fileOf(families, jobTitle), headers })
    if (status !== 202) throw new Error(`No import: ${status} ${body}`)
    return JSON.parse(body).importId
  }
  // biome-ignore lint/suspicious/noExplicitAny: a record of the API.
  const read = async (importId: string): Promise<any> => {
    const { status, body } = await call('GET', `/v2/imports/${encodeURIComponent(importId)}`)
    return status === 200 ? JSON.parse(body) : undefined
  }

  let killed = 0
  const restart = async () => {
    service.child.kill('SIGKILL')
    if (killed % 2 === 1) killPostgres(join(dataDir, 'postgres'), 'all')
    await service.exited
    killed += 1
    service = await launch(env)
    await service.ready()
    token = await tokenOf(service.url)
  }
  /** Kills at random rows of the import; returns it at its end. */
  const finish = async (importId: string, until: number) => {
    const first = killed
    const end = Date.now() + END_LIMIT_MS
    // Each row is checked and applied: the moments are spread over both.
    const momentOf = (kill: number) => ((kill - first + Math.random()) / (until - first)) * families * 2
    let moment = momentOf(killed)
    for (;;) {
      const current = await read(importId)
      if (ENDED.has(current?.status) || Date.now() > end) return current
      const { checked, applied } = current?.progress ?? { checked: 0, applied: 0 }
      if (killed < until && checked + applied >= moment) {
        await sleep(randomInt(0, 40))
        await restart()
        progress(killed, kills, `${checked} rows checked, ${applied} applied`)
        moment = momentOf(killed)
      } else await sleep(10)
    }
  }

  const findings: string[] = []
  const imports: string[] = []
  for (const [jobTitle, until] of [
    ['Cook', Math.ceil(kills / 2)],
    ['Chef', kills],
  ] as const) {
    const importId = await send(jobTitle)
    imports.push(importId)
    const done = await finish(importId, until)
    const expected =
      jobTitle === 'Cook' ? { created: families, updated: 0 } : { created: 0, updated: families }
    const { status, counts, progress: rows } = done ?? {}
    if (status !== 'completed')
      findings.push(`the import of ${jobTitle} is ${status}: ${JSON.stringify(done)}`)
    else if (
      counts.created !== expected.created ||
      counts.updated !== expected.updated ||
      counts.rejected > 0
    )
      findings.push(`counts of ${jobTitle}: ${JSON.stringify(counts)}`)
    if (rows?.applied !== families) findings.push(`${rows?.applied} rows of ${jobTitle} were applied`)
  }

  const sql = embeddedSql(dataDir)
  after(() => sql.end())
  const people = families * 2
  const [stored] = await sql`
    select count(*)::int as people, count(*) filter (where version <> 2)::int as odd from applicants`
  if (stored?.['people'] !== people || stored?.['odd'] !== 0)
    findings.push(`${stored?.['people']} people, ${stored?.['odd']} of them not written twice`)
  for (const type of [
    'applicant.created',
    'applicant.updated',
    'dependent.created',
    'dependent.updated',
    'document.created',
    'document.updated',
  ]) {
    const [events] = await sql`
      select count(*)::int as total, count(distinct record_id)::int as records from events where type = ${type}`
    if (events?.['total'] !== families || events?.['records'] !== families)
      findings.push(`${events?.['total']} events ${type} of ${events?.['records']} records`)
  }
  for (const action of ['applicant.create', 'applicant.write']) {
    const [entries] = await sql`
      select count(*)::int as total, count(distinct record_id)::int as records from audit where action = ${action}`
    if (entries?.['total'] !== people || entries?.['records'] !== people)
      findings.push(`${entries?.['total']} audit entries ${action} of ${entries?.['records']} records`)
  }
  for (const importId of imports) {
    const [results] = await sql`
      select count(*)::int as total, count(distinct row)::int as rows, count(a.applicant_id)::int as found
      from import_results r left join applicants a
        on a.applicant_id = r.applicant_id and a.employee_number = r.employee_number
      where r.import_id = ${importId}`
    if (results?.['total'] !== families || results?.['rows'] !== families || results?.['found'] !== families)
      findings.push(`results of an import: ${JSON.stringify(results)}`)
  }
  return {
    figures: `${killed} kills, every second one with PostgreSQL, during imports of 2 × ${families} families; every row applied once, with one event and one audit entry for each person`,
    findings,
  }
}

export const killedImports: Attack = {
  name: 'killed-imports',
  title: 'kill -9 of the service and of PostgreSQL during imports',
  must: 'each row applied once, results complete, no event or audit entry twice or missing',
  breaks: ['import-results'],
  run,
}
