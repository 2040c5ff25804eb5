// Seeded random number generator; the seed is printed, so that a run can be repeated.
export interface Random {
  seed: number
  /** An integer from 0 up to, not including, `below`. */
  below(below: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  bytes(length: number): Buffer
}

/** Uses the environment variable SEED, or else the clock. */
export function createRandom(seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)): Random {
  let state = seed >>> 0
  // Mulberry32: small, and random enough for test data.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    seed,
    below,
    chance: probability => next() < probability,
    pick: items => {
      if (items.length === 0) throw new Error('There is nothing to pick from.')
      return items[below(items.length)] as (typeof items)[number]
    },
    bytes: length => Buffer.from(Array.from({ length }, () => below(256))),
  }
}
