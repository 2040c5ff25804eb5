// Loaded into a service before anything else (`node --import`): replaces its clock. The time is read from a file at the
// start and on each SIGUSR2. The kernel and PostgreSQL keep the real time.
import { readFileSync } from 'node:fs'
import { PERIODIC_TIMERS } from '../guards.ts'

interface Reading {
  /** A real time and the fake time at that moment, in milliseconds. */
  real: number
  fake: number
  /** Fake seconds per real second. */
  speed: number
}

const path = process.env['ATTACK_CLOCK'] ?? ''
const realNow = Date.now
const read = () => JSON.parse(readFileSync(path, 'utf8')) as Reading

let reading = read()
process.on('SIGUSR2', () => {
  reading = read()
})

const now = () => Math.floor(reading.fake + (realNow() - reading.real) * reading.speed)

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
