// Profiles every workload on a service of its own, because profiling slows a service down.
import { type Child, startChild } from './children.ts'
import { profileDuring, type Shares } from './cpu-profiler.ts'
import { fillBuffers } from './datasets.ts'
import { SIZES } from './file-workloads.ts'
import type { FilesMeasured, FilesMessage } from './files.ts'
import type { Measured } from './http-load.ts'
import type { LoadMessage } from './load.ts'
import { connectionOf, type Instance, openFixture } from './meter.ts'
import { caseId } from './records.ts'
import { type Service, settled, startService } from './service.ts'
import { workloads } from './workloads.ts'

const SECONDS = 2
const CONNECTIONS = 32

export interface ProfileRow extends Shares {
  name: string
  applicants: number
}

interface Options {
  only: string
  files: boolean
  print: (line: string) => void
}

export async function profileWorkloads(
  { service: { dataDir }, fixture: { dataset } }: Instance,
  { only, files, print }: Options,
): Promise<ProfileRow[]> {
  const service = await startService(dataDir, { inspected: true })
  await fillBuffers(connectionOf(service))
  await settled()
  const fixture = await openFixture(service, dataset)
  const load = startChild('load.ts')
  const rows: ProfileRow[] = []
  const addRow = (name: string, shares: Shares) => {
    rows.push({ name, applicants: dataset.applicants, ...shares })
    print(
      `profile ${name.padEnd(28)} service ${shares.service.toFixed(0)} µs, PostgreSQL ${shares.postgres.toFixed(0)} µs: ${formatShares(shares)}`,
    )
  }
  for (const { name } of workloads.filter(one => one.name.includes(only))) {
    const message: LoadMessage = {
      workload: name,
      fixture,
      port: service.port,
      token: service.token,
      connections: CONNECTIONS,
      seconds: SECONDS,
    }
    await load.ask<Measured>({ ...message, seconds: 1 })
    const shares = await profileDuring(service, async () => {
      const { rate } = await load.ask<Measured>(message)
      return rate * SECONDS
    })
    addRow(name, shares)
  }
  await load.stop()
  if (files) await profileFiles(service, addRow)
  await service.stop()
  return rows
}

async function profileFiles(service: Service, addRow: (name: string, shares: Shares) => void): Promise<void> {
  const client: Child = startChild('files.ts')
  for (const { label, bytes, loads } of SIZES) {
    const [connections, times] = loads.find(([many]) => many === CONNECTIONS) ?? [1, 1]
    const message = {
      target: 'service',
      port: service.port,
      token: service.token,
      caseId: caseId(0),
    } as const
    let documentId: string | undefined
    for (const direction of ['up', 'down'] as const) {
      const shares = await profileDuring(service, async () => {
        const measured = await client.ask<FilesMeasured>({
          ...message,
          direction,
          bytes,
          connections,
          times,
          ...(documentId && { documentId }),
        } satisfies FilesMessage)
        documentId = measured.documentId
        return connections * times
      })
      addRow(`${direction === 'up' ? 'upload' : 'download'} of ${label}`, shares)
    }
  }
  await client.stop()
}

/** Sorted by size; shares below 1 % are left out. */
export function formatShares({ parts }: Shares): string {
  return Object.entries(parts)
    .sort(([, a], [, b]) => b - a)
    .filter(([, share]) => share >= 1)
    .map(([library, share]) => `${library} ${share.toFixed(0)} %`)
    .join(', ')
}
