// The nightly feed: the same families, without ids, sent several times. Runs after the first must not change the database,
// and a repeated family must cost at most half of its creation.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { createAudit } from '../service/src/audit/audit.service.ts'
import { connect } from '../service/src/db/database.ts'
import { appendEvents } from '../service/src/events/outbox.store.ts'
import { createLog } from '../service/src/log.ts'
import { createRenewals } from '../service/src/reminders/renewals.worker.ts'
import { applyLoad, requestBytes } from './http-load.ts'
import { connectionOf, median } from './meter.ts'
import { person } from './records.ts'
import { type Service, settled, startService, waitForBackground } from './service.ts'

export const FEED_CONNECTIONS = 16
export const FEED_LIMIT = 0.5
const RUNS = 5
const WARM_UP = 200
/** Tables that every request writes to, even a no-op. */
const LOGS = new Set(['audit', 'audit_records', 'audit_chain'])

export interface FeedRun {
  rate: number
  p50: number
  p99: number
  /** Changes of each table by this run; empty when there are none. */
  changes: string[]
}

export interface Feed {
  families: number
  people: number
  notices: number
  runs: FeedRun[]
  /** A repeated family over its creation: time per request at the median, and time per family by throughput. */
  cost: { median: number; throughput: number }
}

interface Options {
  folder: string
  families: number
  print: (line: string) => void
}

export async function measureFeed({ folder, families, print }: Options): Promise<Feed> {
  const dataDir = join(folder, 'feed')
  mkdirSync(dataDir, { recursive: true })
  const service = await startService(dataDir)
  try {
    await settled()
    // The first requests compile code and fill caches, which would make creation look slower.
    const warm = feedOf('W', WARM_UP)
    for (let time = 0; time < 3; time++) await send(service, warm)
    const feed = await repeat(service, feedOf('F', families), print)
    print(
      `feed: a repeated family costs ${feed.cost.median.toFixed(2)} of its creation at the median, ${feed.cost.throughput.toFixed(2)} by throughput`,
    )
    return feed
  } finally {
    await service.stop()
  }
}

/** The claims that do not hold. Without a `limit` the cost is not checked. */
export function brokenClaims({ runs, cost, notices }: Feed, { limit }: { limit: number | undefined }) {
  const broken = runs.flatMap(({ changes }, index) =>
    changes.length > 0 ? [`run ${index + 1} changes nothing in the database (${changes.join(', ')})`] : [],
  )
  if (notices === 0) broken.push('some notices are recorded by the first run')
  for (const [name, ratio] of Object.entries(cost))
    if (limit !== undefined && ratio > limit)
      broken.push(`a repeated family costs at most ${limit} of its creation (${name} ${ratio.toFixed(2)})`)
  return broken
}

export interface FeedRequests {
  people: number
  requests: { path: string; body: string }[]
}

async function repeat(service: Service, feed: FeedRequests, print: (line: string) => void): Promise<Feed> {
  const counter = await openRowCounter(service)
  const runs: FeedRun[] = []
  let before: Map<string, number> | undefined
  for (let run = 1; run <= RUNS; run++) {
    const measured = await send(service, feed)
    const after = await counter.count()
    runs.push({ ...measured, changes: before ? differences(before, after) : [] })
    before = after
    print(
      `feed  run ${run}  ${measured.rate.toFixed(0)} families/s  p50 ${measured.p50.toFixed(2)} ms  p99 ${measured.p99.toFixed(2)} ms  ${runs.at(-1)?.changes.join(', ') ?? ''}`,
    )
  }
  const notices = before?.get('notifications rows') ?? 0
  await counter.close()
  const [first, ...later] = runs as [FeedRun, ...FeedRun[]]
  return {
    families: feed.requests.length,
    people: feed.people,
    notices,
    runs,
    cost: {
      median: median(later.map(({ p50 }) => p50)) / first.p50,
      throughput: first.rate / median(later.map(({ rate }) => rate)),
    },
  }
}

async function send({ port, token }: Service, { requests }: FeedRequests) {
  let at = 0
  const next = () => {
    const request = requests[at++]
    return request && requestBytes({ method: 'PUT', token, ...request })
  }
  const { failures, ...measured } = await applyLoad({
    port,
    connections: FEED_CONNECTIONS,
    seconds: Number.POSITIVE_INFINITY,
    next,
  })
  const failed = Object.entries(failures)
  if (failed.length > 0)
    throw new Error(`feed: ${failed.map(([status, count]) => `${count} of ${status}`).join(', ')}`)
  return measured
}

/** Counts the rows of the database, after due renewals have been recorded and the work that follows writes is done. */
async function openRowCounter(service: Service) {
  const connection = connectionOf(service)
  const sql = postgres({ ...connection, max: 1, onnotice: () => {} })
  const db = connect({ connection, log: createLog('error') })
  const clock = { now: () => new Date() }
  const recorders = { audit: createAudit({ sql: db.sql, clock }).append, emit: appendEvents }
  const renewals = createRenewals({ db, clock, recorders, defaultDays: [90, 30, 7], mail: undefined })
  const tables = await sql<{ name: string; versioned: boolean; numbered: boolean }[]>`
    select t.table_name as name,
      coalesce(bool_or(c.column_name = 'version' and c.data_type = 'integer'), false) as versioned,
      coalesce(bool_or(c.column_name = 'seq'), false) as numbered
    from information_schema.tables t
    join information_schema.columns c using (table_schema, table_name)
    where t.table_schema = 'public' and t.table_type = 'BASE TABLE'
      -- Partitions are counted with their table.
      and not (select p.relispartition from pg_class p where p.oid = format('public.%I', t.table_name)::regclass)
    group by t.table_name`
  return {
    async count(): Promise<Map<string, number>> {
      // The service does this once a minute; done at once here, so that notices are counted in the right run.
      await renewals.find()
      await waitForBackground(sql)
      const counts = new Map<string, number>()
      for (const { name, versioned, numbered } of tables.filter(table => !LOGS.has(table.name))) {
        const [row] = await sql<[{ rows: number; versions: number; last: number }]>`
          select count(*)::float8 as rows,
            ${versioned ? sql`coalesce(sum(version), 0)::float8` : sql`0`} as versions,
            ${numbered ? sql`coalesce(max(seq), 0)::float8` : sql`0`} as last
          from ${sql(name)}`
        counts.set(`${name} rows`, row.rows)
        if (versioned) counts.set(`${name} versions`, row.versions)
        // Grows when a row was replaced by another one.
        if (numbered) counts.set(`${name} last seq`, row.last)
      }
      return counts
    },
    async close() {
      await sql.end()
      await db.close()
    },
  }
}

const differences = (before: Map<string, number>, after: Map<string, number>) =>
  [...after].flatMap(([name, count]) => {
    const more = count - (before.get(name) ?? 0)
    return more === 0 ? [] : [`${more > 0 ? '+' : ''}${more} ${name}`]
  })

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** Spread over fifteen years: people of the same name are rarely born on the same day. */
const birthDate = (from: number, index: number) =>
  new Date(Date.UTC(from, 0, 1 + ((index * 37) % 5_479))).toISOString().slice(0, 10)

interface FeedOptions {
  /** The number of the first family: different ones have different names, passports and addresses. */
  from?: number
  jobTitle?: (index: number) => string
  sendingCompany?: string
}

/** Families of one to three dependents as an HR system has them: employee numbers, but no ids. */
export function feedOf(
  prefix: string,
  families: number,
  { from = 0, jobTitle = () => 'Engineer', sendingCompany }: FeedOptions = {},
): FeedRequests {
  const feed: FeedRequests = { people: 0, requests: [] }
  for (let index = from; index < from + families; index++) {
    const { firstName, lastName, email, passportNumber } = person(index)
    const dependents = Array.from({ length: 1 + (index % 3) }, (_, child) => ({
      firstName: ['Kim', 'Noor', 'Sam'][child],
      lastName,
      relationship: child === 0 ? 'Spouse' : 'Child',
      dateOfBirth: birthDate(child === 0 ? 1965 : 2005 + child, index),
      nationality: 'DE',
      passports: [{ passportNumber: `${passportNumber}-${child}`, country: 'DE', expiryDate: '2033-02-28' }],
      documents:
        child === 0
          ? [{ name: 'Residence permit', referenceNumber: `RP-${index}`, expiryDate: '2032-06-30', remindAboutRenewal: true }]
          : [],
    })) // biome-ignore format: a record reads better in one piece
    // One family in ten has a permit that is due for renewal now.
    const due = index % 10 === 0
    const primaryApplicant = {
      firstName,
      lastName,
      email,
      dateOfBirth: birthDate(1960, index),
      nationality: 'DE',
      jobTitle: jobTitle(index),
      ...(sendingCompany && { sendingCompany }),
      hireDate: '2020-02-01',
      passports: [{ passportNumber, country: 'DE', nationality: 'DE', expiryDate: '2031-02-28' }],
      metaData: [
        { tagName: 'costCenter', value: String(4700 + (index % 50)) },
        { tagName: 'site', value: 'Köln' },
      ],
      documents: [
        {
          name: 'Work permit',
          referenceNumber: `WP-${index}`,
          expiryDate: due ? inDays(20) : '2032-01-31',
          remindAboutRenewal: true,
          expiryReminder: 0,
        },
      ],
      previousNames: index % 5 === 0 ? [{ firstName, lastName: 'Formerly' }] : [],
    }
    feed.people += 1 + dependents.length
    feed.requests.push({
      path: `/v2/applicant/employeenumber/${prefix}-${index}`,
      body: JSON.stringify({ primaryApplicant, dependents }),
    })
  }
  return feed
}
