// How long to wait before trying again to reach someone else's server: seconds at first, hours later, days in all.
const MINUTE = 60
const HOUR = 60 * MINUTE

/** After the first failure, the second, and so on; with the nine times eight hours it takes a little over three days. */
const DELAYS = [5, 30, 2 * MINUTE, 10 * MINUTE, HOUR, 4 * HOUR, ...Array<number>(9).fill(8 * HOUR)]

/** Seconds until the next attempt, or undefined where there were enough. Jitter keeps many from coming back at once. */
export function retryAfter(failures: number, random: () => number = Math.random): number | undefined {
  const delay = DELAYS[failures - 1]
  return delay === undefined ? undefined : delay * (0.8 + 0.4 * random())
}
