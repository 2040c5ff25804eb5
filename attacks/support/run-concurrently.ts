// Runs a task many times with limited concurrency.
import type { Context } from '../attack.ts'

interface Options {
  total: number
  concurrency: number
  /** Stops early, for example once there is enough to report. */
  until?: () => boolean
  each(index: number, worker: number): Promise<void>
  progress: Context['progress']
  /** Added to the progress line. */
  more?: () => string
}

/** Returns how many tasks were completed. */
export async function runConcurrently({
  total,
  concurrency,
  until = () => false,
  each,
  progress,
  more,
}: Options): Promise<number> {
  let started = 0
  let done = 0
  const run = async (_: unknown, worker: number) => {
    while (started < total && !until()) {
      await each(started++, worker)
      progress(++done, total, more?.())
    }
  }
  await Promise.all(Array.from({ length: concurrency }, run))
  return done
}
