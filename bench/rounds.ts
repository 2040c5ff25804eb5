// Runs two benchmarks alternately in short rounds, so that other work on the machine affects both alike. Each round yields
// the ratio of the two; the median of the ratios counts.
export interface Benchmark {
  /** Runs one round. */
  run(): Promise<{ requests: number; rate: number }>
  /** Microseconds of CPU time so far. */
  cpuTime(): number
}

export interface Ratio {
  median: number
  /** First and third quartile. */
  low: number
  high: number
  best: number
}

export interface Comparison {
  /** Requests a second, the first benchmark over the second: more is better. */
  rate: Ratio
  /** CPU time of one request, the first over the second: less is better. */
  cpu: Ratio
  /**
   * The ratio of the first quartiles of CPU time, which come from the least disturbed rounds. Other work on the machine
   * only adds CPU time, through cold caches, and never saves any.
   */
  cpuUndisturbed: number
}

interface Round {
  rate: number
  cpu: number
}

export async function alternate(
  first: Benchmark,
  second: Benchmark,
  { rounds, warmUps }: { rounds: number; warmUps: number },
): Promise<Comparison> {
  for (let round = 0; round < warmUps; round++) for (const one of [first, second]) await one.run()
  const pairs: [Round, Round][] = []
  for (let round = 0; round < rounds; round++) {
    // The order changes, so that drift cancels out.
    if (round % 2 === 0) {
      const own = await measured(first)
      pairs.push([own, await measured(second)])
    } else {
      const other = await measured(second)
      pairs.push([await measured(first), other])
    }
  }
  return {
    rate: ratioOf(pairs.map(([own, other]) => own.rate / other.rate)),
    cpu: ratioOf(pairs.map(([own, other]) => own.cpu / other.cpu)),
    cpuUndisturbed:
      ratioOf(pairs.map(([own]) => own.cpu)).low / ratioOf(pairs.map(([, other]) => other.cpu)).low,
  }
}

async function measured(benchmark: Benchmark): Promise<Round> {
  const before = benchmark.cpuTime()
  const { requests, rate } = await benchmark.run()
  return { rate, cpu: (benchmark.cpuTime() - before) / requests }
}

function ratioOf(ratios: number[]): Ratio {
  const sorted = ratios.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { median: at(0.5), low: at(0.25), high: at(0.75), best: at(1) }
}
