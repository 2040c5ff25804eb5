// Sets the time of day of attacked services.
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export interface AttackClock {
  /** For `launch`: a service started with this goes by this clock. */
  env: Record<string, string>
  now(): Date
  /** A service that runs already sees it after a SIGUSR2. */
  set(time: Date, speed?: number): void
}

export function createClock(folder: string): AttackClock {
  const path = join(folder, 'clock.json')
  const preload = pathToFileURL(join(import.meta.dirname, 'moved-clock.ts'))
  let reading = { real: Date.now(), said: Date.now(), speed: 1 }
  const clock: AttackClock = {
    env: { ATTACK_CLOCK: path, NODE_OPTIONS: `--import=${preload}` },
    now: () => new Date(Math.floor(reading.said + (Date.now() - reading.real) * reading.speed)),
    set(time, speed = 1) {
      reading = { real: Date.now(), said: time.getTime(), speed }
      writeFileSync(`${path}.new`, JSON.stringify(reading))
      renameSync(`${path}.new`, path)
    },
  }
  clock.set(new Date())
  return clock
}
