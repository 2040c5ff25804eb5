// Runs a task many times with limited concurrency.
import type { Context } from '../attack.ts'

interface Drive {
  total: number
  atOnce: number
  /** Stops early, for example once there is enough to report. */
  until?: () => boolean
  each(index: number, lane: number): Promise<void>
  progress: Context['progress']
  more?: () => string
}

/** Returns how many were done. */
export async function drive({
  total,
  atOnce,
  until = () => false,
  each,
  progress,
  more,
}: Drive): Promise<number> {
  let begun = 0
  let done = 0
  const lane = async (_: unknown, number: number) => {
    while (begun < total && !until()) {
      await each(begun++, number)
      progress(++done, total, more?.())
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return done
}
