// Benchmarks that can be run alternately: the service, a bare Fastify route, the driver alone and a plain pipe of files.
import type { Child } from './children.ts'
import { cpuTimeOf, postgresTimeOf } from './cpu.ts'
import type { DriverMessage } from './driver.ts'
import type { FilesMeasured, FilesMessage } from './files.ts'
import type { Measured } from './http-load.ts'
import type { LoadMessage } from './load.ts'
import { connectionOf, type Instance } from './meter.ts'
import { caseId } from './records.ts'
import type { Benchmark } from './rounds.ts'
import type { Workload } from './workloads.ts'

export interface Batch {
  connections: number
  seconds: number
  /** Ends a round after this many requests, if given. */
  requests?: number
}

export interface Target {
  port: number
  cpuTime(): number
}

export const serviceAlone = ({ service: { port, pid } }: Instance): Target => ({
  port,
  cpuTime: () => cpuTimeOf([pid]),
})

export const serviceWithPostgres = ({ service: { port, pid, dataDir } }: Instance): Target => ({
  port,
  cpuTime: () => cpuTimeOf([pid]) + postgresTimeOf(dataDir),
})

interface Requests {
  instance: Instance
  workload: Workload
  batch: Batch
}

/** Sends requests for the dataset of `instance` to the target. */
export function httpBenchmark(
  load: Child,
  target: Target,
  { instance, workload, batch }: Requests,
): Benchmark {
  return {
    async run() {
      const measured = await load.ask<Measured>({
        workload: workload.name,
        fixture: instance.fixture,
        port: target.port,
        token: instance.service.token,
        ...batch,
      } satisfies LoadMessage)
      const failed = Object.keys(measured.failures)
      if (failed.length > 0) throw new Error(`${workload.name}: responses of ${failed.join(', ')}`)
      return measured
    },
    cpuTime: target.cpuTime,
  }
}

/** CPU time excludes PostgreSQL, which does the same work for the driver as for the service. */
export function driverBenchmark(
  driver: Child,
  { instance: { service, fixture }, workload, batch }: Requests,
  library: 'postgres' | 'pg' = 'postgres',
): Benchmark {
  return {
    run: () =>
      driver.ask<Measured>({
        library,
        connection: connectionOf(service),
        dataDir: service.dataDir,
        fixture,
        workload: workload.name,
        ...batch,
      } satisfies DriverMessage),
    cpuTime: () => cpuTimeOf([driver.pid]),
  }
}

interface Files {
  client: Child
  direction: 'up' | 'down'
  bytes: number
  times: number
}

/** Uploads or downloads files over one connection. */
export function filesBenchmark(instance: Instance, { client, direction, bytes, times }: Files): Benchmark {
  const { port, token } = instance.service
  const message = { target: 'service', port, token, caseId: caseId(0), bytes, connections: 1 } as const
  let documentId: string | undefined
  return {
    async run() {
      if (direction === 'down' && !documentId)
        documentId = (await client.ask<FilesMeasured>({ ...message, direction: 'up', times: 1 })).documentId
      const { rate } = await client.ask<FilesMeasured>({
        ...message,
        direction,
        times,
        ...(documentId && { documentId }),
      } satisfies FilesMessage)
      return { requests: times, rate }
    },
    cpuTime: serviceWithPostgres(instance).cpuTime,
  }
}

export function pipeBenchmark(
  pipe: { pid: number; port: number },
  { client, direction, bytes, times }: Files,
): Benchmark {
  return {
    async run() {
      const { rate } = await client.ask<FilesMeasured>({
        target: 'pipe',
        port: pipe.port,
        direction,
        bytes,
        times,
        connections: 1,
        token: '',
        caseId: '',
      } satisfies FilesMessage)
      // Before its downloads the client uploads once, which the CPU time includes.
      return { requests: times, rate }
    },
    cpuTime: () => cpuTimeOf([pipe.pid]),
  }
}
