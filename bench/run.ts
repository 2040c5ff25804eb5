// `npm run bench`: loads worlds, measures the service beside its limits in one run, and writes bench/RESULTS.md.
//   --applicants N --steps N   the large world (1,000,000 and 10,000,000 where nothing is said); with `--only feed` its
//                              families (2,000)
//   --seconds S --rounds R     of each measurement (1, or 0.3 of a quick one, and 3): medians of the rounds are kept
//   --worlds DIR               keeps the loaded worlds there, and takes those that it finds there
//   --only TEXT                workloads whose name holds this text; nothing is written then, but for `growth` and `feed`
//   --quick                    small worlds, the ratios at 32 connections alone, held against RESULTS.md: for CI
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { brokenClaims, FEED_LIMIT, measureFeed } from './feed.ts'
import { measureFiles } from './file-workloads.ts'
import { measureGrowth } from './growth.ts'
import { createMeter, median, openScene, placeOf } from './meter.ts'
import { profileWorkloads } from './profiles.ts'
import { compareWithKept, type Results, writeFeed, writeGrowth, writeResults } from './results.ts'
import { worldOf } from './seed.ts'
import { settled, startService } from './service.ts'
import { fillBuffers, loadWorld, warmUp } from './worlds.ts'

const { values } = parseArgs({
  options: {
    applicants: { type: 'string' },
    steps: { type: 'string', default: '10000000' },
    seconds: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
    worlds: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
})
const say = (text: string) => process.stdout.write(`${text}\n`)
const folder = mkdtempSync(join(tmpdir(), 'caseport-bench-'))
const large = worldOf(Number(values.applicants ?? 1_000_000), Number(values.steps))
const FAMILIES = { full: 2_000, quick: 200 }
const sizes = values.quick ? [] : [10_000, 100_000].filter(size => size < large.applicants)
const worlds = [worldOf(1_000), ...sizes.map(size => worldOf(size)), ...(values.quick ? [] : [large])]
/** Undone in any case, last first. */
const undo: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 })]

/** Files of a run are large, and a full disk would only be seen as slowness. */
function requireRoom(): void {
  const { bavail, bsize } = statfsSync(folder)
  const need = values.quick ? 4 : 40
  if ((bavail * bsize) / 1024 ** 3 < need)
    throw new Error(`The bench needs ${need} GiB of room in ${tmpdir()}.`)
}

async function main(): Promise<void> {
  requireRoom()
  const fed = !values.only || values.only === 'feed' ? await feed() : true
  if (values.only === 'feed') {
    process.exitCode = fed ? 0 : 1
    return
  }
  const results: Results = {
    rows: [],
    files: [],
    growth: [],
    profiles: [],
    starts: { fresh: 0, later: 0 },
    memory: { atRest: 0, most: 0 },
  }
  results.starts = await measureStarts()
  const sides = []
  for (const world of worlds) {
    const dataDir = join(values.worlds ?? folder, `${world.applicants}-${world.steps}`)
    const seconds = await loadWorld(dataDir, world)
    say(
      `${world.applicants.toLocaleString('en')} applicants ${seconds ? `loaded in ${seconds.toFixed(0)} s` : 'found'}`,
    )
    warmUp(dataDir)
    const service = await startService(dataDir)
    undo.push(service.stop)
    await fillBuffers(placeOf(service))
    await settled()
    sides.push({ service, scene: await openScene(service, world) })
  }
  results.memory.atRest = sides[0]?.service.memory() ?? 0
  if (!values.quick && (!values.only || values.only === 'growth'))
    results.growth = await measureGrowth(sides, say)
  if (values.only === 'growth') {
    process.exitCode = writeGrowth(results.growth, say) ? 0 : 1
    return
  }
  const seconds = Number(values.seconds ?? (values.quick ? 0.3 : 1))
  const meter = createMeter({ seconds, rounds: Number(values.rounds), say })
  const both = values.quick ? sides.slice(0, 1) : [sides[0], sides.at(-1)].filter(side => side !== undefined)
  for (const side of both)
    results.rows.push(...(await meter.measure(side, { quick: values.quick, only: values.only ?? '' })))
  if (sides[0] && 'files'.includes(values.only ?? ''))
    results.files = await measureFiles(sides[0], {
      folder,
      quick: values.quick,
      rounds: Number(values.rounds),
      say,
    })
  results.memory.most = Math.max(
    ...results.rows.map(row => row.memory),
    ...results.files.map(row => row.memory),
  )
  await meter.stop()
  for (const { service } of sides) await service.stop()
  if (!values.quick)
    for (const side of both) {
      const files = side === sides[0] && 'files'.includes(values.only ?? '')
      results.profiles.push(...(await profileWorkloads(side, { only: values.only ?? '', files, say })))
    }
  if (values.quick) process.exitCode = compareWithKept(results, say) && fed ? 0 : 1
  else if (!values.only) process.exitCode = writeResults(results, say) && fed ? 0 : 1
}

/** The nightly feed. A quick run checks that it leaves no trace, and holds no time against a limit. */
async function feed(): Promise<boolean> {
  const given = values.only === 'feed' ? values.applicants : undefined
  const families = Number(given ?? (values.quick ? FAMILIES.quick : FAMILIES.full))
  const measured = await measureFeed({ folder, families, say })
  const broken = brokenClaims(measured, { limit: values.quick ? undefined : FEED_LIMIT })
  for (const claim of broken) say(`Does not hold: ${claim}.`)
  if (!values.quick) writeFeed(measured)
  return broken.length === 0
}

/** Medians of three, on an empty DATA_DIR and then on the same one again; a quick run holds nothing against them. */
async function measureStarts(): Promise<{ fresh: number; later: number }> {
  const fresh: number[] = []
  const later: number[] = []
  for (let time = 0; time < (values.quick ? 1 : 3); time++) {
    const dataDir = join(folder, `start-${time}`)
    for (const kept of [fresh, later]) {
      const service = await startService(dataDir)
      kept.push(service.startedIn)
      await service.stop()
    }
    rmSync(dataDir, { recursive: true, force: true })
  }
  const middle = (times: number[]) => median(times)
  say(`start: ${(middle(fresh) / 1000).toFixed(2)} s fresh, ${(middle(later) / 1000).toFixed(2)} s later`)
  return { fresh: middle(fresh), later: middle(later) }
}

try {
  await main()
} finally {
  for (const step of undo.reverse()) await step()
}
process.exit()
