// Loaded into a service before anything else (`node --import`): gives that process another time of day, from a file that is
// read at the start and again at each SIGUSR2. The kernel and PostgreSQL keep the real time.
import { readFileSync } from 'node:fs'
import { PERIODIC_TIMERS } from '../guards.ts'

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

/** Periodic jobs run more often by the same factor. Timeouts, such as that of a connection, keep their length. */
const PERIODIC = `/service/src/${PERIODIC_TIMERS.file}:`
const SHORTEST = 100
const realTimeout = setTimeout

globalThis.setTimeout = new Proxy(realTimeout, {
  apply(target, self, [work, milliseconds, ...values]) {
    const periodic = (new Error().stack ?? '').includes(PERIODIC)
    const wait = periodic ? Math.max(milliseconds / reading.speed, SHORTEST) : milliseconds
    return Reflect.apply(target, self, [work, wait, ...values])
  },
})
