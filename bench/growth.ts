// Measures cost against dataset size: the same operations, one at a time, alternately on datasets of every size, so that
// other work on the machine affects all sizes alike.
import { startChild } from './children.ts'
import type { Measured } from './http-load.ts'
import type { LoadMessage } from './load.ts'
import { type Instance, median } from './meter.ts'
import { workloads } from './workloads.ts'

export interface GrowthRow {
  name: string
  /** Median milliseconds by number of applicants. */
  costs: { applicants: number; steps: number; p50: number }[]
  /** The largest dataset's over the smallest's. */
  ratio: number
}

const ROUNDS = 7
const SECONDS = 0.4

export async function measureGrowth(
  instances: Instance[],
  print: (line: string) => void,
): Promise<GrowthRow[]> {
  const load = startChild('load.ts')
  const rows: GrowthRow[] = []
  for (const { name } of workloads) {
    const times = instances.map((): number[] => [])
    for (let round = 0; round < ROUNDS; round++)
      for (const [at, { service, fixture }] of instances.entries()) {
        const { p50 } = await load.ask<Measured>({
          workload: name,
          fixture,
          port: service.port,
          token: service.token,
          connections: 1,
          seconds: SECONDS,
        } satisfies LoadMessage)
        if (round > 0) times[at]?.push(p50)
      }
    const costs = instances.map(({ fixture: { dataset } }, at) => ({
      applicants: dataset.applicants,
      steps: dataset.steps,
      p50: median(times[at] ?? []),
    }))
    const ratio = (costs.at(-1)?.p50 ?? 0) / (costs[0]?.p50 ?? 1)
    rows.push({ name, costs, ratio })
    print(
      `growth  ${name.padEnd(28)} ${costs.map(({ p50 }) => `${p50.toFixed(2)} ms`).join('  ')}  ratio ${ratio.toFixed(2)}`,
    )
  }
  await load.stop()
  return rows
}
