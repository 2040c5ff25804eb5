// `npm run bench`: loads datasets, measures the service and its limits (baselines), and writes bench/RESULTS.md.
//   --applicants N --steps N   the large dataset (default 1,000,000 and 10 steps each); with `--only feed` the number of
//                              families (2,000)
//   --seconds S --rounds R     of each measurement (1 and 3): medians of the rounds count
//   --datasets DIR             keeps loaded datasets there, and reuses those that it finds
//   --only imports             imports against single requests; `--applicants N` families of each round (1,500), `--memory N`
//                              rows of the largest file (200,000; 0 for none); `--keep` writes bench/IMPORTS.md
//   --only changes             the change feed, with `--applicants N` changes (100,000); `--keep` writes bench/CHANGES.md
//   --only TEXT                workloads whose name contains this text; only `growth`, `feed` and `desk` write their file
//                              then; `desk TEXT` measures the requests of the desk whose name contains the text
//   --quick                    for CI: compares CPU time of requests on a small dataset with bench/results.json
//   --quick --keep             writes bench/results.json
//   --compare DIR              compares this checkout with the one in DIR, on one dataset (default 1,000 applicants);
//                              `OLD,NEW` compares two others
//   --drivers                  compares the driver `pg` with postgres.js, on one dataset (default 1,000 applicants)
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { measureChanges } from './changes.ts'
import { compareCheckouts } from './compare.ts'
import { dataDirOf, fillBuffers, isLoaded, loadDataset, warmUp } from './datasets.ts'
import { measureDesk } from './desk.ts'
import { compareDrivers } from './drivers.ts'
import { brokenClaims, FEED_LIMIT, measureFeed } from './feed.ts'
import { measureFiles } from './file-workloads.ts'
import { measureGrowth } from './growth.ts'
import { checkChanges, checkImports } from './import-results.ts'
import { measureImports } from './imports.ts'
import { connectionOf, createMeter, type Instance, median, openFixture } from './meter.ts'
import { profileWorkloads } from './profile-workloads.ts'
import { checkRatios } from './quick.ts'
import { type Dataset, datasetOf } from './records.ts'
import { type Results, writeDesk, writeFeed, writeGrowth, writeResults } from './results.ts'
import { settled, startService } from './service.ts'

const { values } = parseArgs({
  options: {
    applicants: { type: 'string' },
    steps: { type: 'string' },
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    compare: { type: 'string' },
    keep: { type: 'boolean', default: false },
    memory: { type: 'string' },
    only: { type: 'string' },
    datasets: { type: 'string' },
    drivers: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
  },
})
const print = (text: string) => process.stdout.write(`${text}\n`)
const folder = mkdtempSync(join(tmpdir(), 'caseport-bench-'))
const small = values.quick || values.compare !== undefined || values.drivers
const applicants = Number(values.applicants ?? (small ? 1_000 : 1_000_000))
const large = datasetOf(applicants, values.steps ? Number(values.steps) : undefined)
const rounds = Number(values.rounds ?? (values.compare || values.drivers ? 15 : 3))
const FAMILIES = { full: 2_000, quick: 200 }
const sizes = [1_000, 10_000, 100_000].filter(size => size < large.applicants)
const datasets = small ? [large] : [...sizes.map(size => datasetOf(size)), large]
/** Cleanups, run in any case, last first. */
const cleanups: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 })]

/** The files of a run are large, and a full disk would only show as slow requests. */
function requireDiskSpace(): void {
  const { bavail, bsize } = statfsSync(folder)
  const need = large.applicants > 100_000 ? 40 : 4
  if ((bavail * bsize) / 1024 ** 3 < need)
    throw new Error(`The bench needs ${need} GiB of free space in ${tmpdir()}.`)
}

async function main(): Promise<void> {
  requireDiskSpace()
  if (values.compare) return compare(values.compare)
  if (values.drivers) {
    const seconds = Number(values.seconds ?? 0.5)
    return compareDrivers(await openInstance(large), { only: values.only ?? '', seconds, rounds, print })
  }
  if (values.only === 'imports') return imports()
  if (values.only === 'changes') return changes()
  const feedHolds = !values.only || values.only === 'feed' ? await feed() : true
  if (values.only === 'feed') {
    process.exitCode = feedHolds ? 0 : 1
    return
  }
  if (values.quick) return quick(feedHolds)
  if (values.only?.startsWith('desk')) return desk(values.only.slice('desk'.length).trim())
  const results: Results = {
    rows: [],
    files: [],
    growth: [],
    profiles: [],
    starts: await measureStarts(),
    memory: { idle: 0, peak: 0 },
  }
  const instances = []
  for (const dataset of datasets) instances.push(await openInstance(dataset))
  results.memory.idle = instances[0]?.service.memory() ?? 0
  if (!values.only || values.only === 'growth') results.growth = await measureGrowth(instances, print)
  if (values.only === 'growth') {
    process.exitCode = writeGrowth(results.growth, print) ? 0 : 1
    return
  }
  const only = values.only ?? ''
  const withFiles = 'files'.includes(only)
  const meter = createMeter({ seconds: Number(values.seconds ?? 1), rounds, print })
  const both = [...new Set([instances[0], instances.at(-1)])].filter(instance => instance !== undefined)
  for (const instance of both) results.rows.push(...(await meter.measure(instance, { only })))
  if (instances[0] && withFiles) results.files = await measureFiles(instances[0], { folder, rounds, print })
  results.memory.peak = Math.max(...[...results.rows, ...results.files].map(row => row.memory))
  await meter.stop()
  for (const { service } of instances) await service.stop()
  for (const instance of both) {
    const files = instance === instances[0] && withFiles
    results.profiles.push(...(await profileWorkloads(instance, { only, files, print })))
  }
  if (!values.only) process.exitCode = writeResults(results, print) && feedHolds ? 0 : 1
}

/** `only` chooses requests whose name contains this text; then nothing is written. */
async function desk(only: string): Promise<void> {
  const smallest = datasetOf(1_000)
  const instances: [Instance, Instance] = [await openInstance(smallest), await openInstance(large)]
  const rows = await measureDesk(instances, { only, print })
  const sizes: [number, number] = [smallest.applicants, large.applicants]
  if (!only) process.exitCode = writeDesk(rows, sizes, print) ? 0 : 1
}

async function openInstance(dataset: Dataset): Promise<Instance> {
  const dataDir = await ensureLoaded(dataset)
  warmUp(dataDir)
  const service = await startService(dataDir)
  cleanups.push(service.stop)
  await fillBuffers(connectionOf(service))
  await settled()
  return { service, fixture: await openFixture(service, dataset) }
}

/** `root` is the checkout that loads it: a newer one can migrate its data, an older one cannot use newer data. */
async function ensureLoaded(dataset: Dataset, root?: string): Promise<string> {
  const dataDir = dataDirOf(values.datasets ?? folder, dataset)
  const isOther = root && !isLoaded(dataDir)
  const load: typeof loadDataset = isOther
    ? (await import(join(root, 'bench', 'datasets.ts'))).loadDataset
    : loadDataset
  const seconds = await load(dataDir, dataset)
  const how = seconds ? `loaded in ${seconds.toFixed(0)} s` : 'found'
  print(`${dataset.applicants.toLocaleString('en')} applicants ${how}`)
  return dataDir
}

async function quick(feedHolds: boolean): Promise<void> {
  const instance = await openInstance(large)
  const options = { folder, only: values.only ?? '', keep: values.keep, print }
  process.exitCode = (await checkRatios(instance, options)) && feedHolds ? 0 : 1
}

async function compare(checkouts: string): Promise<void> {
  await compareCheckouts({
    checkouts,
    dataset: large,
    dataDir: await ensureLoaded(large, resolve(checkouts.split(',')[0] ?? '.')),
    only: values.only ?? '',
    seconds: Number(values.seconds ?? 0.5),
    rounds,
    print,
    after: cleanup => cleanups.push(cleanup),
  })
}

/** The nightly feed. A quick run checks that repeats change nothing, but no times. */
async function feed(): Promise<boolean> {
  const given = values.only === 'feed' ? values.applicants : undefined
  const families = Number(given ?? (values.quick ? FAMILIES.quick : FAMILIES.full))
  const measured = await measureFeed({ folder, families, print })
  const broken = brokenClaims(measured, { limit: values.quick ? undefined : FEED_LIMIT })
  for (const claim of broken) print(`Does not hold: ${claim}.`)
  if (!values.quick) writeFeed(measured)
  return broken.length === 0
}

async function imports(): Promise<void> {
  const measured = await measureImports({
    folder,
    families: Number(values.applicants ?? 1_500),
    rounds,
    memoryRows: Number(values.memory ?? 200_000),
    print,
  })
  process.exitCode = checkImports(measured, { keep: values.keep, print }) ? 0 : 1
}

async function changes(): Promise<void> {
  const measured = await measureChanges({
    folder,
    changes: Number(values.applicants ?? 100_000),
    seconds: Number(values.seconds ?? 20),
    print,
  })
  process.exitCode = checkChanges(measured, { keep: values.keep, print }) ? 0 : 1
}

/** Medians of three starts on an empty DATA_DIR, and of three on the same one again. */
async function measureStarts(): Promise<{ fresh: number; later: number }> {
  const fresh: number[] = []
  const later: number[] = []
  for (let time = 0; time < 3; time++) {
    const dataDir = join(folder, `start-${time}`)
    for (const times of [fresh, later]) {
      const service = await startService(dataDir)
      times.push(service.startedIn)
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
  for (const cleanup of cleanups.reverse()) await cleanup()
}
process.exit()
