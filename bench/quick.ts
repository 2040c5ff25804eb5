// `npm run bench -- --quick`, the check of CI: each workload alternates with its limit, the baseline, on a small dataset,
// and the ratios are compared with those of bench/results.json. CPU time per request decides, because throughput is
// unreliable on a busy machine. Throughput is only checked for a collapse, which CPU time does not show: waiting costs
// none.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  driverBenchmark,
  filesBenchmark,
  httpBenchmark,
  pipeBenchmark,
  serviceAlone,
  serviceWithPostgres,
} from './benchmarks.ts'
import { startChild } from './children.ts'
import { cpuTimeOf } from './cpu.ts'
import { type Instance, startBare } from './meter.ts'
import { alternate, type Benchmark, type Comparison } from './rounds.ts'
import { type Workload, workloads } from './workloads.ts'

const RESULTS_FILE = join(import.meta.dirname, 'results.json')
/** A request may cost this much more CPU time than the stored ratio: two quiet runs differ by up to 25 %. */
const MAX_CPU = 1.4
/** A workload that is too slow is measured again before it fails, because the machine may have been busy. */
const REPEATS = 2
/** The best round must reach this share of the stored throughput ratio. */
const MIN_RATE = 0.4
const ROUNDS = 9
const WARM_UPS = 2
const CONNECTIONS = 32
/** Requests of a round: about 0.3 s of CPU time each, because CPU time is counted in ticks of 10 ms. */
const BATCH = { read: 2_000, bare: 6_000, write: 150, page: 250 }
const MAX_SECONDS = 120
const FILE = { bytes: 16 * 1024 ** 2, times: 2 }

interface StoredRatios {
  /** CPU time per request over that of the limit. */
  cpu: number
  /** Throughput over that of the limit. */
  rate: number
}

interface Pair {
  name: string
  own: Benchmark
  limit: Benchmark
}

interface Options {
  folder: string
  only: string
  /** Writes the ratios to bench/results.json instead of comparing with it. */
  keep: boolean
  print: (line: string) => void
}

/** Returns whether no workload has become slower. */
export async function checkRatios(
  instance: Instance,
  { folder, only, keep, print }: Options,
): Promise<boolean> {
  const stored = JSON.parse(readFileSync(RESULTS_FILE, 'utf8')) as Record<string, StoredRatios>
  const slower: string[] = []
  for (const factory of [
    ...workloads.filter(({ minRatio }) => minRatio).map(httpPair(instance)),
    ...filePairs(instance, folder),
  ]) {
    if (!factory.name.includes(only)) continue
    const { pair, stop } = await factory.open()
    const before = stored[pair.name]
    let comparison = await alternate(pair.own, pair.limit, { rounds: ROUNDS, warmUps: WARM_UPS })
    print(format(pair.name, comparison, before))
    if (keep) {
      stored[pair.name] = { cpu: rounded(comparison.cpuUndisturbed), rate: rounded(comparison.rate.median) }
      writeFileSync(RESULTS_FILE, `${JSON.stringify(stored, null, 2)}\n`)
    } else {
      for (let repeat = 0; repeat < REPEATS && regressionsOf(comparison, before).length > 0; repeat++) {
        comparison = await alternate(pair.own, pair.limit, { rounds: ROUNDS, warmUps: 0 })
        print(format(`${pair.name}, repeated`, comparison, before))
      }
      slower.push(...regressionsOf(comparison, before).map(error => `${pair.name}: ${error}`))
    }
    await stop()
  }
  for (const line of slower) print(`SLOWER ${line}`)
  if (slower.length === 0) print(keep ? 'Stored in bench/results.json.' : 'No workload has become slower.')
  return slower.length === 0
}

interface PairFactory {
  name: string
  open(): Promise<{ pair: Pair; stop(): Promise<void> }>
}

const httpPair =
  (instance: Instance) =>
  (workload: Workload): PairFactory => ({
    name: workload.name,
    async open() {
      const load = startChild('load.ts')
      const isRead = workload.limits[0] === 'bare'
      const other = startChild(isRead ? 'bare.ts' : 'driver.ts')
      const requests = (count: number) => ({
        instance,
        workload,
        batch: { connections: CONNECTIONS, seconds: MAX_SECONDS, requests: count },
      })
      const stop = async () => {
        for (const child of [load, other]) await child.stop()
      }
      if (!isRead) {
        const batch = requests(workload.name.startsWith('page') ? BATCH.page : BATCH.write)
        const own = httpBenchmark(load, serviceAlone(instance), batch)
        const limit = driverBenchmark(other, batch)
        return { pair: { name: workload.name, own, limit }, stop }
      }
      const bare = { port: await startBare(other, workload, instance), cpuTime: () => cpuTimeOf([other.pid]) }
      const own = httpBenchmark(load, serviceWithPostgres(instance), requests(BATCH.read))
      const limit = httpBenchmark(load, bare, requests(BATCH.bare))
      return { pair: { name: workload.name, own, limit }, stop }
    },
  })

const filePairs = (instance: Instance, folder: string): PairFactory[] =>
  (['up', 'down'] as const).map(direction => ({
    name: `${direction}load of 16 MiB`,
    async open() {
      const client = startChild('files.ts')
      const pipe = startChild('pipe.ts')
      const pipeFolder = join(folder, `pipe-${direction}`)
      mkdirSync(pipeFolder, { recursive: true })
      const { port } = await pipe.ask<{ port: number }>({ folder: pipeFolder })
      const files = { client, direction, ...FILE }
      return {
        pair: {
          name: `${direction}load of 16 MiB`,
          own: filesBenchmark(instance, files),
          limit: pipeBenchmark({ pid: pipe.pid, port }, files),
        },
        async stop() {
          for (const child of [client, pipe]) await child.stop()
        },
      }
    },
  }))

function regressionsOf({ cpuUndisturbed, rate }: Comparison, stored: StoredRatios | undefined): string[] {
  if (!stored) return ['bench/results.json has no ratio for it: run with --quick --keep']
  const errors: string[] = []
  if (cpuUndisturbed > stored.cpu * MAX_CPU)
    errors.push(`a request costs ${percent(cpuUndisturbed / stored.cpu)} more CPU time than stored`)
  if (rate.best < stored.rate * MIN_RATE)
    errors.push(`throughput reaches at best ${rate.best.toFixed(2)} of its limit, stored ${stored.rate}`)
  return errors
}

const percent = (ratio: number) => `${((ratio - 1) * 100).toFixed(0)} %`
const rounded = (ratio: number) => Number(ratio.toFixed(3))

function format(
  name: string,
  { cpu, cpuUndisturbed, rate }: Comparison,
  stored: StoredRatios | undefined,
): string {
  const spread = `${cpu.low.toFixed(2)}–${cpu.high.toFixed(2)}`
  const before = stored
    ? `, stored ${stored.cpu.toFixed(2)} (at most ${(stored.cpu * MAX_CPU).toFixed(2)})`
    : ''
  return `${name.padEnd(32)} CPU ${cpuUndisturbed.toFixed(2)} of its limit (rounds ${spread})${before}; throughput ${rate.median.toFixed(2)}, best ${rate.best.toFixed(2)}`
}
