// What can be measured alternately: the service, a bare Fastify route, the driver alone and a plain pipe of files.
import type { Child } from './children.ts'
import { cpuTimeOf, postgresTimeOf } from './cpu.ts'
import type { DriverMessage } from './driver.ts'
import type { FilesMeasured, FilesMessage } from './files.ts'
import type { Measured } from './http-load.ts'
import type { LoadMessage } from './load.ts'
import { connectionOf, type Side } from './meter.ts'
import type { Contender } from './rounds.ts'
import { caseId } from './seed.ts'
import type { Workload } from './workloads.ts'

export interface Batch {
  connections: number
  seconds: number
  /** Ends a round after so many requests, where given. */
  requests?: number
}

export interface Target {
  port: number
  cpuTime(): number
}

export const serviceAlone = ({ service: { port, pid } }: Side): Target => ({
  port,
  cpuTime: () => cpuTimeOf([pid]),
})

export const serviceWithPostgres = ({ service: { port, pid, dataDir } }: Side): Target => ({
  port,
  cpuTime: () => cpuTimeOf([pid]) + postgresTimeOf(dataDir),
})

interface Requests {
  side: Side
  workload: Workload
  batch: Batch
}

/** Sends requests that fit the dataset of `side` to the target. */
export function httpContender(load: Child, target: Target, { side, workload, batch }: Requests): Contender {
  return {
    async run() {
      const measured = await load.ask<Measured>({
        workload: workload.name,
        scene: side.scene,
        port: target.port,
        token: side.service.token,
        ...batch,
      } satisfies LoadMessage)
      const failed = Object.keys(measured.failures)
      if (failed.length > 0) throw new Error(`${workload.name}: responses of ${failed.join(', ')}`)
      return measured
    },
    cpuTime: target.cpuTime,
  }
}

/** Its CPU time is without PostgreSQL, which does the same for the driver as for the service. */
export function driverContender(
  driver: Child,
  { side: { service, scene }, workload, batch }: Requests,
): Contender {
  return {
    run: () =>
      driver.ask<Measured>({
        connection: connectionOf(service),
        dataDir: service.dataDir,
        scene,
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

/** Uploads, or downloads of one file, over one connection. */
export function filesContender(side: Side, { client, direction, bytes, times }: Files): Contender {
  const { port, token } = side.service
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
    cpuTime: serviceWithPostgres(side).cpuTime,
  }
}

export function pipeContender(
  pipe: { pid: number; port: number },
  { client, direction, bytes, times }: Files,
): Contender {
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
