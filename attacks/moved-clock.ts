// Loaded into a service before anything else (`node --import`), it gives that process another time of day: from a file,
// read at the start and again at each SIGUSR2. Timers keep pace with it; the kernel, and PostgreSQL, keep the real time.
import { readFileSync } from 'node:fs'

interface Reading {
  /** The real time, and the one that it was then said to be, in milliseconds. */
  real: number
  said: number
  /** How many seconds pass in one. */
  speed: number
}

const path = process.env['ATTACK_CLOCK'] ?? ''
const realNow = Date.now
const read = () => JSON.parse(readFileSync(path, 'utf8')) as Reading

let reading = read()
process.on('SIGUSR2', () => {
  reading = read()
})

const now = () => Math.floor(reading.said + (realNow() - reading.real) * reading.speed)

globalThis.Date = new Proxy(Date, {
  construct: (target, values, as) => Reflect.construct(target, values.length > 0 ? values : [now()], as),
  apply: () => new Date().toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})

const inStep = <T extends typeof setTimeout | typeof setInterval>(timer: T): T =>
  new Proxy(timer, {
    apply: (target, self, [work, milliseconds, ...values]) =>
      Reflect.apply(target, self, [work, milliseconds / reading.speed, ...values]),
  })
globalThis.setTimeout = inStep(setTimeout)
globalThis.setInterval = inStep(setInterval)
