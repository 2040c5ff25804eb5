// Imports against single PUTs of the same families in the same run: new families, an unchanged file, and one with 1 % of the
// families changed, alternately. Also the memory of the service with the size of the file, and reads beside an import.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { cpuTimeOf, postgresTimeOf } from './cpu.ts'
import { FEED_CONNECTIONS, type FeedRequests, feedOf } from './feed.ts'
import { applyLoad, requestBytes } from './http-load.ts'
import { connectionOf, median } from './meter.ts'
import { birthDateOf, COMPANIES, person } from './records.ts'
import { type Service, settled, startService, waitForBackground } from './service.ts'

export interface ImportRow {
  name: string
  /** How many times the rate of single PUTs of new families is asked for. */
  limit: number
  /** Families per second. */
  single: number
  imported: number
  /** Of the rate of single PUTs of new families, and of PUTs of the same file. */
  ratio: number
  sameRatio: number
  /** Microseconds of a family, with the work that follows in the background. */
  cpu: { single: Cpu; imported: Cpu }
}

interface Cpu {
  service: number
  postgres: number
}

export interface ImportResults {
  families: number
  people: number
  rounds: number
  rows: ImportRow[]
  /** Peak resident memory of the service in MiB, by rows of the file. */
  memory: { rows: number; peak: number }[]
  /** Reads per second, alone and beside an import. */
  reads: { alone: number; beside: number }
}

interface Options {
  folder: string
  families: number
  rounds: number
  /** Of the largest file whose memory is measured; 0 measures none. */
  memoryRows: number
  print: (line: string) => void
}

export const MEMORY_LIMIT = 64
export const READS_LIMIT = 0.7
const KINDS = [
  { name: 'new families', limit: 6 },
  { name: 'unchanged', limit: 20 },
  { name: '1 % changed', limit: 15 },
] as const
const WARM_UP = 400
const SMALL_FILE = 1_000
const READ_SECONDS = 4

export async function measureImports(options: Options): Promise<ImportResults> {
  const { folder, families, rounds, memoryRows, print } = options
  const dataDir = join(folder, 'imports')
  mkdirSync(dataDir, { recursive: true })
  const service = await startService(dataDir)
  const sql = postgres({ ...connectionOf(service), max: 1, onnotice: () => {} })
  const bench = { service, sql }
  try {
    await settled()
    await createCompany(service)
    await warmUp(bench)
    const rows = await compare(bench, { families, rounds, print })
    const reads = await measureReads(bench, { families, print })
    const memory = memoryRows > 0 ? await measureMemory(bench, { memoryRows, print }) : []
    const { people } = filesOf('P', 0, families).same
    return { families, people, rounds, rows, memory, reads }
  } finally {
    await sql.end()
    await service.stop()
  }
}

interface Bench {
  service: Service
  sql: postgres.Sql
}

const sendingCompany = COMPANIES.large.code

async function createCompany({ port, token }: Service): Promise<void> {
  const { name, code } = COMPANIES.large
  const response = await fetch(`http://127.0.0.1:${port}/admin/v1/companies`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, code, country: 'DE' }),
  })
  if (!response.ok) throw new Error(`The company was not created: ${response.status}`)
}

/** The first requests compile code and fill caches. */
async function warmUp(bench: Bench): Promise<void> {
  const single = filesOf('W', 0, WARM_UP)
  const imported = filesOf('X', WARM_UP, WARM_UP)
  for (const file of [single.same, single.same, single.changed]) await sendSingly(bench, file)
  for (const file of [imported.same, imported.same, imported.changed]) await sendImport(bench, file)
}

const CHANGED = 100

/** Families as they are sent first, and with one of a hundred changed. */
function filesOf(prefix: string, from: number, families: number) {
  return {
    same: feedOf(prefix, families, { from, sendingCompany }),
    changed: feedOf(prefix, families, {
      from,
      sendingCompany,
      jobTitle: index => (index % CHANGED === 0 ? 'Head of Research' : 'Engineer'),
    }),
  }
}

async function compare(
  bench: Bench,
  { families, rounds, print }: Pick<Options, 'families' | 'rounds' | 'print'>,
): Promise<ImportRow[]> {
  const measured = KINDS.map(() => ({ single: [] as Sent[], imported: [] as Sent[] }))
  for (let round = 0; round < rounds; round++) {
    // Of different people, so that those of the one are not compared as duplicates of the other.
    const from = (offset: number) => 2 * WARM_UP + (2 * round + offset) * families
    const files = {
      single: filesOf(`P${round}`, from(0), families),
      imported: filesOf(`I${round}`, from(1), families),
    }
    for (const [kind, { name }] of KINDS.entries()) {
      const fileOf = (way: 'single' | 'imported') =>
        name === '1 % changed' ? files[way].changed : files[way].same
      const both = [
        async () => measured[kind]?.single.push(await sendSingly(bench, fileOf('single'))),
        async () => measured[kind]?.imported.push(await sendImport(bench, fileOf('imported'))),
      ]
      // Who comes first alternates: tables grow in the meantime.
      for (const send of round % 2 === 0 ? both : both.reverse()) await send()
    }
  }
  const created = measured[0]?.single ?? []
  return KINDS.map(({ name, limit }, kind) => {
    const { single = [], imported = [] } = measured[kind] ?? {}
    const ratioTo = (base: Sent[]) =>
      median(imported.map(({ rate }, round) => rate / (base[round]?.rate ?? 0)))
    const rateOf = (sent: Sent[]) => median(sent.map(({ rate }) => rate))
    const cpuOf = (sent: Sent[]) => ({
      service: median(sent.map(({ cpu }) => cpu.service)),
      postgres: median(sent.map(({ cpu }) => cpu.postgres)),
    })
    const row: ImportRow = {
      name,
      limit,
      single: rateOf(single),
      imported: rateOf(imported),
      ratio: ratioTo(created),
      sameRatio: ratioTo(single),
      cpu: { single: cpuOf(single), imported: cpuOf(imported) },
    }
    const micros = (cpu: Cpu) => `${cpu.service.toFixed(0)} + ${cpu.postgres.toFixed(0)} µs`
    print(
      `${name.padEnd(14)} single ${row.single.toFixed(0)}/s (${micros(row.cpu.single)})  import ${row.imported.toFixed(0)}/s (${micros(row.cpu.imported)})  ratio ${row.ratio.toFixed(1)} of ${limit}, to the same file ${row.sameRatio.toFixed(1)}`,
    )
    return row
  })
}

interface Sent {
  rate: number
  cpu: Cpu
}

/** Runs the work, then waits for what it leaves to the background, which costs CPU time but no time of the work. */
async function metered(
  { service, sql }: Bench,
  families: number,
  work: () => Promise<number>,
): Promise<Sent> {
  await waitForBackground(sql)
  const now = () => ({ service: cpuTimeOf([service.pid]), postgres: postgresTimeOf(service.dataDir) })
  const before = now()
  const rate = await work()
  await waitForBackground(sql)
  const after = now()
  return {
    rate,
    cpu: {
      service: (after.service - before.service) / families,
      postgres: (after.postgres - before.postgres) / families,
    },
  }
}

function sendSingly(bench: Bench, { requests }: FeedRequests): Promise<Sent> {
  const { port, token } = bench.service
  return metered(bench, requests.length, async () => {
    let at = 0
    const { failures, rate } = await applyLoad({
      port,
      connections: FEED_CONNECTIONS,
      seconds: Number.POSITIVE_INFINITY,
      next() {
        const request = requests[at++]
        return request && requestBytes({ method: 'PUT', token, ...request })
      },
    })
    const failed = Object.entries(failures)
    if (failed.length > 0)
      throw new Error(
        `single requests: ${failed.map(([status, count]) => `${count} of ${status}`).join(', ')}`,
      )
    return rate
  })
}

const numberOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** A line of the file for each request. */
function* linesOf({ requests }: FeedRequests): Generator<string> {
  for (const { path, body } of requests)
    yield `{"primaryApplicant":{"employeeNumber":"${numberOf(path)}",${body.slice('{"primaryApplicant":{'.length)}\n`
}

function sendImport(bench: Bench, file: FeedRequests): Promise<Sent> {
  const body = Buffer.from([...linesOf(file)].join(''))
  return metered(bench, file.requests.length, async () => {
    const began = performance.now()
    await importFile(bench.service, body)
    return (file.requests.length / (performance.now() - began)) * 1000
  })
}

interface ImportState {
  importId: string
  status: string
  counts: { total: number; rejected: number }
}

/** Until the import is completed. */
async function importFile(
  { port, token }: Service,
  body: NonNullable<RequestInit['body']>,
): Promise<ImportState> {
  const url = `http://127.0.0.1:${port}/v2/imports`
  const authorization = `Bearer ${token}`
  const response = await fetch(`${url}?mode=replace`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/x-ndjson', prefer: 'wait=20' },
    body,
    duplex: 'half',
  } as RequestInit)
  let state = (await response.json()) as ImportState
  if (!response.ok) throw new Error(`import: ${response.status} ${JSON.stringify(state)}`)
  // An import rests in proportion to the requests beside it, these included.
  while (['receiving', 'checking', 'running'].includes(state.status)) {
    await sleep(1_000)
    const poll = await fetch(`${url}/${state.importId}`, { headers: { authorization } })
    state = (await poll.json()) as ImportState
  }
  if (state.status !== 'completed' || state.counts.rejected > 0)
    throw new Error(`import: ${JSON.stringify(state)}`)
  return state
}

/** Reads by number over 16 connections, alone and while new families are imported. */
async function measureReads(
  bench: Bench,
  { families, print }: Pick<Options, 'families' | 'print'>,
): Promise<ImportResults['reads']> {
  const { port, token } = bench.service
  let at = 0
  const read = () =>
    applyLoad({
      port,
      connections: FEED_CONNECTIONS,
      seconds: READ_SECONDS,
      next: () =>
        requestBytes({
          method: 'GET',
          token,
          path: `/v2/applicant/employeenumber/P0-${2 * WARM_UP + (at++ % families)}`,
        }),
    })
  await waitForBackground(bench.sql)
  await read()
  const alone = [await read()]
  let isImporting = true
  const file = feedOf('R', 50 * families, { from: 1_000_000, sendingCompany })
  const stopped = new AbortController()
  const importing = runUntilCancelled(bench.service, file, stopped.signal).finally(() => {
    isImporting = false
  })
  // Until rows are applied.
  while (isImporting && !(await hasApplied(bench.sql))) await sleep(50)
  const beside = [await read(), await read()]
  if (!isImporting) throw new Error('The import has ended before the reads.')
  stopped.abort()
  await importing
  await waitForBackground(bench.sql)
  alone.push(await read())
  const rate = (measured: { rate: number }[]) =>
    measured.reduce((sum, one) => sum + one.rate, 0) / measured.length
  const reads = { alone: rate(alone), beside: rate(beside) }
  print(
    `reads          alone ${reads.alone.toFixed(0)}/s  beside an import ${reads.beside.toFixed(0)}/s  ratio ${(reads.beside / reads.alone).toFixed(2)} of ${READS_LIMIT}`,
  )
  return reads
}

async function hasApplied(sql: postgres.Sql): Promise<boolean> {
  const { count } = await sql`select from imports where status = 'running' and applied > 0`
  return count > 0
}

async function runUntilCancelled({ port, token }: Service, file: FeedRequests, stopped: AbortSignal) {
  const url = `http://127.0.0.1:${port}/v2/imports`
  const authorization = `Bearer ${token}`
  const response = await fetch(`${url}?mode=replace`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/x-ndjson' },
    body: Buffer.from([...linesOf(file)].join('')),
  })
  const { importId } = (await response.json()) as ImportState
  if (!stopped.aborted)
    await new Promise(resolve => stopped.addEventListener('abort', resolve, { once: true }))
  const cancelled = await fetch(`${url}/${importId}/cancel`, { method: 'POST', headers: { authorization } })
  if (!cancelled.ok) throw new Error(`cancel: ${cancelled.status}`)
}

/** Peak memory while files of new people are imported: a small one, several times, then the large one. */
async function measureMemory(
  bench: Bench,
  { memoryRows, print }: Pick<Options, 'memoryRows' | 'print'>,
): Promise<ImportResults['memory']> {
  const memory: ImportResults['memory'] = []
  let from = 0
  for (const rows of [SMALL_FILE, SMALL_FILE, SMALL_FILE, memoryRows]) {
    const file = ReadableStream.from(peopleOf(from, rows))
    from += rows
    let peak = 0
    const watch = setInterval(() => {
      peak = Math.max(peak, bench.service.memory())
    }, 20)
    try {
      await importFile(bench.service, file as never)
    } finally {
      clearInterval(watch)
    }
    const known = memory.find(one => one.rows === rows)
    if (known) known.peak = Math.max(known.peak, peak)
    else memory.push({ rows, peak })
    print(`memory         ${rows} rows: ${peak.toFixed(0)} MiB`)
  }
  return memory
}

/** Made while they are sent. */
async function* peopleOf(from: number, rows: number): AsyncGenerator<Uint8Array> {
  for (let start = from; start < from + rows; start += 100) {
    const lines = Array.from({ length: Math.min(100, from + rows - start) }, (_, offset) => {
      const { firstName, lastName, email } = person(start + offset)
      const primaryApplicant = {
        employeeNumber: `M-${start + offset}`,
        firstName,
        lastName,
        email: `m-${email}`,
        dateOfBirth: birthDateOf(start + offset),
        sendingCompany,
      }
      return `${JSON.stringify({ primaryApplicant })}\n`
    })
    yield Buffer.from(lines.join(''))
  }
}
