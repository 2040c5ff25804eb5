// `npm run bench -- --quick`, the check of CI: each workload alternates with its limit on a small dataset, and the ratios
// are compared with those of bench/results.json. CPU time of a request counts, because throughput says little on a machine
// that does other things too. Throughput is only checked for a collapse, which CPU time does not show: waiting costs none.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startChild } from './children.ts'
import {
  driverContender,
  filesContender,
  httpContender,
  pipeContender,
  serviceAlone,
  serviceWithPostgres,
} from './contenders.ts'
import { cpuTimeOf } from './cpu.ts'
import { type Side, startBare } from './meter.ts'
import { alternate, type Comparison, type Contender } from './rounds.ts'
import { type Workload, workloads } from './workloads.ts'

const KEPT = join(import.meta.dirname, 'results.json')
/** A request may cost this much more CPU time than the kept ratio says: two quiet runs differ by up to 25 %. */
const MOST_CPU = 1.4
/** A workload that is too slow is measured again before it fails, because the machine may do other things too. */
const REPEATS = 2
/** The best round may reach this share of the kept throughput ratio. */
const LEAST_RATE = 0.4
const ROUNDS = 9
const WARM_UPS = 2
const CONNECTIONS = 32
/** Requests of a round: about 0.3 s of CPU time each, because CPU time is counted in ticks of 10 ms. */
const BATCH = { read: 2_000, bare: 6_000, write: 150, page: 250 }
const LONGEST = 120
const FILE = { bytes: 16 * 1024 ** 2, times: 2 }

interface Kept {
  /** CPU time of a request over that of the limit. */
  cpu: number
  /** Throughput over that of the limit. */
  rate: number
}

interface Pair {
  name: string
  own: Contender
  limit: Contender
}

interface Options {
  folder: string
  only: string
  /** Writes the ratios to bench/results.json instead of comparing with it. */
  keep: boolean
  print: (line: string) => void
}

/** Whether no workload has become slower. */
export async function checkRatios(side: Side, { folder, only, keep, print }: Options): Promise<boolean> {
  const kept = JSON.parse(readFileSync(KEPT, 'utf8')) as Record<string, Kept>
  const slower: string[] = []
  for (const start of [
    ...workloads.filter(({ least }) => least).map(httpPair(side)),
    ...filePairs(side, folder),
  ]) {
    if (!start.name.includes(only)) continue
    const { pair, stop } = await start.open()
    const before = kept[pair.name]
    let seen = await alternate(pair.own, pair.limit, { rounds: ROUNDS, warmUps: WARM_UPS })
    print(inWords(pair.name, seen, before))
    if (keep) {
      kept[pair.name] = { cpu: rounded(seen.cpuUndisturbed), rate: rounded(seen.rate.median) }
      writeFileSync(KEPT, `${JSON.stringify(kept, null, 2)}\n`)
    } else {
      for (let repeat = 0; repeat < REPEATS && errorsOf(seen, before).length > 0; repeat++) {
        seen = await alternate(pair.own, pair.limit, { rounds: ROUNDS, warmUps: 0 })
        print(inWords(`${pair.name}, again`, seen, before))
      }
      slower.push(...errorsOf(seen, before).map(error => `${pair.name}: ${error}`))
    }
    await stop()
  }
  for (const line of slower) print(`SLOWER ${line}`)
  if (slower.length === 0) print(keep ? 'Kept in bench/results.json.' : 'No workload has become slower.')
  return slower.length === 0
}

interface Start {
  name: string
  open(): Promise<{ pair: Pair; stop(): Promise<void> }>
}

const httpPair =
  (side: Side) =>
  (workload: Workload): Start => ({
    name: workload.name,
    async open() {
      const load = startChild('load.ts')
      const isRead = workload.limits[0] === 'bare'
      const other = startChild(isRead ? 'bare.ts' : 'driver.ts')
      const requests = (count: number) => ({
        side,
        workload,
        batch: { connections: CONNECTIONS, seconds: LONGEST, requests: count },
      })
      const stop = async () => {
        for (const child of [load, other]) await child.stop()
      }
      if (!isRead) {
        const batch = requests(workload.name.startsWith('page') ? BATCH.page : BATCH.write)
        const own = httpContender(load, serviceAlone(side), batch)
        const limit = driverContender(other, batch)
        return { pair: { name: workload.name, own, limit }, stop }
      }
      const bare = { port: await startBare(other, workload, side), cpuTime: () => cpuTimeOf([other.pid]) }
      const own = httpContender(load, serviceWithPostgres(side), requests(BATCH.read))
      const limit = httpContender(load, bare, requests(BATCH.bare))
      return { pair: { name: workload.name, own, limit }, stop }
    },
  })

const filePairs = (side: Side, folder: string): Start[] =>
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
          own: filesContender(side, files),
          limit: pipeContender({ pid: pipe.pid, port }, files),
        },
        async stop() {
          for (const child of [client, pipe]) await child.stop()
        },
      }
    },
  }))

function errorsOf({ cpuUndisturbed, rate }: Comparison, kept: Kept | undefined): string[] {
  if (!kept) return ['bench/results.json has no ratio for it: run with --quick --keep']
  const errors: string[] = []
  if (cpuUndisturbed > kept.cpu * MOST_CPU)
    errors.push(`a request costs ${percent(cpuUndisturbed / kept.cpu)} more CPU time than kept`)
  if (rate.best < kept.rate * LEAST_RATE)
    errors.push(`throughput reaches at best ${rate.best.toFixed(2)} of its limit, kept ${kept.rate}`)
  return errors
}

const percent = (ratio: number) => `${((ratio - 1) * 100).toFixed(0)} %`
const rounded = (ratio: number) => Number(ratio.toFixed(3))

function inWords(name: string, { cpu, cpuUndisturbed, rate }: Comparison, kept: Kept | undefined): string {
  const spread = `${cpu.low.toFixed(2)}–${cpu.high.toFixed(2)}`
  const before = kept ? `, kept ${kept.cpu.toFixed(2)} (at most ${(kept.cpu * MOST_CPU).toFixed(2)})` : ''
  return `${name.padEnd(32)} CPU ${cpuUndisturbed.toFixed(2)} of its limit (rounds ${spread})${before}; throughput ${rate.median.toFixed(2)}, best ${rate.best.toFixed(2)}`
}
