// An upgrade without a stop: services of this release and of a next one on one database. The next release is a copy of this
// one with two more migrations and another view. It migrates while services of this release take requests and another
// session has tables locked, as a dump does; then a service of this release restarts on the new schema.
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { createExternalPostgres } from '../service/test/support/external-postgres.ts'
import type { Attack, Context, Outcome } from './attack.ts'
import { type Client, createClient } from './support/client.ts'
import { type Fleet, launchFleet } from './support/fleet.ts'
import { openLedger } from './support/ledger.ts'
import { tokenOf } from './support/service.ts'
import { COMPANY } from './support/subjects.ts'
import { createCompany, createWriters, waitForWrites, writeDuring } from './support/writers.ts'

const ROOT = join(import.meta.dirname, '..')
const COPIED = ['package.json', 'openapi.json', 'service', 'console', 'scripts']
const WRITERS = 8
/** How long the other session keeps its locks after the migration has begun to wait for them. */
const LOCKED_MS = { quick: 10_000, long: 30_000 }
/** While the migration waits for a lock, writes wait behind it; it gives up after two seconds. */
const SLOWEST_MS = 7_000

async function run(context: Context): Promise<Outcome> {
  const { quick, folder, progress, after, broken } = context
  const rounds = quick ? 1 : 10
  const server = await createExternalPostgres({ folder: join(folder, 'external') })
  after(server.kill)
  const sql = server.sql()
  after(() => sql.end())
  const fleet = await launchFleet({ context, databaseUrl: server.url, size: 2, env: { LOG_LEVEL: 'info' } })
  const client = createClient(fleet.url, { token: await tokenOf(fleet.url()), limit: 45_000 })
  after(client.close)
  await createCompany(client)
  const limited = await createLimitedClient(client, fleet)
  after(limited.close)

  const ledger = openLedger(join(folder, 'ledger'))
  after(ledger.close)
  const writers = createWriters({ client, ledger })
  const findings: string[] = []
  let reads = 0
  const over = new AbortController()
  const reading = readUntil(
    limited,
    over.signal,
    finding => findings.push(finding),
    () => (reads += 1),
  )
  let next: string | undefined
  await writeDuring(writers, { count: WRITERS }, async () => {
    await waitForWrites(writers, 100, 5_000)
    for (let round = 1; round <= rounds; round++) {
      const current = next
      next = copyRelease(join(folder, `release-${round}`), current ?? ROOT, broken)
      const unlock = await lockTables(server.sql())
      const upgraded = fleet.replace(0, next)
      await migrationWaits(sql)
      await sleep(LOCKED_MS[quick ? 'quick' : 'long'])
      await unlock()
      await upgraded
      await waitForWrites(writers, 100, 5_000)
      // An instance of the release before is restarted, and upgraded at last.
      await fleet
        .replace(1, current)
        .catch(error => findings.push(`the release before did not start again: ${error.message}`))
      await waitForWrites(writers, 50, 5_000)
      await fleet.replace(1, next)
      progress(round, rounds, `${writers.counts.acknowledged} acknowledged`)
    }
  })
  over.abort()
  await reading

  const { lost, checked } = await writers.verify(client)
  const { acknowledged, unknown, rejected, slowest } = writers.counts
  if (slowest > SLOWEST_MS) findings.push(`a write took ${Math.round(slowest)} ms`)
  findings.push(...writers.errors, ...lost, ...(await wrongSchema(sql, rounds)))
  return {
    figures: `${rounds} upgrades of two services with ${WRITERS} writers and a dump beside them; ${acknowledged} writes acknowledged, ${unknown} retried, ${rejected} of them after a 503, slowest ${(slowest / 1000).toFixed(1)} s; ${reads} reads of a limited client; of ${checked} records ${lost.length} lost`,
    findings,
  }
}

/** The next release: more migrations, and one more view, so that all views are made again. */
function copyRelease(folder: string, from: string, broken: string | undefined): string {
  for (const name of COPIED)
    cpSync(join(from, name), join(folder, name), {
      recursive: true,
      filter: path => !path.startsWith(join(from, 'service', 'test')),
    })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const migrations = join(folder, 'service', 'migrations')
  const last = readdirSync(migrations).length
  const table = `upgrade_${last}`
  const tolerated = broken === 'tolerated-migrations' ? '' : `-- tolerated by releases from ${last}\n`
  const write = (version: number, sql: string) =>
    writeFileSync(join(migrations, `${String(version).padStart(4, '0')}-${table}.sql`), sql)
  write(
    last + 1,
    `${tolerated}alter table applicants add column ${table} text;\nalter table audit add column ${table} text;\ncreate table ${table} (id text primary key);\n`,
  )
  write(
    last + 2,
    `-- outside a transaction\n${tolerated}create index concurrently if not exists applicants_${table} on applicants (${table});\n`,
  )
  const sources = join(folder, 'service', 'src', 'db')
  const marker = "  number_owners: '"
  edit(join(sources, 'limited-schema.ts'), marker, `  ${table}: 'select id from public.${table}',\n${marker}`)
  if (broken === 'short-locks')
    edit(join(sources, 'migrate.ts'), 'LOCK_TIMEOUT_MS = 2_000', 'LOCK_TIMEOUT_MS = 0')
  return folder
}

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8')
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`)
  writeFileSync(file, text.replace(from, to))
}

/** As a dump does. Returns what ends it. */
async function lockTables(sql: postgres.Sql): Promise<() => Promise<void>> {
  const locked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const dump = sql.begin(async tx => {
    await tx`lock table applicants, audit, cases in access share mode`
    locked.resolve()
    await release.promise
  })
  await Promise.race([locked.promise, dump])
  return async () => {
    release.resolve()
    await dump
    await sql.end()
  }
}

async function migrationWaits(sql: postgres.Sql): Promise<void> {
  for (const end = performance.now() + 120_000; performance.now() < end; await sleep(50)) {
    const { count } = await sql`select from pg_locks where mode = 'AccessExclusiveLock' and not granted`
    if (count > 0) return
  }
  throw new Error('The migration did not wait for the locked tables.')
}

async function createLimitedClient(client: Client, fleet: Fleet) {
  const companies = await client.call({ path: '/admin/v1/companies' })
  const { companyId } = companies.body.find(({ name }: { name: string }) => name === COMPANY)
  const created = await client.call({
    method: 'POST',
    path: '/admin/v1/clients',
    body: { name: 'Limited', scopes: ['cases:read', 'applicants:read', 'desk:read'], companies: [companyId] },
  })
  const { clientId, clientSecret } = created.body
  const response = await fetch(`${fleet.url()}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    }),
  })
  const { access_token: token } = (await response.json()) as { access_token: string }
  return createClient(fleet.url, { token, limit: 45_000 })
}

/** A read without a response, and one that is rejected with 503, is repeated, as clients do. */
async function readUntil(
  client: Client,
  until: AbortSignal,
  report: (finding: string) => void,
  count: () => void,
): Promise<void> {
  const paths = ['/admin/v1/cases?maxRecords=5', '/admin/v1/applicants?maxRecords=5']
  for (let turn = 0; !until.aborted; turn++) {
    const path = paths[turn % paths.length] ?? ''
    const { status, missing, text } = await client.call({ path })
    if (status === 200) count()
    else if (!missing && status !== 503) report(`a limited read: ${status} ${text.slice(0, 200)}`)
    await sleep(20)
  }
}

async function wrongSchema(sql: postgres.Sql, rounds: number): Promise<string[]> {
  const [row] = await sql<[{ applied: number; indexes: number; views: number }]>`
    select (select count(*)::int from schema_migrations where name like '%-upgrade\\_%') as applied,
      (select count(*)::int from pg_index where indexrelid::regclass::text like 'applicants\\_upgrade\\_%' and indisvalid)
        as indexes,
      (select count(*)::int from pg_views where schemaname = 'limited' and viewname like 'upgrade\\_%') as views`
  const { applied, indexes, views } = row
  return applied === 2 * rounds && indexes === rounds && views === rounds
    ? []
    : [`${applied} migrations, ${indexes} valid indexes and ${views} views after ${rounds} upgrades`]
}

export const upgrade: Attack = {
  name: 'upgrade',
  title: 'an upgrade while both releases run',
  must: '0 lost, 0 errors beyond retries; a service of the release before can restart',
  breaks: ['tolerated-migrations', 'short-locks'],
  run,
}
