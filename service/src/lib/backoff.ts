// The retry schedule for external servers: seconds at first, hours later, a little over three days in all.
const MINUTE = 60
const HOUR = 60 * MINUTE

/** Seconds after the first failure, the second, and so on. */
const DELAYS = [5, 30, 2 * MINUTE, 10 * MINUTE, HOUR, 4 * HOUR, ...Array<number>(9).fill(8 * HOUR)]

/** Seconds until the next attempt, with jitter; undefined after the last one. */
export function retryAfter(failures: number, random: () => number = Math.random): number | undefined {
  const delay = DELAYS[failures - 1]
  return delay === undefined ? undefined : delay * (0.8 + 0.4 * random())
}
