// Two contenders measured alternately in short rounds, so that other work on the machine affects both alike. Each round
// gives a ratio of the two; the median of the ratios counts.
export interface Contender {
  /** One round. */
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
  /** Requests a second, the first contender over the second: more is better. */
  rate: Ratio
  /** CPU time of one request, the first over the second: less is better. */
  cpu: Ratio
  /**
   * The same of the least disturbed rounds: the first quartile of each side. Other work on the machine makes code cost more
   * CPU time, through cold caches, and never less; this is what is left without it.
   */
  cpuUndisturbed: number
}

interface Round {
  rate: number
  cpu: number
}

export async function alternate(
  first: Contender,
  second: Contender,
  { rounds, warmUps }: { rounds: number; warmUps: number },
): Promise<Comparison> {
  for (let round = 0; round < warmUps; round++) for (const one of [first, second]) await one.run()
  const pairs: [Round, Round][] = []
  for (let round = 0; round < rounds; round++) {
    // The order changes, so that drift cancels out.
    if (round % 2 === 0) {
      const mine = await measured(first)
      pairs.push([mine, await measured(second)])
    } else {
      const other = await measured(second)
      pairs.push([await measured(first), other])
    }
  }
  return {
    rate: ratioOf(pairs.map(([mine, other]) => mine.rate / other.rate)),
    cpu: ratioOf(pairs.map(([mine, other]) => mine.cpu / other.cpu)),
    cpuUndisturbed:
      ratioOf(pairs.map(([mine]) => mine.cpu)).low / ratioOf(pairs.map(([, other]) => other.cpu)).low,
  }
}

async function measured(contender: Contender): Promise<Round> {
  const before = contender.cpuTime()
  const { requests, rate } = await contender.run()
  return { rate, cpu: (contender.cpuTime() - before) / requests }
}

function ratioOf(ratios: number[]): Ratio {
  const sorted = ratios.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { median: at(0.5), low: at(0.25), high: at(0.75), best: at(1) }
}
