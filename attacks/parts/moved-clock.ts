// Loaded into a service before anything else (`node --import`), it gives that process another time of day: from a file,
// read at the start and again at each SIGUSR2. The kernel, and PostgreSQL, keep the real time.
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

/** What the service does again and again comes sooner by as much; what it allows others, such as a connection, does not. */
const rhythm = /[/]lib[/]every[.]ts:/
const SHORTEST = 100
const realTimeout = setTimeout

globalThis.setTimeout = new Proxy(realTimeout, {
  apply(target, self, [work, milliseconds, ...values]) {
    const own = rhythm.test(new Error().stack ?? '')
    const wait = own ? Math.max(milliseconds / reading.speed, SHORTEST) : milliseconds
    return Reflect.apply(target, self, [work, wait, ...values])
  },
})
