// The time of a response must not tell whether a record of others exists: requests with ids of others and with ids that
// no record has alternate, and their medians are compared.
import type { Caller } from './callers.ts'
import type { Fixture } from './fixture.ts'
import { type Attacked, refusalOf, requestOf } from './operations.ts'
import { unknownLike } from './records.ts'

/** A difference counts if it is larger than each of these, twice in a row and in the same direction. */
const LEAST_MS = 0.5
const LEAST_SHARE = 0.15
const STANDARD_ERRORS = 5

/** Operations of the short form, one for each kind of record. */
const QUICK = [
  'getApplicant',
  'getApplicantByEmployeeNumber',
  'getCase',
  'getDocument',
  'mergeApplicant',
  'getUser',
]

interface Measured {
  /** Milliseconds by which the record of others is slower. */
  difference: number
  median: number
  isLarge: boolean
}

export async function timings(fixture: Fixture): Promise<string> {
  const { attacked, callers, findings, context } = fixture
  const admin = callers.find(({ role, kind }) => role === 'admin' && kind === 'client') as Caller
  const measured = attacked.filter(
    one =>
      one.entry.kind === 'record' &&
      !one.entry.expected &&
      !refusalOf(one, admin) &&
      (!context.quick || QUICK.includes(one.operation.operationId)),
  )
  const samples = context.quick ? 60 : 200
  let largest: Measured | undefined
  for (const [index, one] of measured.entries()) {
    const first = await measure(fixture, { one, caller: admin, samples })
    const second = first.isLarge
      ? await measure(fixture, { one, caller: admin, samples: samples * 2 })
      : first
    if (second.isLarge && Math.sign(first.difference) === Math.sign(second.difference))
      findings.push(
        `${one.operation.operationId}: a record of another company takes ${second.difference.toFixed(2)} ms longer than an id that no record has (median ${second.median.toFixed(2)} ms)`,
      )
    if (!largest || Math.abs(second.difference) > Math.abs(largest.difference)) largest = second
    context.progress(index + 1, measured.length)
  }
  return `${measured.length} operations timed ${samples} times, largest difference of medians ${largest?.difference.toFixed(2)} of ${largest?.median.toFixed(1)} ms`
}

interface Series {
  one: Attacked
  caller: Caller
  samples: number
}

async function measure({ attempt, foreign }: Fixture, { one, caller, samples }: Series): Promise<Measured> {
  const times = { foreign: [] as number[], unknown: [] as number[] }
  const name = `${one.operation.operationId} as ${caller.name}`
  for (let count = 0; count < samples; count++) {
    // Each goes first half of the time.
    const order = count % 2 === 0 ? (['foreign', 'unknown'] as const) : (['unknown', 'foreign'] as const)
    for (const which of order) {
      const ids = which === 'foreign' ? foreign.ids : unknownLike(foreign.ids)
      times[which].push((await attempt(name, requestOf(one, ids, { as: caller }))).milliseconds)
    }
  }
  const difference = median(times.foreign) - median(times.unknown)
  const typical = median([...times.foreign, ...times.unknown])
  // The standard error of a median is 1.25 times that of a mean; the spread is estimated without outliers.
  const spread = Math.max(spreadOf(times.foreign), spreadOf(times.unknown))
  const error = 1.25 * spread * Math.sqrt(2 / samples)
  const limit = Math.max(LEAST_MS, LEAST_SHARE * typical, STANDARD_ERRORS * error)
  return { difference, median: typical, isLarge: Math.abs(difference) > limit }
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** The median absolute deviation, scaled to a standard deviation. */
function spreadOf(values: number[]): number {
  const middle = median(values)
  return 1.48 * median(values.map(value => Math.abs(value - middle)))
}
