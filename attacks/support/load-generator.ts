// Generates load, in a process of its own. Reads its options from the first argument, writes the results as JSON to standard
// output. Closed loop: a number of callers, each waiting for its response. Open loop: a number of requests per second.
import { connect } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Orders {
  url: string
  token: string
  seconds: number
  callers?: number
  /** Writes everybody once before the clock starts. */
  seed?: boolean
  rate?: number
}

export interface Seen {
  sent: number
  /** By status; 0 is no answer at all. */
  statuses: Record<string, number>
  /** Good answers in each second. */
  perSecond: number[]
  /** Milliseconds until the answer, of good ones and of refusals: median, 99 of 100, longest. */
  good: [number, number, number]
  refused: [number, number, number]
  /** How late the generator itself was, in milliseconds, 99 of 100. */
  lag: number
}

const PEOPLE = 200
const CONNECTIONS = 1_500
const SILENCE = 40_000

const orders = JSON.parse(process.argv[2] ?? '{}') as Orders
const port = Number(new URL(orders.url).port)
let began = performance.now()
const times: { good: number[]; refused: number[] } = { good: [], refused: [] }
const seen: Seen = { sent: 0, statuses: {}, perSecond: [], good: [0, 0, 0], refused: [0, 0, 0], lag: 0 }

/** Reads and writes of a person, half and half. */
function bytesOf(number: number): string {
  const writes = number % 2 === 0
  const line = `${writes ? 'PUT' : 'GET'} /v2/applicant/employeenumber/L-${(number >> 1) % PEOPLE} HTTP/1.1`
  const head = `${line}\r\nHost: x\r\nAuthorization: Bearer ${orders.token}\r\n`
  if (!writes) return `${head}\r\n`
  const body = JSON.stringify({
    primaryApplicant: { firstName: 'Anna', lastName: `Schmidt ${number}`, dateOfBirth: '1990-05-31' },
    dependents: [{ firstName: 'Ben', lastName: 'Schmidt', relationship: 'Child' }],
  })
  return `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** A connection that carries one request at a time. Node's own client would cost more than the service does. */
interface Line {
  send(bytes: string, ended: (status: number) => void): void
}

function openLine(): Line {
  let waiting: ((status: number) => void) | undefined
  let received = ''
  const dial = () => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1')
    const fail = () => {
      const ended = waiting
      waiting = undefined
      received = ''
      ended?.(0)
    }
    socket.on('data', (text: unknown) => {
      received += text
      const end = received.indexOf('\r\n\r\n')
      const length = end < 0 ? undefined : /\r\ncontent-length: (\d+)/i.exec(received.slice(0, end + 2))?.[1]
      if (end < 0 || received.length < end + 4 + Number(length ?? 0)) return
      const status = Number(received.slice(9, 12))
      const ended = waiting
      waiting = undefined
      received = ''
      ended?.(status)
    })
    socket.on('error', fail)
    socket.on('close', fail)
    return socket
  }
  let socket = dial()
  return {
    send(bytes, ended) {
      if (socket.destroyed || !socket.writable) socket = dial()
      const mine = socket
      const timer = setTimeout(() => mine.destroy(), SILENCE)
      waiting = status => {
        clearTimeout(timer)
        ended(status)
      }
      socket.write(bytes)
    },
  }
}

const idle: Line[] = []
const queue: (() => void)[] = []
let lines = 0

/** From the moment it is due, wherever it waits. */
function request(number: number): Promise<void> {
  const due = performance.now()
  seen.sent += 1
  return new Promise(resolve => {
    const start = () => {
      const line = idle.pop() ?? openLine()
      line.send(bytesOf(number), status => {
        note(status, due)
        idle.push(line)
        queue.shift()?.()
        resolve()
      })
    }
    if (idle.length > 0) start()
    else if (lines < CONNECTIONS) {
      lines += 1
      start()
    } else queue.push(start)
  })
}

function note(status: number, due: number): void {
  const now = performance.now()
  seen.statuses[status] = (seen.statuses[status] ?? 0) + 1
  if (status === 503 || status === 429) times.refused.push(now - due)
  else if (status >= 200 && status < 300) {
    times.good.push(now - due)
    const second = Math.floor((now - began) / 1000)
    seen.perSecond[second] = (seen.perSecond[second] ?? 0) + 1
  }
}

async function closed(callers: number, until: number): Promise<void> {
  let number = 0
  const caller = async () => {
    while (performance.now() < until) await request(number++)
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

async function open(rate: number, until: number): Promise<void> {
  const all: Promise<void>[] = []
  for (let number = 0; performance.now() < until; ) {
    const due = ((performance.now() - began) / 1000) * rate
    while (number < due) all.push(request(number++))
    await sleep(2)
  }
  await Promise.all(all)
}

function spread(milliseconds: number[]): [number, number, number] {
  const sorted = milliseconds.sort((a, b) => a - b)
  const at = (share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0)
  return [at(0.5), at(0.99), at(1)]
}

if (orders.seed) {
  for (let person = 0; person < PEOPLE; person++) await request(person * 2)
}
// Integrators keep their connections, while Node accepts new ones one a turn, which would be measured instead. Each has to
// carry a request: one that stays silent is closed.
if (orders.rate)
  for (; lines < CONNECTIONS; lines++) {
    const line = openLine()
    await new Promise(resolve => line.send('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', resolve))
    idle.push(line)
  }
began = performance.now()
seen.perSecond.length = 0
const lag = monitorEventLoopDelay({ resolution: 5 })
lag.enable()
const until = began + orders.seconds * 1000
await (orders.rate ? open(orders.rate, until) : closed(orders.callers ?? 32, until))
seen.lag = Math.round(lag.percentile(99) / 1e6)
seen.good = spread(times.good)
seen.refused = spread(times.refused)
process.stdout.write(JSON.stringify(seen))
process.exit()
