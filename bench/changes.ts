// The change feed: how long after its commit a change reaches a reader that waits at the end, beside 200 writes a second, and
// what a page costs anywhere in a large feed.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { connectionOf, median } from './meter.ts'
import { person } from './records.ts'
import { type Service, settled, startService } from './service.ts'

export interface ChangesResults {
  /** Milliseconds from the response of a write until a waiting reader has its change. */
  delay: { writes: number; perSecond: number; p50: number; p99: number; missing: number }
  /** Milliseconds of a page of 1,000 changes, by the share of the feed before it. */
  pages: { changes: number; costs: { at: number; p50: number; ratio: number }[] }
}

interface Options {
  folder: string
  /** Of the feed that pages are read from. */
  changes: number
  seconds: number
  print: (line: string) => void
}

export const DELAY_LIMIT = 250
export const PAGE_LIMIT = 1.2
export const WRITES_PER_SECOND = 200
const MAX_WRITES = 32
const PAGE = 1_000
const ROUNDS = 15
const WARM_UPS = 3
const SHARES = [0, 0.25, 0.5, 0.75, 0.999]

export async function measureChanges({ folder, changes, seconds, print }: Options): Promise<ChangesResults> {
  const dataDir = join(folder, 'changes')
  mkdirSync(dataDir, { recursive: true })
  const service = await startService(dataDir)
  const sql = postgres({ ...connectionOf(service), max: 1, onnotice: () => {} })
  try {
    await settled()
    const delay = await measureDelay(service, { seconds, print })
    await fill(sql, changes)
    const pages = await measurePages(service, sql, { changes, print })
    return { delay, pages }
  } finally {
    await sql.end()
    await service.stop()
  }
}

interface Page {
  records: { applicantId: string | null }[]
  nextCursor: string
  more: boolean
}

async function readPage({ port, token }: Service, query: string): Promise<Page> {
  const response = await fetch(`http://127.0.0.1:${port}/v2/changes?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const body = await response.json()
  if (!response.ok) throw new Error(`changes: ${response.status} ${JSON.stringify(body)}`)
  return body as Page
}

/** The time of a commit is at the latest that of its response, so that delays are those that a client can observe. */
async function measureDelay(
  service: Service,
  { seconds, print }: Pick<Options, 'seconds' | 'print'>,
): Promise<ChangesResults['delay']> {
  await write(service, -1)
  const written = new Map<string, number>()
  const seen = new Map<string, number>()
  const reading = new AbortController()
  let cursor = (await readPage(service, 'after=now')).nextCursor
  const read = async () => {
    while (!reading.signal.aborted) {
      const page = await readPage(service, `wait=5&maxRecords=1000&after=${encodeURIComponent(cursor)}`)
      const at = performance.now()
      for (const { applicantId } of page.records) if (applicantId) seen.set(applicantId, at)
      cursor = page.nextCursor
    }
  }
  const reader = read()
  const total = WRITES_PER_SECOND * seconds
  const began = performance.now()
  const writes = new Set<Promise<void>>()
  for (let index = 0; index < total; index++) {
    const due = began + (index * 1000) / WRITES_PER_SECOND
    if (due > performance.now()) await sleep(due - performance.now())
    // A machine that is too slow writes less often, instead of piling up requests.
    if (writes.size >= MAX_WRITES) await Promise.race(writes)
    const one: Promise<void> = write(service, index).then(id => {
      written.set(id, performance.now())
      writes.delete(one)
    })
    writes.add(one)
  }
  await Promise.all(writes)
  const perSecond = (total / (performance.now() - began)) * 1000
  const until = performance.now() + 5_000
  while (performance.now() < until && [...written.keys()].some(id => !seen.has(id))) await sleep(20)
  reading.abort()
  await reader
  const delays = [...written]
    .flatMap(([id, at]) => (seen.has(id) ? [Math.max(0, (seen.get(id) ?? 0) - at)] : []))
    .sort((a, b) => a - b)
  const at = (share: number) => delays[Math.min(delays.length - 1, Math.floor(delays.length * share))] ?? 0
  const delay = {
    writes: total,
    perSecond,
    p50: at(0.5),
    p99: at(0.99),
    missing: written.size - delays.length,
  }
  print(
    `delay          ${total} writes, ${perSecond.toFixed(0)}/s  p50 ${delay.p50.toFixed(0)} ms  p99 ${delay.p99.toFixed(0)} ms of ${DELAY_LIMIT}  missing ${delay.missing}`,
  )
  return delay
}

async function write({ port, token }: Service, index: number): Promise<string> {
  const { firstName, lastName } = person(index + 1)
  const response = await fetch(`http://127.0.0.1:${port}/v2/applicant/employeenumber/D${index}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ primaryApplicant: { firstName, lastName } }),
  })
  if (!response.ok) throw new Error(`write: ${response.status}`)
  return ((await response.json()) as { primaryApplicant: { applicantId: string } }).primaryApplicant
    .applicantId
}

const FILLED = 50_000

/** Appends numbered events, as the dispatcher leaves them. */
async function fill(sql: postgres.Sql, changes: number): Promise<void> {
  for (let from = 0; from < changes; from += FILLED) {
    const count = Math.min(FILLED, changes - from)
    await sql.begin(async tx => {
      // Numbers are assigned under the lock of this row.
      const [feed] = await tx<[{ head: string }]>`select head from change_feed for update`
      await tx`
        insert into events (event_id, type, record_id, data, occurred_at, dispatched_at, number)
        select 'evt_' || gen_random_uuid(), 'applicant.updated', 'bench-' || n,
          jsonb_build_object('applicantId', 'bench-' || n, 'employeeNumber', 'E-' || n), now(), now(), ${feed.head}::bigint + n
        from generate_series(1, ${count}::integer) as n`
      await tx`
        update change_feed f set head = e.number, head_event_id = e.event_id
        from events e where e.number = ${feed.head}::bigint + ${count}::integer`
    })
  }
  await sql`vacuum analyze events`
}

/** Pages in turn, so that other work on the machine affects all of them alike. */
async function measurePages(
  service: Service,
  sql: postgres.Sql,
  { changes, print }: Pick<Options, 'changes' | 'print'>,
): Promise<ChangesResults['pages']> {
  const cursors = await cursorsAt(service, changes)
  const times = SHARES.map((): number[] => [])
  for (let round = 0; round < ROUNDS + WARM_UPS; round++)
    for (const [index, cursor] of cursors.entries()) {
      const began = performance.now()
      const { records } = await readPage(service, `maxRecords=${PAGE}${cursor && `&after=${cursor}`}`)
      if (records.length < PAGE) throw new Error(`A page has ${records.length} changes.`)
      if (round >= WARM_UPS) times[index]?.push(performance.now() - began)
    }
  const [row] = await sql<
    [{ count: number }]
  >`select count(*)::integer as count from events where number is not null`
  const first = median(times[0] ?? [])
  const costs = SHARES.map((at, index) => {
    const p50 = median(times[index] ?? [])
    return { at, p50, ratio: p50 / first }
  })
  print(
    `pages          of ${row.count} changes: ${costs.map(({ at, p50, ratio }) => `at ${at * 100} % ${p50.toFixed(1)} ms (${ratio.toFixed(2)})`).join(', ')}`,
  )
  return { changes: row.count, costs }
}

/** Cursors belong to a client, so that the feed is read once to find them. The first page has none. */
async function cursorsAt(service: Service, changes: number): Promise<string[]> {
  const cursors = ['']
  let cursor = ''
  let read = 0
  while (cursors.length < SHARES.length) {
    const page = await readPage(service, `maxRecords=${PAGE}${cursor && `&after=${cursor}`}`)
    read += page.records.length
    cursor = encodeURIComponent(page.nextCursor)
    const wanted = Math.min((SHARES[cursors.length] ?? 1) * changes, changes - PAGE)
    if (read >= wanted) cursors.push(cursor)
    if (!page.more && cursors.length < SHARES.length) throw new Error('The feed is too short for its pages.')
  }
  return cursors
}
