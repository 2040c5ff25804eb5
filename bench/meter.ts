// Measures each workload and its limits (the baselines: bare, driver, pgbench) alternately, so that other work on the
// machine affects all of them alike. The medians of the rounds count.
import { connectionsOf } from '../service/src/embedded-postgres/connections.ts'
import { type Child, startChild } from './children.ts'
import type { DriverMessage } from './driver.ts'
import type { Measured } from './http-load.ts'
import type { LoadMessage } from './load.ts'
import { hasPgbench, runPgbench } from './pgbench.ts'
import type { Recording } from './recording.ts'
import { COMPANIES, type Dataset } from './records.ts'
import { type Service, tokenOf } from './service.ts'
import { type Fixture, type Workload, workloads } from './workloads.ts'

/** A running service on a loaded dataset. */
export interface Instance {
  service: Service
  fixture: Fixture
}

export interface Row {
  name: string
  applicants: number
  connections: number
  rate: number
  p50: number
  p99: number
  /** Peak resident memory, in MiB. */
  memory: number
  /** Rates of the limits. */
  limits: Record<string, number>
  /** The service's rate over that of the first limit. */
  ratio: number | undefined
  minRatio: number | undefined
}

const CONNECTIONS = [1, 32, 256]
const LARGE = 1_000_000
/** Of a round each, with 32 connections. */
const WARM_UPS = 6
const SET_BY_NODE = new Set(['date', 'connection', 'keep-alive', 'content-length'])
export const median = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Finds cursors deep in the lists of a dataset. */
export async function openFixture(service: Service, dataset: Dataset): Promise<Fixture> {
  const cursors: Record<string, string> = {}
  for (const [kind, total] of [
    ['steps', dataset.steps],
    ['notes', dataset.notes],
  ] as const) {
    const path =
      workloads.find(({ name }) => name === 'page of 100 steps, first')?.request({ dataset, cursors }).path ??
      ''
    const deep = path.replace('/steps', `/${kind}`).replace(/offset=$/, `offset=${Math.floor(total * 0.95)}`)
    const response = await fetch(`http://127.0.0.1:${service.port}${deep}`, {
      headers: { authorization: `Bearer ${service.token}` },
    })
    cursors[kind] = ((await response.json()) as { nextCursor: string }).nextCursor
  }
  const limitedToken = await limitedTokenOf(service)
  return { dataset, cursors, ...(limitedToken && { limitedToken }) }
}

async function limitedTokenOf({ port, token }: Service): Promise<string | undefined> {
  const response = await fetch(`http://127.0.0.1:${port}/admin/v1/clients`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'Small company',
      scopes: ['applicants:read', 'cases:read', 'documents:read', 'desk:read'],
      companies: [COMPANIES.small.id],
    }),
  })
  if (!response.ok) return undefined
  const { clientId, clientSecret } = (await response.json()) as { clientId: string; clientSecret: string }
  return tokenOf(port, { clientId, clientSecret })
}

interface Options {
  seconds: number
  rounds: number
  print: (line: string) => void
}

export function createMeter({ seconds, rounds, print }: Options) {
  const load = startChild('load.ts')
  const driver = startChild('driver.ts')
  const bare = startChild('bare.ts')
  const pgbench = hasPgbench()

  const applyLoad = (
    workload: Workload,
    instance: Instance,
    { port, connections }: { port: number; connections: number },
  ) =>
    load.ask<Measured>({
      workload: workload.name,
      fixture: instance.fixture,
      port,
      token: instance.service.token,
      connections,
      seconds,
    } satisfies LoadMessage)

  const repeatByDriver = (
    workload: Workload,
    { service, fixture }: Instance,
    { connections }: { connections: number },
  ) =>
    driver.ask<Measured & { recording: Recording }>({
      connection: connectionOf(service),
      dataDir: service.dataDir,
      fixture,
      workload: workload.name,
      connections,
      seconds,
    } satisfies DriverMessage)

  /** Code is compiled while it runs: a write is as fast as it will be after some thousand requests. */
  const warmUp = async (workload: Workload, instance: Instance) => {
    const hasBare = workload.limits.includes('bare')
    const ports = [instance.service.port, ...(hasBare ? [await startBare(bare, workload, instance)] : [])]
    for (let time = 0; time < WARM_UPS; time++)
      for (const port of ports) await applyLoad(workload, instance, { port, connections: 32 })
    if (workload.limits.includes('driver')) await repeatByDriver(workload, instance, { connections: 32 })
  }

  const measureOne = async (
    workload: Workload,
    instance: Instance,
    { connections }: { connections: number },
  ): Promise<Row> => {
    const { service, fixture } = instance
    const limits = workload.limits.filter(limit => limit !== 'pgbench' || (pgbench && connections > 1))
    const barePort = limits.includes('bare') ? await startBare(bare, workload, instance) : 0
    const own: Measured[] = []
    const others: Record<string, number[]> = {}
    let recording: Recording | undefined
    let memory = 0
    const watch = setInterval(() => {
      memory = Math.max(memory, service.memory())
    }, 50)
    // Once more, with this number of connections.
    for (const port of [service.port, service.port, ...(barePort ? [barePort] : [])])
      await applyLoad(workload, instance, { port, connections })
    for (let round = 0; round < rounds; round++) {
      const measured = await applyLoad(workload, instance, { port: service.port, connections })
      const failed = Object.keys(measured.failures)
      if (failed.length > 0) throw new Error(`${workload.name}: responses of ${failed.join(', ')}`)
      own.push(measured)
      const addRate = (limit: string, rate: number) => {
        others[limit] = [...(others[limit] ?? []), rate]
      }
      if (limits.includes('bare'))
        addRate('bare', (await applyLoad(workload, instance, { port: barePort, connections })).rate)
      if (limits.includes('driver')) {
        const repeated = await repeatByDriver(workload, instance, { connections })
        recording = repeated.recording
        addRate('driver', repeated.rate)
      }
      if (limits.includes('pgbench') && recording)
        addRate(
          'pgbench',
          await runPgbench({ workload, recording, fixture, dataDir: service.dataDir, connections, seconds }),
        )
    }
    clearInterval(watch)
    const rate = median(own.map(one => one.rate))
    const rates = Object.fromEntries(Object.entries(others).map(([limit, all]) => [limit, median(all)]))
    const first = rates[workload.limits[0] ?? '']
    return {
      name: workload.name,
      applicants: fixture.dataset.applicants,
      connections,
      rate,
      p50: median(own.map(one => one.p50)),
      p99: median(own.map(one => one.p99)),
      memory,
      limits: rates,
      ratio: first === undefined ? undefined : rate / first,
      minRatio: fixture.dataset.applicants < LARGE ? workload.minRatio : workload.minRatioLarge,
    }
  }

  return {
    async measure(instance: Instance, { only }: { only: string }): Promise<Row[]> {
      const rows: Row[] = []
      const chosen = workloads.filter(one => one.name.includes(only))
      for (const workload of chosen) {
        await warmUp(workload, instance)
        for (const connections of CONNECTIONS) {
          const row = await measureOne(workload, instance, { connections })
          rows.push(row)
          print(format(row))
        }
      }
      return rows
    },
    async stop() {
      for (const child of [load, driver, bare]) await child.stop()
    },
  }
}

export async function startBare(
  bare: Child,
  workload: Workload,
  { service, fixture }: Instance,
): Promise<number> {
  const { path } = workload.request(fixture)
  const response = await fetch(`http://127.0.0.1:${service.port}${path}`, {
    headers: { authorization: `Bearer ${service.token}` },
  })
  const { port } = await bare.ask<{ port: number }>({
    status: response.status,
    headers: Object.fromEntries([...response.headers].filter(([name]) => !SET_BY_NODE.has(name))),
    body: await response.text(),
  })
  return port
}

export const connectionOf = ({ dataDir }: Service) => connectionsOf(dataDir).owner

function format({ name, applicants, connections, rate, p50, p99, memory, limits, ratio }: Row): string {
  const limitRates = Object.entries(limits).map(([limit, other]) => `${limit} ${other.toFixed(0)}/s`)
  return [
    `${name.padEnd(28)} ${String(applicants).padStart(8)} applicants ${String(connections).padStart(4)} connections`,
    `${rate.toFixed(0).padStart(6)}/s  p50 ${p50.toFixed(2)} ms  p99 ${p99.toFixed(2)} ms  ${memory.toFixed(0)} MiB`,
    ratio === undefined ? '' : `ratio ${ratio.toFixed(2)}`,
    limitRates.join(', '),
  ].join('  ')
}
