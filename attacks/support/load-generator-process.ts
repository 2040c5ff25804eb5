// Generates load, in a process of its own. Reads its options from the first argument, writes the results as JSON to
// standard output. Closed loop: a number of callers, each waiting for its response. Open loop: a number of requests per
// second.
import { connect } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

export interface LoadOptions {
  url: string
  token: string
  seconds: number
  callers?: number
  /** Writes every applicant once before the measurement starts. */
  seed?: boolean
  rate?: number
}

export interface LoadResult {
  sent: number
  /** Responses by status; 0 means no response. */
  statuses: Record<string, number>
  /** 2xx responses in each second. */
  perSecond: number[]
  /** Latency in milliseconds of 2xx responses and of rejections (503, 429): median, p99, maximum. */
  good: [number, number, number]
  rejected: [number, number, number]
  /** p99 of the delay of the event loop of the generator itself, in milliseconds. */
  lag: number
}

const PEOPLE = 200
const MAX_CONNECTIONS = 1_500
const TIMEOUT_MS = 40_000

const options = JSON.parse(process.argv[2] ?? '{}') as LoadOptions
const port = Number(new URL(options.url).port)
let began = performance.now()
const latencies: { good: number[]; rejected: number[] } = { good: [], rejected: [] }
const result: LoadResult = {
  sent: 0,
  statuses: {},
  perSecond: [],
  good: [0, 0, 0],
  rejected: [0, 0, 0],
  lag: 0,
}

/** Alternates reads and writes of applicants. */
function bytesOf(number: number): string {
  const writes = number % 2 === 0
  const line = `${writes ? 'PUT' : 'GET'} /v2/applicant/employeenumber/L-${(number >> 1) % PEOPLE} HTTP/1.1`
  const head = `${line}\r\nHost: x\r\nAuthorization: Bearer ${options.token}\r\n`
  if (!writes) return `${head}\r\n`
  const body = JSON.stringify({
    primaryApplicant: { firstName: 'Anna', lastName: `Schmidt ${number}`, dateOfBirth: '1990-05-31' },
    dependents: [{ firstName: 'Ben', lastName: 'Schmidt', relationship: 'Child' }],
  })
  return `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** A connection that carries one request at a time. Node's own client would cost more than the service does. */
interface Connection {
  send(bytes: string, ended: (status: number) => void): void
}

function openConnection(): Connection {
  let waiting: ((status: number) => void) | undefined
  let received = ''
  const open = () => {
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
  let socket = open()
  return {
    send(bytes, ended) {
      if (socket.destroyed || !socket.writable) socket = open()
      const mine = socket
      const timer = setTimeout(() => mine.destroy(), TIMEOUT_MS)
      waiting = status => {
        clearTimeout(timer)
        ended(status)
      }
      socket.write(bytes)
    },
  }
}

const idle: Connection[] = []
const queue: (() => void)[] = []
let connections = 0

/** Latency counts from the moment the request is due, including the time it waits for a connection. */
function request(number: number): Promise<void> {
  const due = performance.now()
  result.sent += 1
  return new Promise(resolve => {
    const start = () => {
      const connection = idle.pop() ?? openConnection()
      connection.send(bytesOf(number), status => {
        record(status, due)
        idle.push(connection)
        queue.shift()?.()
        resolve()
      })
    }
    if (idle.length > 0) start()
    else if (connections < MAX_CONNECTIONS) {
      connections += 1
      start()
    } else queue.push(start)
  })
}

function record(status: number, due: number): void {
  const now = performance.now()
  result.statuses[status] = (result.statuses[status] ?? 0) + 1
  if (status === 503 || status === 429) latencies.rejected.push(now - due)
  else if (status >= 200 && status < 300) {
    latencies.good.push(now - due)
    const second = Math.floor((now - began) / 1000)
    result.perSecond[second] = (result.perSecond[second] ?? 0) + 1
  }
}

async function runClosedLoop(callers: number, until: number): Promise<void> {
  let number = 0
  const caller = async () => {
    while (performance.now() < until) await request(number++)
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

async function runOpenLoop(rate: number, until: number): Promise<void> {
  const all: Promise<void>[] = []
  for (let number = 0; performance.now() < until; ) {
    const due = ((performance.now() - began) / 1000) * rate
    while (number < due) all.push(request(number++))
    await sleep(2)
  }
  await Promise.all(all)
}

function percentiles(milliseconds: number[]): [number, number, number] {
  const sorted = milliseconds.sort((a, b) => a - b)
  const at = (share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0)
  return [at(0.5), at(0.99), at(1)]
}

if (options.seed) {
  for (let person = 0; person < PEOPLE; person++) await request(person * 2)
}
// Connections are opened before the measurement, as clients with keep-alive do: Node accepts one new connection per turn of
// the event loop, which would dominate the result. Each sends a request first, because the service closes silent ones.
if (options.rate)
  for (; connections < MAX_CONNECTIONS; connections++) {
    const connection = openConnection()
    await new Promise(resolve => connection.send('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', resolve))
    idle.push(connection)
  }
began = performance.now()
result.perSecond.length = 0
const lag = monitorEventLoopDelay({ resolution: 5 })
lag.enable()
const until = began + options.seconds * 1000
await (options.rate ? runOpenLoop(options.rate, until) : runClosedLoop(options.callers ?? 32, until))
result.lag = Math.round(lag.percentile(99) / 1e6)
result.good = percentiles(latencies.good)
result.rejected = percentiles(latencies.rejected)
process.stdout.write(JSON.stringify(result))
process.exit()
