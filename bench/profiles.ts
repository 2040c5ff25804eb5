// A profile of every workload at 32 connections, on a service started for it: profiling slows it down, so that this is
// apart from what is measured.
import { startChild } from './children.ts'
import type { Measured } from './http-load.ts'
import type { LoadMessage } from './load.ts'
import { openScene, type Side } from './meter.ts'
import { profiled, type Shares } from './profile.ts'
import { settled, startService } from './service.ts'
import { workloads } from './workloads.ts'

const SECONDS = 2
const CONNECTIONS = 32

export async function profileWorkloads(
  { service: { dataDir }, scene: { world } }: Side,
  { only, say }: { only: string; say: (line: string) => void },
): Promise<(Shares & { name: string })[]> {
  const service = await startService(dataDir, { inspected: true })
  await settled()
  const scene = await openScene(service, world)
  const load = startChild('load.ts')
  const profiles: (Shares & { name: string })[] = []
  for (const { name } of workloads.filter(one => one.name.includes(only))) {
    const message: LoadMessage = {
      workload: name,
      scene,
      port: service.port,
      token: service.token,
      connections: CONNECTIONS,
      seconds: SECONDS,
    }
    await load.ask<Measured>({ ...message, seconds: 1 })
    const { result: _, ...shares } = await profiled(service, async () => {
      const { rate } = await load.ask<Measured>(message)
      return { requests: rate * SECONDS, result: undefined }
    })
    profiles.push({ name, ...shares })
    say(
      `profile ${name.padEnd(28)} service ${shares.service.toFixed(0)} µs, PostgreSQL ${shares.postgres.toFixed(0)} µs: ${Object.entries(
        shares.parts,
      )
        .sort(([, a], [, b]) => b - a)
        .map(([owner, share]) => `${owner} ${share.toFixed(0)} %`)
        .join(', ')}`,
    )
  }
  await load.stop()
  await service.stop()
  return profiles
}
