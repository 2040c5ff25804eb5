// The baseline "driver": the statements of a request, sent by postgres.js alone, with the service's number of connections
// and the same number of callers, but without HTTP, validation or rules.
import { randomBytes, randomUUID } from 'node:crypto'
import postgres from 'postgres'
import type { SocketConnection } from '../service/src/db/database.ts'
import { serve } from './children.ts'
import type { Measured } from './http-load.ts'
import { openRecorder, type Recording, type Statement } from './recording.ts'
import { type Fixture, random, type Workload, workloads } from './workloads.ts'

export interface DriverMessage {
  connection: SocketConnection
  dataDir: string
  fixture: Fixture
  workload: string
  connections: number
  seconds: number
  /** Stops after this many requests, if given. */
  requests?: number
}

const POOL = 10
const recordings = new Map<string, Recording>()

serve(async (message: DriverMessage): Promise<Measured & { recording: Recording }> => {
  const workload = workloads.find(one => one.name === message.workload) as Workload
  const key = `${message.dataDir} ${workload.name}`
  const recording = recordings.get(key) ?? (await record(message, workload))
  recordings.set(key, recording)
  const sql = postgres({
    ...message.connection,
    max: POOL,
    onnotice: () => {},
    // As the service does for lookups by key.
    ...(workload.limits[0] === 'bare' && { connection: { plan_cache_mode: 'force_generic_plan' } }),
    // As in the service: days and wall-clock times are text.
    types: {
      wallClock: {
        to: 1114,
        from: [1082, 1114],
        serialize: (text: string) => text,
        parse: (text: string) => text,
      },
    },
  })
  await Promise.all(Array.from({ length: POOL }, () => sql`select 1`))
  const measured = await repeat(sql, { ...message, workload, recording })
  await sql.end()
  return { ...measured, recording }
})

async function record(
  { connection, dataDir, fixture }: DriverMessage,
  workload: Workload,
): Promise<Recording> {
  const recorder = await openRecorder(connection, dataDir)
  try {
    return await recorder.record(workload, fixture)
  } finally {
    await recorder.close()
  }
}

type Sql = ReturnType<typeof postgres>

async function repeat(
  sql: Sql,
  {
    workload,
    fixture,
    recording,
    connections,
    seconds,
    requests = Number.POSITIVE_INFINITY,
  }: Omit<DriverMessage, 'workload'> & { workload: Workload; recording: Recording },
): Promise<Measured> {
  const times: number[] = []
  let started = 0
  const began = performance.now()
  const until = began + seconds * 1000
  const one = recording.inTransaction
    ? (rewrite: Rewrite) => sql.begin(tx => sendGroups(tx, recording, rewrite))
    : (rewrite: Rewrite) => sendGroups(sql, recording, rewrite)
  const caller = async () => {
    while (performance.now() < until && started < requests) {
      started += 1
      const sent = performance.now()
      await one(rewriteFor(workload, recording, random(fixture.dataset.applicants)))
      times.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: connections }, caller))
  const took = (performance.now() - began) / 1000
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  return { requests: times.length, rate: times.length / took, p50: at(0.5), p99: at(0.99), failures: {} }
}

async function sendGroups(sql: postgres.ISql, { groups }: Recording, rewrite: Rewrite): Promise<void> {
  for (const group of groups)
    await Promise.all(
      group.map(({ text, parameters, types }: Statement) =>
        sql.unsafe(
          text,
          parameters.map((value, at) => sql.typed(rewrite(value) as never, types[at] ?? 0)) as never[],
          { prepare: true },
        ),
      ),
    )
}

/** Replaces the values of the recorded record in a parameter by those of another, and generated ids by new ones. */
type Rewrite = (value: unknown) => unknown

function rewriteFor(workload: Workload, { generatedIds }: Recording, index: number): Rewrite {
  const recorded = workload.valuesOf(0)
  const values = workload.valuesOf(index)
  const replacements: [string, string][] = [
    ...recorded.map((name, at): [string, string] => [name, values[at] ?? name]),
    ...generatedIds.map((id): [string, string] => [
      id,
      id.endsWith('=') ? `${randomBytes(17).toString('base64url')}=` : randomUUID(),
    ]),
  ]
  const inText = (text: string) => {
    let changed = text
    for (const [from, to] of replacements) if (changed.includes(from)) changed = changed.replaceAll(from, to)
    return changed
  }
  return value => {
    if (typeof value === 'string') return inText(value)
    if (value instanceof Date || value === null || typeof value !== 'object') return value
    return JSON.parse(inText(JSON.stringify(value)))
  }
}
