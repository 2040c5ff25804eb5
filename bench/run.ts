// `npm run bench`: loads datasets, measures the service beside its limits, and writes bench/RESULTS.md.
//   --applicants N --steps N   the large dataset (default 1,000,000 and 10 steps each); with `--only feed` the number of
//                              families (2,000)
//   --seconds S --rounds R     of each measurement (1 and 3): medians of the rounds count
//   --datasets DIR             keeps loaded datasets there, and reuses those that it finds
//   --only TEXT                workloads whose name contains this text; only `growth` and `feed` write their file then
//   --quick                    for CI: compares CPU time of requests on a small dataset with bench/results.json
//   --quick --keep             writes bench/results.json
//   --compare DIR              this checkout beside the one in DIR, on one dataset (default 1,000 applicants)
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compareCheckouts } from './compare.ts'
import { fillBuffers, loadDataset, warmUp } from './datasets.ts'
import { brokenClaims, FEED_LIMIT, measureFeed } from './feed.ts'
import { measureFiles } from './file-workloads.ts'
import { measureGrowth } from './growth.ts'
import { connectionOf, createMeter, median, openScene, type Side } from './meter.ts'
import { profileWorkloads } from './profiles.ts'
import { checkRatios } from './quick.ts'
import { type Results, writeFeed, writeGrowth, writeResults } from './results.ts'
import { type Dataset, datasetOf } from './seed.ts'
import { settled, startService } from './service.ts'

const { values } = parseArgs({
  options: {
    applicants: { type: 'string' },
    steps: { type: 'string' },
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    compare: { type: 'string' },
    keep: { type: 'boolean', default: false },
    only: { type: 'string' },
    datasets: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
})
const print = (text: string) => process.stdout.write(`${text}\n`)
const folder = mkdtempSync(join(tmpdir(), 'caseport-bench-'))
const small = values.quick || values.compare !== undefined
const applicants = Number(values.applicants ?? (small ? 1_000 : 1_000_000))
const large = datasetOf(applicants, values.steps ? Number(values.steps) : undefined)
const rounds = Number(values.rounds ?? (values.compare ? 15 : 3))
const FAMILIES = { full: 2_000, quick: 200 }
const sizes = [1_000, 10_000, 100_000].filter(size => size < large.applicants)
const datasets = small ? [large] : [...sizes.map(size => datasetOf(size)), large]
/** Cleanups, run in any case, last first. */
const undo: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 })]

/** The files of a run are large, and a full disk would only show as slowness. */
function requireRoom(): void {
  const { bavail, bsize } = statfsSync(folder)
  const need = large.applicants > 100_000 ? 40 : 4
  if ((bavail * bsize) / 1024 ** 3 < need)
    throw new Error(`The bench needs ${need} GiB of room in ${tmpdir()}.`)
}

async function main(): Promise<void> {
  requireRoom()
  if (values.compare) return compare(values.compare)
  const fed = !values.only || values.only === 'feed' ? await feed() : true
  if (values.only === 'feed') {
    process.exitCode = fed ? 0 : 1
    return
  }
  if (values.quick) return quick(fed)
  const results: Results = {
    rows: [],
    files: [],
    growth: [],
    profiles: [],
    starts: await measureStarts(),
    memory: { atRest: 0, most: 0 },
  }
  const sides = []
  for (const dataset of datasets) sides.push(await openSide(dataset))
  results.memory.atRest = sides[0]?.service.memory() ?? 0
  if (!values.only || values.only === 'growth') results.growth = await measureGrowth(sides, print)
  if (values.only === 'growth') {
    process.exitCode = writeGrowth(results.growth, print) ? 0 : 1
    return
  }
  const only = values.only ?? ''
  const withFiles = 'files'.includes(only)
  const meter = createMeter({ seconds: Number(values.seconds ?? 1), rounds, print })
  const both = [...new Set([sides[0], sides.at(-1)])].filter(side => side !== undefined)
  for (const side of both) results.rows.push(...(await meter.measure(side, { only })))
  if (sides[0] && withFiles) results.files = await measureFiles(sides[0], { folder, rounds, print })
  results.memory.most = Math.max(...[...results.rows, ...results.files].map(row => row.memory))
  await meter.stop()
  for (const { service } of sides) await service.stop()
  for (const side of both) {
    const files = side === sides[0] && withFiles
    results.profiles.push(...(await profileWorkloads(side, { only, files, print })))
  }
  if (!values.only) process.exitCode = writeResults(results, print) && fed ? 0 : 1
}

async function openSide(dataset: Dataset): Promise<Side> {
  const dataDir = await loaded(dataset)
  warmUp(dataDir)
  const service = await startService(dataDir)
  undo.push(service.stop)
  await fillBuffers(connectionOf(service))
  await settled()
  return { service, scene: await openScene(service, dataset) }
}

async function loaded(dataset: Dataset): Promise<string> {
  const dataDir = join(values.datasets ?? folder, `${dataset.applicants}-${dataset.steps}`)
  const seconds = await loadDataset(dataDir, dataset)
  const how = seconds ? `loaded in ${seconds.toFixed(0)} s` : 'found'
  print(`${dataset.applicants.toLocaleString('en')} applicants ${how}`)
  return dataDir
}

async function quick(fed: boolean): Promise<void> {
  const side = await openSide(large)
  const options = { folder, only: values.only ?? '', keep: values.keep, print }
  process.exitCode = (await checkRatios(side, options)) && fed ? 0 : 1
}

async function compare(checkout: string): Promise<void> {
  await compareCheckouts({
    checkout,
    dataset: large,
    dataDir: await loaded(large),
    folder,
    only: values.only ?? '',
    seconds: Number(values.seconds ?? 0.5),
    rounds,
    print,
    after: cleanup => undo.push(cleanup),
  })
}

/** The nightly feed. A quick run checks that it leaves no trace, but no times. */
async function feed(): Promise<boolean> {
  const given = values.only === 'feed' ? values.applicants : undefined
  const families = Number(given ?? (values.quick ? FAMILIES.quick : FAMILIES.full))
  const measured = await measureFeed({ folder, families, print })
  const broken = brokenClaims(measured, { limit: values.quick ? undefined : FEED_LIMIT })
  for (const claim of broken) print(`Does not hold: ${claim}.`)
  if (!values.quick) writeFeed(measured)
  return broken.length === 0
}

/** Medians of three starts on an empty DATA_DIR, and of three on the same one again. */
async function measureStarts(): Promise<{ fresh: number; later: number }> {
  const fresh: number[] = []
  const later: number[] = []
  for (let time = 0; time < 3; time++) {
    const dataDir = join(folder, `start-${time}`)
    for (const kept of [fresh, later]) {
      const service = await startService(dataDir)
      kept.push(service.startedIn)
      await service.stop()
    }
    rmSync(dataDir, { recursive: true, force: true })
  }
  print(`start: ${(median(fresh) / 1000).toFixed(2)} s fresh, ${(median(later) / 1000).toFixed(2)} s later`)
  return { fresh: median(fresh), later: median(later) }
}

try {
  await main()
} finally {
  for (const cleanup of undo.reverse()) await cleanup()
}
process.exit()
