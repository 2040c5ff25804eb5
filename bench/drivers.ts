// `npm run bench -- --drivers`: compares `pg` with pipelining and postgres.js, on the statements of the service.
import { driverBenchmark } from './benchmarks.ts'
import { startChild } from './children.ts'
import { formatComparison } from './compare.ts'
import type { Instance } from './meter.ts'
import { alternate } from './rounds.ts'
import { workloads } from './workloads.ts'

interface Options {
  only: string
  seconds: number
  rounds: number
  print: (line: string) => void
}

export async function compareDrivers(
  instance: Instance,
  { only, seconds, rounds, print }: Options,
): Promise<void> {
  print(`pg/postgres.js as median (quartiles) of ${rounds} rounds`)
  const [pg, postgres] = [startChild('driver.ts'), startChild('driver.ts')]
  const measured = workloads.filter(({ name, limits }) => name.includes(only) && limits.length > 0)
  for (const workload of measured)
    for (const connections of [1, 32]) {
      const requests = { instance, workload, batch: { connections, seconds } }
      const comparison = await alternate(
        driverBenchmark(pg, requests, 'pg'),
        driverBenchmark(postgres, requests, 'postgres'),
        { rounds, warmUps: 3 },
      )
      print(formatComparison(`${workload.name}, ${connections}`, comparison))
    }
  for (const child of [pg, postgres]) await child.stop()
}
