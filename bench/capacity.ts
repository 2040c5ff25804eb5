// `npm run bench:capacity`: what rows cost, for docs/capacity.md. Loads tables, measures bytes a row and the time of what is
// done with them, and writes bench/CAPACITY.md.
//   --applicants N   of the dataset (20,000)
//   --rows N         audit entries, and half as many events and files (300,000)
//   --rounds N       of each comparison (7)
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { type AuditRow, insertEntries, listAudit, listChanges } from '../service/src/audit/audit.store.ts'
import { extendChain } from '../service/src/audit/chain.store.ts'
import { verifyChain } from '../service/src/audit/chain-verification.ts'
import { connect, type Sql } from '../service/src/db/database.ts'
import { migrate } from '../service/src/db/migrate.ts'
import { startEmbedded } from '../service/src/embedded-postgres/embedded.ts'
import { deleteOldEvents, dispatchEvents, type EventPosition } from '../service/src/events/queue.store.ts'
import { createLog } from '../service/src/log.ts'
import { median } from './meter.ts'
import { datasetOf } from './records.ts'
import { seed } from './seed.ts'

const { values } = parseArgs({
  options: {
    applicants: { type: 'string', default: '20000' },
    rows: { type: 'string', default: '300000' },
    rounds: { type: 'string', default: '7' },
  },
})
const applicants = Number(values.applicants)
const rows = Number(values.rows)
const rounds = Number(values.rounds)
const MONTHS = { year: 12, five: 60 }
const BLOCK = 1_000
const EVENT_BATCH = 500
/** Statements of a connection that are planned anew, before PostgreSQL keeps a plan. */
const UNMEASURED = 10

const log = createLog('error')
const print = (text: string) => process.stderr.write(`${text}\n`)
const lines: string[] = []
const write = (text = '') => {
  lines.push(text)
  print(text)
}
const number = (value: number) => Math.round(value).toLocaleString('en')

async function timed(name: string, work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  const seconds = (performance.now() - began) / 1000
  print(`${name}: ${seconds.toFixed(1)} s`)
  return seconds
}

/** Entries as a service writes them, each in a transaction of its own: three of four are reads, one of ten lists five records. */
const entriesOf = (count: number, days: number) => `
  with entry as (
    insert into audit (at, client_id, user_id, user_name, address, method, operation_id, request_id, action, record_id,
      record_ids, outcome, status, changes, xid)
    select now() - interval '1 day' * (${days} * (1 - n / ${count}::float8)), 'client-' || n % 20,
      case when n % 3 = 0 then 'user-' || n % 50 end, case when n % 3 = 0 then 'Ruth Okafor' end, '192.0.2.17',
      case when n % 4 = 0 then 'PATCH' else 'GET' end, 'getApplicant', gen_random_uuid()::text,
      case when n % 4 = 0 then 'applicant.write' else 'applicant.read' end, id,
      case when n % 10 = 1 then array[id, id || '1', id || '2', id || '3', id || '4'] end,
      case when n % 20 = 7 then 'refused' else 'ok' end, case when n % 20 = 7 then 404 else 200 end,
      case when n % 4 = 0 then '[{"pointer":"/jobTitle","before":"Engineer","after":"Head of Research"},{"pointer":"/addressCity","before":"Berlin","after":"Hamburg"}]'::json end, 1000000 + n
    from generate_series(1, ${count}) n
    cross join lateral (select 'A' || lpad((n::bigint * 7919 % ${applicants})::text, 22, '0') || '=') r (id)
    order by n
    returning at, seq, record_ids
  )
  insert into audit_records (record_id, at, seq)
  select id, at, seq from entry, unnest(record_ids) with ordinality as further (id, position) where position > 1`

/** A schema with an audit of its own: one table, or partitions of so many months. */
async function createAuditIn(sql: postgres.Sql, schema: string, months: number): Promise<void> {
  await sql.unsafe(`create schema ${schema}`)
  for (const parent of ['audit', 'audit_records']) {
    const name = `${schema}.${parent}`
    await sql.unsafe(
      `create table ${name} (like public.${parent} including all) ${months > 0 ? 'partition by range (at)' : ''}`,
    )
    if (months === 0) continue
    await sql.unsafe(`create table ${name}_default partition of ${name} default`)
    for (let ahead = -months; ahead <= 3; ahead++)
      await sql.unsafe(`
        do $$ begin execute format('create table ${name}_${ahead + months} partition of ${name} for values from (%L) to (%L)',
          date_trunc('month', now()) + ${ahead} * interval '1 month',
          date_trunc('month', now()) + ${ahead + 1} * interval '1 month'); end $$`)
  }
}

const rowOf = (index: number): AuditRow => ({
  at: new Date(),
  clientId: `client-${index % 20}`,
  userId: null,
  userName: null,
  address: '192.0.2.17',
  method: 'GET',
  operationId: 'getApplicant',
  requestId: `request-${index}-0123456789abcdef`,
  action: 'applicant.read',
  recordIds: [`A${String(index % applicants).padStart(22, '0')}=`],
  outcome: 'ok',
  status: 200,
  code: null,
  companies: null,
  changes: null,
})

type Workload = [name: string, repeat: number, work: (sql: Sql, index: number) => Promise<unknown>]

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
const record = (index: number) => `A${String((index * 7919) % applicants).padStart(22, '0')}=`
const windowOf = (from: number, to: number) => ({
  startDate: day(from),
  endDate: day(to),
  type: 'at',
  limit: 100,
  offset: 0,
})

const WORKLOADS: Workload[] = [
  ['insert of one entry', 300, (sql, index) => insertEntries(sql, [rowOf(index)])],
  ['insert of 50 entries', 60, (sql, index) => insertEntries(sql, Array.from({ length: 50 }, (_, each) => rowOf(index + each)))],
  ['page of 100 entries, a day', 60, (sql, index) => listAudit(sql, windowOf(30 + (index % 90), 30 + (index % 90)), {})],
  ['page of 100 entries, all time', 60, sql => listAudit(sql, windowOf(2_000, 0), {})],
  ['entries about a record, a year', 100, (sql, index) => listAudit(sql, windowOf(365, 0), { recordId: record(index) })],
  ['changes of a record, all time', 200, (sql, index) => listChanges(sql, [record(index)], { from: { at: new Date().toISOString(), seq: 0 }, isNewer: false, limit: 20 })],
] // biome-ignore format: a table reads better than a column

/** The same statements on the same rows, by turns, so that other work on the machine affects all alike. */
async function compareAudits(connections: Map<string, postgres.Sql>): Promise<void> {
  write('| the audit | one table | 17 partitions | ratio | 65 partitions | ratio |')
  write('| --- | --- | --- | --- | --- | --- |')
  for (const [name, repeat, work] of WORKLOADS) {
    const times = new Map([...connections.keys()].map(key => [key, [] as number[]]))
    const keys = [...connections.keys()]
    for (let index = 0; index < rounds * repeat; index++)
      for (let turn = 0; turn < keys.length; turn++) {
        const key = keys[(turn + index) % keys.length] ?? ''
        const began = performance.now()
        await work(connections.get(key) as never, index)
        if (index >= UNMEASURED) times.get(key)?.push(performance.now() - began)
      }
    const [one = 0, year = 0, five = 0] = [...times.values()].map(median)
    write(
      `| ${name} | ${one.toFixed(3)} ms | ${year.toFixed(3)} ms | ${(year / one).toFixed(2)} | ${five.toFixed(3)} ms | ${(five / one).toFixed(2)} |`,
    )
  }
  write()
}

const eventsOf = (count: number, age: string) => `
  insert into events (event_id, type, record_id, data, occurred_at, company_set_id)
  select 'evt_' || gen_random_uuid(), 'applicant.updated', id, jsonb_build_object('applicantId', id, 'employeeNumber', 'E-1'),
    now() - interval '${age}', 1
  from generate_series(1, ${count}) n cross join lateral (select 'A' || lpad((n % ${applicants})::text, 22, '0') || '=') r (id)`

async function writeSizes(sql: postgres.Sql): Promise<void> {
  await sql`create extension if not exists pageinspect`
  const tables = await sql<
    { name: string; rows: string; heap: string; indexes: string; count: number; depth: number }[]
  >`
    with part as (
      select coalesce(i.inhparent, c.oid)::regclass::text as name, c.oid
      from pg_class c left join pg_inherits i on i.inhrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
    ), level as (
      select x.indrelid, max((bt_metap('public.' || c.relname)).level) as depth
      from pg_index x
      join pg_class c on c.oid = x.indexrelid and c.relkind = 'i' and c.relnamespace = 'public'::regnamespace
      join pg_am m on m.oid = c.relam and m.amname = 'btree'
      group by 1
    )
    select p.name, sum(greatest(c.reltuples, 0))::bigint as rows, sum(pg_table_size(p.oid))::bigint as heap,
      sum(pg_indexes_size(p.oid))::bigint as indexes, max(c.relnatts)::int as count, max(l.depth)::int as depth
    from part p join pg_class c on c.oid = p.oid left join level l on l.indrelid = p.oid
    group by p.name having sum(greatest(c.reltuples, 0)) >= 900
    order by 1`
  write('| table | rows | bytes a row | of them indexes | deepest index |')
  write('| --- | --- | --- | --- | --- |')
  for (const { name, rows: count, heap, indexes, depth } of tables) {
    const each = (bytes: string) => number(Number(bytes) / Number(count))
    write(
      `| ${name} | ${number(Number(count))} | ${number((Number(heap) + Number(indexes)) / Number(count))} | ${each(indexes)} | ${(depth ?? 0) + 1} levels |`,
    )
  }
  write()
}

async function run(folder: string): Promise<void> {
  const server = await startEmbedded({ dataDir: join(folder, 'data'), log })
  const options = { ...server.owner, onnotice: () => {}, connection: { synchronous_commit: 'off' } }
  const sql = postgres({ ...options, max: 1 })
  const db = connect({ connection: server.owner, log, poolSize: 2, responseMs: Number.POSITIVE_INFINITY })
  const in_ = (schema: string) =>
    postgres({
      ...options,
      max: 1,
      connection: { synchronous_commit: 'off', search_path: `${schema}, public` },
    })
  const connections = new Map([['plain', in_('plain')], ['public', in_('public')], ['five', in_('five')]]) // biome-ignore format: a table
  try {
    await migrate(db, log)
    await timed('dataset', () => seed(sql as never, datasetOf(applicants), () => {}))
    await sql`set session_replication_role = replica`
    await sql.unsafe(`
      insert into document_files (document_id, country_code, blob_key, file_name, content_type, size, sha256, block_hashes,
        created_at, company_set_id)
      select document_id, 'DE', gen_random_uuid()::text, 'residence permit.pdf', 'application/pdf', 300000,
        encode(sha256(document_id::bytea), 'hex'), sha256(document_id::bytea), created_at, company_set_id from documents`)
    await sql`set session_replication_role = origin`
    for (let ahead = -MONTHS.year; ahead < 0; ahead++)
      for (const parent of ['audit', 'audit_records']) {
        if (ahead === -MONTHS.year)
          await sql.unsafe(
            `alter table ${parent} detach partition ${parent}_first; drop table ${parent}_first`,
          )
        await sql`select audit_add_partition(${parent}, date_trunc('month', now()) + ${ahead} * interval '1 month')`
      }
    const [view] = await sql<[{ definition: string }]>`
      select pg_get_viewdef('audit_of_further_records') as definition`
    await createAuditIn(sql, 'plain', 0)
    await createAuditIn(sql, 'five', MONTHS.five)
    for (const schema of ['plain', 'five'])
      await sql.unsafe(
        `set search_path = ${schema}, public; create view ${schema}.audit_of_further_records as ${view.definition}; reset search_path`,
      )
    const load = await timed('audit entries', () => sql.unsafe(entriesOf(rows, 360)))
    for (const schema of ['plain', 'five'])
      await timed(`audit entries in ${schema}`, () =>
        sql.unsafe(
          `set search_path = ${schema}, public; ${entriesOf(rows, schema === 'five' ? 1_800 : 360)}; reset search_path`,
        ),
      )
    await sql`select audit_align_xids()`
    const chain = await timed('chain', async () => {
      while ((await extendChain(sql as never, BLOCK)) === BLOCK);
    })
    const { entries, findings } = await verifyChain(db.sql)
    if (findings.length > 0 || entries !== rows)
      throw new Error(`${entries} entries verified: ${findings.join()}`)
    const verify = await timed('verify', () => verifyChain(db.sql))
    const vacuum = await timed('vacuum of the audit', () =>
      sql.unsafe('vacuum (analyze) public.audit, public.audit_records, audit_chain'),
    )
    const dump = await timed('audit read by COPY', () =>
      sql.unsafe("copy (select * from public.audit) to '/dev/null'"),
    )
    await sql.unsafe('vacuum (analyze) plain.audit, plain.audit_records, five.audit, five.audit_records')
    write(
      `Generated by \`npm run bench:capacity\`; do not edit. ${cpus().length} cores (${cpus()[0]?.model}), ${Math.round(totalmem() / 2 ** 30)} GiB, the embedded PostgreSQL with its settings.`,
    )
    write()
    await sql.unsafe(`
      insert into webhooks (webhook_id, url, description, event_types, secret, created_at, updated_at)
      values ('w', 'http://localhost/', '', '{}', 's', now(), now())`)
    const half = rows / 2
    const events = await timed('events', () => sql.unsafe(eventsOf(half, '31 days')))
    const old = new Date(Date.now() - 31 * 86_400_000)
    const dispatch = await timed('dispatch', async () => {
      while ((await db.transaction(tx => dispatchEvents(tx, { limit: EVENT_BATCH, now: old }))) > 0);
    })
    await sql`update webhook_deliveries set state = 'delivered', next_attempt_at = null, attempts = 1, created_at = ${old}, updated_at = ${old}`
    for (const table of ['events', 'webhook_deliveries', 'document_files'])
      await sql.unsafe(`vacuum (full, analyze) ${table}`)
    await writeSizes(sql)
    await compareAudits(connections)
    const remove = await timed('old events', async () => {
      const before = new Date(Date.now() - 30 * 86_400_000)
      let after: EventPosition | undefined
      do after = await db.transaction(tx => deleteOldEvents(tx, { before, after, limit: EVENT_BATCH }))
      while (after)
    })
    const drop = await timed('drop of a partition', () =>
      sql.unsafe('alter table five.audit detach partition five.audit_30; drop table five.audit_30'),
    )
    const million = 1_000_000
    write('| time of a million | seconds |')
    write('| --- | --- |')
    for (const [name, seconds, count] of [
      ['audit entries inserted by one statement', load, rows],
      ['audit entries chained, blocks of 1,000', chain, rows],
      ['audit entries verified', verify, rows],
      ['audit entries vacuumed and frozen', vacuum, rows],
      ['audit entries read by COPY, as a dump does', dump, rows],
      ['events inserted', events, half],
      ['events numbered, with a delivery each, batches of 500', dispatch, half],
      ['old events deleted with their deliveries, batches of 500', remove, half],
    ] as const)
      write(`| ${name} | ${((seconds * million) / count).toFixed(1)} |`)
    write(`| a month of the audit dropped, of any size | ${drop.toFixed(2)} |`)
    write()
    await compareVacuum(sql, 200_000)
  } finally {
    await Promise.all([
      sql.end(),
      db.close(),
      ...[...connections.values()].map(connection => connection.end()),
    ])
    await server.stop()
  }
}

/** A load that updates an eighth of the events, with the thresholds that PostgreSQL has by default and with those of the table. */
async function compareVacuum(sql: postgres.Sql, count: number): Promise<void> {
  await sql`alter system set autovacuum_naptime = '1s'`
  await sql`alter system set autovacuum_vacuum_scale_factor = 0.2`
  await sql`select pg_reload_conf()`
  write(
    `| ${number(count)} events, 1 % of them updated every two seconds, twelve times | vacuums | dead rows at the end |`,
  )
  write('| --- | --- | --- |')
  for (const own of [false, true]) {
    await sql.unsafe('truncate events, webhook_deliveries')
    await sql.unsafe(
      own
        ? 'alter table events set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)'
        : 'alter table events reset (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold)',
    )
    await sql.unsafe(eventsOf(count, '1 day'))
    await sql.unsafe('vacuum (analyze) events')
    const stateOf = async () => {
      const [row] = await sql<[{ dead: string; vacuums: string }]>`
        select n_dead_tup as dead, autovacuum_count as vacuums from pg_stat_user_tables where relname = 'events'`
      return row
    }
    const { vacuums: before } = await stateOf()
    for (let each = 0; each < 12; each++) {
      await sql`update events set trace_id = 'x' where seq % 100 = ${each}`
      await sleep(2_000)
    }
    const { dead, vacuums } = await stateOf()
    write(
      `| ${own ? 'with the settings of the table' : 'with the default settings'} | ${Number(vacuums) - Number(before)} | ${number(Number(dead))} |`,
    )
  }
}

const folder = mkdtempSync(join(tmpdir(), 'caseport-capacity-'))
try {
  await run(folder)
  writeFileSync(join(import.meta.dirname, 'CAPACITY.md'), `# What rows cost\n\n${lines.join('\n')}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
