// `npm run bench -- --compare DIR`: compares this checkout with another one, on two copies of one dataset, in alternating
// rounds. `--compare OLD,NEW` compares two others. For before and after figures of a single commit:
// `git worktree add DIR COMMIT`, and `npm ci` there.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { filesBenchmark, httpBenchmark, serviceWithPostgres } from './benchmarks.ts'
import { startChild } from './children.ts'
import { fillBuffers, warmUp } from './datasets.ts'
import { connectionOf, type Instance, openFixture } from './meter.ts'
import type { Dataset } from './records.ts'
import { alternate, type Comparison } from './rounds.ts'
import { ROOT, settled, startService } from './service.ts'
import { type Workload, workloads } from './workloads.ts'

const CONNECTIONS = 32
/** Ten seconds: code is compiled while it runs, and the larger of two releases needs longer. */
const WARM_UPS = 20
const FILE = { bytes: 16 * 1024 ** 2, times: 2 }

interface Options {
  /** The folder of another checkout, or of two: the old one, a comma, and the new one. */
  checkouts: string
  dataset: Dataset
  /** The loaded dataset. It is copied for the other checkout, next to it. */
  dataDir: string
  only: string
  seconds: number
  rounds: number
  print: (line: string) => void
  after: (cleanup: () => unknown) => void
}

export async function compareCheckouts(options: Options): Promise<void> {
  const { checkouts, dataset, dataDir, only, seconds, rounds, print, after } = options
  const [oldRoot = '', newRoot = ROOT] = checkouts.split(',').map(folder => resolve(folder))
  for (const root of [oldRoot, newRoot])
    if (!existsSync(`${root}/node_modules`)) throw new Error(`${root} has no node_modules: run npm ci there.`)
  const copy = `${dataDir}-copy`
  if (!existsSync(copy)) execFileSync('cp', ['--archive', '--reflink=auto', dataDir, copy])
  const start = async (dir: string, root: string | undefined): Promise<Instance> => {
    warmUp(dir)
    const service = await startService(dir, { ...(root && { root }) })
    after(service.stop)
    await fillBuffers(connectionOf(service))
    return { service, fixture: await openFixture(service, dataset) }
  }
  const [current, previous] = [await start(dataDir, newRoot), await start(copy, oldRoot)]
  await settled()
  print(`new: ${newRoot}, old: ${oldRoot}; new/old as median (quartiles) of ${rounds} rounds`)

  const load = startChild('load.ts')
  const client = startChild('files.ts')
  const batch = { connections: CONNECTIONS, seconds }
  const isPossible = ({ name, isLimited }: Workload) =>
    name.includes(only) && (!isLimited || (current.fixture.limitedToken && previous.fixture.limitedToken))
  for (const workload of workloads.filter(isPossible)) {
    const [a, b] = [current, previous].map(instance =>
      httpBenchmark(load, serviceWithPostgres(instance), { instance, workload, batch }),
    )
    if (a && b) print(formatComparison(workload.name, await alternate(a, b, { rounds, warmUps: WARM_UPS })))
  }
  for (const direction of ['up', 'down'] as const) {
    const name = `${direction}load of 16 MiB`
    if (!name.includes(only)) continue
    const [a, b] = [current, previous].map(instance =>
      filesBenchmark(instance, { client, direction, ...FILE }),
    )
    if (a && b) print(formatComparison(name, await alternate(a, b, { rounds, warmUps: 1 })))
  }
  for (const child of [load, client]) await child.stop()
}

export function formatComparison(name: string, { rate, cpu }: Comparison): string {
  const ratio = ({ median, low, high }: Comparison['rate']) =>
    `${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`
  return `${name.padEnd(32)} requests/s ${ratio(rate)}  CPU time per request ${ratio(cpu)}`
}
