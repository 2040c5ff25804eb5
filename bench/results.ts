// Keeps what was measured: bench/RESULTS.md for people, bench/results.json for the short form that CI holds against it,
// docs/growth.svg as a picture.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { FEED_CONNECTIONS, FEED_LIMIT, type Feed } from './feed.ts'
import type { FileRow } from './file-workloads.ts'
import type { GrowthRow } from './growth.ts'
import type { Row } from './meter.ts'
import { growthPicture } from './picture.ts'
import { inWords, type ProfileRow } from './profiles.ts'

export interface Results {
  rows: Row[]
  files: FileRow[]
  growth: GrowthRow[]
  profiles: ProfileRow[]
  starts: { fresh: number; later: number }
  memory: { atRest: number; most: number }
}

const ROOT = join(import.meta.dirname, '..')
const KEPT = join(import.meta.dirname, 'results.json')
const GROWTH_LIMIT = 1.5
/** A ratio that falls below this share of the kept one has lost more than noise. */
const SHARE = 0.5

type Say = (line: string) => void

/** What must hold, and whether it does. */
function claims({ rows, files, starts, memory }: Results): { claim: string; seen: string; holds: boolean }[] {
  const at32 = heldToLimits(rows, smallestOf(rows))
  const costOf = (name: string, applicants: number) =>
    rows.find(row => row.name === name && row.connections === 32 && row.applicants === applicants)?.p50 ?? 0
  const sizes = [...new Set(rows.map(row => row.applicants))]
  return [
    ...at32.map(({ name, applicants, ratio = 0, least = 0 }) => ({
      claim: `${name}, ${count(applicants)} applicants: at least ${least} of its limit`,
      seen: ratio.toFixed(2),
      holds: ratio >= least,
    })),
    ...files
      .filter(({ least }) => least !== undefined)
      .map(({ name, ratio, least = 0 }) => ({
        claim: `${name}: at least ${least} of pipe`,
        seen: ratio.toFixed(2),
        holds: ratio >= least,
      })),
    ...sizes.map(applicants => {
      const ratio =
        costOf('page of 100 steps, deep', applicants) / costOf('page of 100 steps, first', applicants)
      return {
        claim: `a deep page of steps costs at most 1.2 of the first, ${count(applicants)} applicants`,
        seen: ratio.toFixed(2),
        holds: ratio <= 1.2,
      }
    }),
    ...['first', 'deep'].map(which => {
      const at = (applicants: number) => costOf(`page of 100 steps, ${which}`, applicants)
      const ratio = at(Math.max(...sizes)) / at(Math.min(...sizes))
      return {
        claim: `a ${which} page of steps costs with ${count(Math.max(...sizes))} applicants at most ${GROWTH_LIMIT} of what it does with ${count(Math.min(...sizes))}`,
        seen: ratio.toFixed(2),
        holds: ratio <= GROWTH_LIMIT,
      }
    }),
    { claim: 'a fresh start takes less than 3 s', seen: seconds(starts.fresh), holds: starts.fresh < 3000 },
    { claim: 'a later start takes less than 1 s', seen: seconds(starts.later), holds: starts.later < 1000 },
    {
      claim: 'less than 200 MiB at rest',
      seen: `${memory.atRest.toFixed(0)} MiB`,
      holds: memory.atRest < 200,
    },
    {
      claim: 'less than 400 MiB in every workload',
      seen: `${memory.most.toFixed(0)} MiB`,
      holds: memory.most < 400,
    },
  ]
}

const smallestOf = (rows: Row[]) => Math.min(...rows.map(row => row.applicants))
const heldToLimits = (rows: Row[], applicants: number) =>
  rows.filter(row => row.connections === 32 && row.applicants === applicants && row.least !== undefined)

const count = (number: number) => number.toLocaleString('en')
const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`
const table = (head: string[], lines: string[][]) =>
  [head, head.map(() => '---'), ...lines].map(cells => `| ${cells.join(' | ')} |`).join('\n')

export function writeResults(results: Results, say: Say): boolean {
  const all = claims(results)
  const { rows, files, profiles } = results
  const level = writeGrowth(results.growth, say)
  const sections = [
    `# What it costs

Made by \`npm run bench\`; not edited by hand. ${machine()} Authorization, audit and log are on. Every row
is the median of three rounds, the service and its limits in turn, all on the same two cores as the client: read the
ratios, not the times.

- *bare*: a bare Fastify route that answers the same bytes, headers and body.
- *driver*: the statements that the service sent for this request, repeated by postgres.js alone, in the same groups and
  transactions, with as many callers and connections.
- *pgbench*: the same statements by pgbench, 32 clients at most.
- *pipe*: plain Node streams between a socket and a file that is synced, with SHA-256, and back.`,
    `## What must hold\n\n${table(
      ['claim', 'seen', ''],
      all.map(({ claim, seen, holds }) => [claim, seen, holds ? 'holds' : '**does not hold**']),
    )}`,
    ...[...new Set(rows.map(row => row.applicants))]
      .filter(applicants => applicants !== smallestOf(rows))
      .map(
        applicants => `The same ratios with ${count(applicants)} applicants, any of which may be read next, so that hardly one is read twice:
PostgreSQL makes the JSON of every answer, where in the smallest world it is asked whether what the service holds is still
the record.

${table(
  ['workload', 'ratio to its limit'],
  heldToLimits(rows, applicants).map(({ name, ratio = 0 }) => [name, ratio.toFixed(2)]),
)}`,
      ),
    `## Requests\n\n${table(
      [
        'workload',
        'applicants',
        'connections',
        'requests/s',
        'p50 ms',
        'p99 ms',
        'memory MiB',
        'limits, requests/s',
        'ratio to the first',
      ],
      rows.map(row => [
        row.name, count(row.applicants), String(row.connections), count(Math.round(row.rate)), row.p50.toFixed(2),
        row.p99.toFixed(2), row.memory.toFixed(0),
        Object.entries(row.limits).map(([name, rate]) => `${name} ${count(Math.round(rate))}`).join(', '),
        row.ratio?.toFixed(2) ?? '',
      ]), // biome-ignore format: one row
    )}`,
    `## Files\n\n${table(
      ['workload', 'connections', 'MB/s', 'p50 ms', 'memory MiB', 'pipe MB/s', 'ratio'],
      files.map(row => [
        row.name, String(row.connections), row.megabytesPerSecond.toFixed(0), row.p50.toFixed(1), row.memory.toFixed(0),
        row.pipe.toFixed(0), row.ratio.toFixed(2),
      ]), // biome-ignore format: one row
    )}`,
    `## Where the time goes

Processor time of one request, or file, in microseconds, and the service's share by whose code it is, from a profile of
the service while it served the workload at 32 connections (files of 1 GiB: one). The client takes its part of the same two
cores; what is left to the rate is waiting for one another.

${table(
  ['workload', 'applicants', 'service µs', 'PostgreSQL µs', 'of the service'],
  profiles.map(row => [
    row.name,
    count(row.applicants),
    count(Math.round(row.service)),
    count(Math.round(row.postgres)),
    inWords(row),
  ]),
)}`,
  ]
  writeFileSync(join(import.meta.dirname, 'RESULTS.md'), `${sections.join('\n\n')}\n`)
  const ratios = [
    ...heldToLimits(rows, smallestOf(rows)),
    ...files.filter(row => row.least !== undefined),
  ].map(({ name, ratio }) => [name, Number((ratio ?? 0).toFixed(3))])
  writeFileSync(KEPT, `${JSON.stringify(Object.fromEntries(ratios), null, 2)}\n`)
  for (const { claim, seen, holds } of all) if (!holds) say(`Does not hold: ${claim} (${seen}).`)
  return all.every(({ holds }) => holds) && level
}

/** Cost against size, with a picture; answers whether it stays level. */
export function writeGrowth(growth: GrowthRow[], say: Say): boolean {
  const sizes = (growth[0]?.costs ?? []).map(
    ({ applicants, steps }) => `${count(applicants)} applicants, ${count(steps)} steps`,
  )
  const text = `# Cost against size

Made by \`npm run bench\` (\`-- --only growth\` makes this alone); not edited by hand. ${machine()} Medians of one request at
a time over HTTP, in milliseconds, with authorization and audit on; the worlds in turn, in one run. There are as many notes
as steps, and as many documents as applicants. No operation may cost more than ${GROWTH_LIMIT} times as much in the largest world
as in the smallest. A picture is in \`docs/growth.svg\`.

${table(
  ['workload', ...sizes, 'ratio'],
  growth.map(({ name, costs, ratio }) => [name, ...costs.map(({ p50 }) => p50.toFixed(2)), ratio.toFixed(2)]),
)}
`
  writeFileSync(join(import.meta.dirname, 'GROWTH.md'), text)
  writeFileSync(join(ROOT, 'docs/growth.svg'), growthPicture(growth))
  const grown = growth.filter(({ ratio }) => ratio > GROWTH_LIMIT)
  for (const { name, ratio } of grown) say(`Grows: ${name}, ${ratio.toFixed(2)} times.`)
  return grown.length === 0
}

export function writeFeed({ families, people, notices, runs, cost }: Feed): void {
  const text = `# The nightly feed

Made by \`npm run bench\` (\`-- --only feed\` makes this alone); not edited by hand. ${machine()} ${count(families)} families of
${count(people)} people, without ids, are sent ${runs.length} times by PUT by employee number over ${FEED_CONNECTIONS} connections. After every run
the database is counted: rows, sums of versions and last sequence numbers of every table but the audit, after the renewals
that are due have been recorded (${count(notices)} notices). A run after the first must leave all of that as it was, and a repeated family must cost at
most ${FEED_LIMIT} of its creation.

${table(
  ['run', 'families/s', 'p50 ms', 'p99 ms', 'left behind'],
  runs.map(({ rate, p50, p99, traces }, index) => [
    index === 0 ? '1, creates' : String(index + 1),
    count(Math.round(rate)),
    p50.toFixed(2),
    p99.toFixed(2),
    index === 0 ? '' : traces.join(', ') || 'nothing',
  ]),
)}

${table(
  ['a repeated family over its creation', 'seen', ''],
  Object.entries(cost).map(([name, ratio]) => [
    name === 'median' ? 'time of a request, median' : 'time by throughput',
    ratio.toFixed(2),
    ratio <= FEED_LIMIT ? 'holds' : '**does not hold**',
  ]),
)}
`
  writeFileSync(join(import.meta.dirname, 'FEED.md'), text)
}

function machine(): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim()
  return `Commit ${commit}, ${cpus().length} cores (${cpus()[0]?.model ?? process.arch}), ${Math.round(totalmem() / 1024 ** 3)} GiB, Node ${process.version}.`
}

/** The short form: each ratio beside the kept one. */
export function compareWithKept({ rows, files }: Results, say: Say): boolean {
  const kept = JSON.parse(readFileSync(KEPT, 'utf8')) as Record<string, number>
  const alike = (name: string) => name.replace('1 GiB', '100 MiB')
  let good = true
  for (const [name, before] of Object.entries(kept)) {
    const now = [...rows, ...files].find(row => row.name === alike(name))?.ratio
    const holds = now !== undefined && now >= before * SHARE
    say(
      `${holds ? 'holds ' : 'FELL  '} ${name}: ${now?.toFixed(2) ?? 'not measured'}, kept ${before.toFixed(2)}`,
    )
    good &&= holds
  }
  return good
}
