// Controls the clock of attacked services, through fake-clock-preload.ts.
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export interface FakeClock {
  /** For `launch`: a service started with this environment uses this clock. */
  env: Record<string, string>
  now(): Date
  /** A running service reads the new time on SIGUSR2. */
  set(time: Date, speed?: number): void
}

export function createFakeClock(folder: string): FakeClock {
  const path = join(folder, 'clock.json')
  const preload = pathToFileURL(join(import.meta.dirname, 'fake-clock-preload.ts'))
  let reading = { real: Date.now(), fake: Date.now(), speed: 1 }
  const clock: FakeClock = {
    env: { ATTACK_CLOCK: path, NODE_OPTIONS: `--import=${preload}` },
    now: () => new Date(Math.floor(reading.fake + (Date.now() - reading.real) * reading.speed)),
    set(time, speed = 1) {
      reading = { real: Date.now(), fake: time.getTime(), speed }
      writeFileSync(`${path}.new`, JSON.stringify(reading))
      renameSync(`${path}.new`, path)
    },
  }
  clock.set(new Date())
  return clock
}
