// The baseline "driver": the statements of a request, sent by postgres.js alone, with the service's number of connections
// and the same number of callers, but without HTTP, validation or rules. `pg` with pipelining can be measured instead.
import { randomBytes, randomUUID } from 'node:crypto'
import pg from 'pg'
import postgres from 'postgres'
import type { SocketConnection } from '../service/src/db/database.ts'
import { serve } from './children.ts'
import type { Measured } from './http-load.ts'
import { openRecorder, RECORDED, type Recording, type Statement } from './recording.ts'
import { type Fixture, randomOfLarge, type Workload, workloads } from './workloads.ts'

export interface DriverMessage {
  connection: SocketConnection
  dataDir: string
  fixture: Fixture
  workload: string
  connections: number
  seconds: number
  /** Stops after this many requests, if given. */
  requests?: number
  library?: 'postgres' | 'pg'
}

const POOL = 10
const recordings = new Map<string, Recording>()

serve(async (message: DriverMessage): Promise<Measured & { recording: Recording }> => {
  const workload = workloads.find(one => one.name === message.workload) as Workload
  const key = `${message.dataDir} ${workload.name}`
  const recording = recordings.get(key) ?? (await record(message, workload))
  recordings.set(key, recording)
  const options = { genericPlans: workload.limits[0] === 'bare' }
  // Two libraries are compared on connections that stay open: one may use fewer of them, and prepare fewer statements.
  if (message.library) {
    const driver = await keptDriver(message, message.library, options)
    return { ...(await repeat(driver, { ...message, workload, recording })), recording }
  }
  const driver = await openPostgres(message.connection, options)
  const measured = await repeat(driver, { ...message, workload, recording })
  await driver.close()
  return { ...measured, recording }
})

const kept = new Map<string, Promise<Driver>>()

function keptDriver({ connection, dataDir }: DriverMessage, library: 'postgres' | 'pg', options: Options) {
  const key = `${dataDir} ${library} ${options.genericPlans}`
  const driver = kept.get(key) ?? (library === 'pg' ? openPg : openPostgres)(connection, options)
  kept.set(key, driver)
  return driver
}

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

/** Sends the statements of one request. */
interface Driver {
  send(recording: Recording, rewrite: Rewrite): Promise<void>
  close(): Promise<void>
}

interface Options {
  /** As the service does for lookups by key. */
  genericPlans: boolean
}

async function openPostgres(connection: SocketConnection, { genericPlans }: Options): Promise<Driver> {
  const sql = postgres({
    ...connection,
    max: POOL,
    onnotice: () => {},
    ...(genericPlans && { connection: { plan_cache_mode: 'force_generic_plan' } }),
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
  const sendGroups = async (target: postgres.ISql, { groups }: Recording, rewrite: Rewrite) => {
    for (const group of groups)
      await Promise.all(
        group.map(({ text, parameters, types }: Statement) =>
          target.unsafe(
            text,
            parameters.map((value, at) => target.typed(rewrite(value) as never, types[at] ?? 0)) as never[],
            { prepare: true },
          ),
        ),
      )
  }
  return {
    async send(recording, rewrite) {
      if (recording.inTransaction) await sql.begin(tx => sendGroups(tx, recording, rewrite))
      else await sendGroups(sql, recording, rewrite)
    },
    close: () => sql.end(),
  }
}

const JSON_TYPES = [114, 3802]

async function openPg(connection: SocketConnection, { genericPlans }: Options): Promise<Driver> {
  const { path, user, database, password } = connection
  const clients = Array.from(
    { length: POOL },
    () =>
      new pg.Client({
        host: path.slice(0, path.lastIndexOf('/')),
        port: Number(path.slice(path.lastIndexOf('.') + 1)),
        user,
        database,
        password,
        ...(genericPlans && { options: '-c plan_cache_mode=force_generic_plan' }),
        pipeline: true,
      } as pg.ClientConfig),
  )
  await Promise.all(clients.map(client => client.connect()))
  const names = new Map<string, string>()
  const nameOf = (text: string) => {
    const name = names.get(text) ?? `s${names.size}`
    names.set(text, name)
    return name
  }
  const query = (client: pg.Client, { text, parameters, types }: Statement, rewrite: Rewrite) =>
    client.query({
      name: nameOf(text),
      text,
      values: parameters.map((value, at) => {
        const changed = rewrite(value)
        return JSON_TYPES.includes(types[at] ?? 0) ? JSON.stringify(changed) : changed
      }),
    })
  const sendGroups = async (client: pg.Client, { groups }: Recording, rewrite: Rewrite) => {
    for (const group of groups) await Promise.all(group.map(statement => query(client, statement, rewrite)))
  }
  const idle = [...clients]
  const waiting: ((client: pg.Client) => void)[] = []
  const release = (client: pg.Client) => {
    const next = waiting.shift()
    if (next) next(client)
    else idle.push(client)
  }
  let turn = 0
  return {
    async send(recording, rewrite) {
      if (!recording.inTransaction) {
        turn = (turn + 1) % POOL
        return sendGroups(clients[turn] as pg.Client, recording, rewrite)
      }
      const client = idle.pop() ?? (await new Promise<pg.Client>(resolve => waiting.push(resolve)))
      // The BEGIN is pipelined with the first statements.
      await Promise.all([client.query('begin'), sendGroups(client, recording, rewrite)])
      await client.query('commit')
      release(client)
    },
    async close() {
      await Promise.all(clients.map(client => client.end()))
    },
  }
}

async function repeat(
  driver: Driver,
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
  const caller = async () => {
    while (performance.now() < until && started < requests) {
      started += 1
      const sent = performance.now()
      await driver.send(recording, rewriteFor(workload, recording, randomOfLarge(fixture.dataset)))
      times.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: connections }, caller))
  const took = (performance.now() - began) / 1000
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  return { requests: times.length, rate: times.length / took, p50: at(0.5), p99: at(0.99), failures: {} }
}

/** Replaces the values of the recorded record in a parameter by those of another, and generated ids by new ones. */
type Rewrite = (value: unknown) => unknown

function rewriteFor(workload: Workload, { generatedIds }: Recording, index: number): Rewrite {
  const recorded = workload.valuesOf(RECORDED)
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
