// Thousands of clients that send a byte per second, or nothing, and some that never read their response: other clients must
// not be affected, and the slow connections must be closed.
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from './attack.ts'
import { generateLoad } from './support/load-generator.ts'
import { startTarget } from './support/target.ts'

const MAX_OPEN_SECONDS = 30
const CALLERS = 8
/** Latencies below this many milliseconds always pass: on a busy machine they are noise. The short form allows more. */
const MIN_LIMIT_MS = 25

/** Each has two slots, so that together they leave more than half of them. */
const UNREAD = 50

interface Slow {
  kind: string
  /** Sent at one byte per second, after `atOnce`. */
  text: string
  atOnce?: string
  /** Nothing is read. */
  isUnread?: true
}

const KINDS: Slow[] = [
  { kind: 'silent from the start', text: '' },
  { kind: 'slow headers', text: `GET /v2/applicant/health HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(500)}` },
  {
    kind: 'slow body',
    text: body('{"primaryApplicant":'),
    atOnce: head('POST /v2/applicant', 'application/json'),
  },
  {
    kind: 'slow form',
    text: body('grant_type='),
    atOnce: head('POST /oauth/token', 'application/x-www-form-urlencoded'),
  },
  {
    kind: 'slow upload',
    text: body('--b\r\nContent-Disposition: form-data; name="document"; filename="a.pdf"\r\n\r\n%PDF-1.7'),
    atOnce: head('POST /v2/document', 'multipart/form-data; boundary=b'),
  },
  { kind: 'body never begun', text: '', atOnce: head('POST /v2/applicant', 'application/json') },
]

export const slowConnections: Attack = {
  name: 'slow-connections',
  title: 'slow and idle connections',
  must: `p99 of healthy requests at most doubled, slow connections closed within ${MAX_OPEN_SECONDS} s`,
  breaks: ['header-time', 'unread-responses'],

  async run(context) {
    const total = context.quick ? 300 : 2_000
    const target = await startTarget(context)
    const { port } = target.service
    const measure = (seconds: number) => generateLoad(target, { callers: CALLERS, seconds })
    await generateLoad(target, { callers: CALLERS, seconds: context.quick ? 1 : 5, seed: true })
    const before = await measure(context.quick ? 3 : 10)

    const unread = await unreadOf(target.service.url)
    const clients = [
      ...Array.from({ length: total }, (_, index) => KINDS[index % KINDS.length] as Slow),
      ...Array.from({ length: UNREAD }, () => unread),
    ]
    const lifetimes: { kind: string; seconds?: number }[] = []
    const sockets: { socket: Socket; rest: string }[] = []
    for (const [index, { kind, text, atOnce = '', isUnread }] of clients.entries()) {
      const lifetime: (typeof lifetimes)[number] = { kind }
      lifetimes.push(lifetime)
      const socket = connect({ port, host: '127.0.0.1' })
      const opened = performance.now()
      socket.on('error', () => {})
      if (!isUnread) socket.resume()
      socket.once('close', () => {
        lifetime.seconds = Math.round((performance.now() - opened) / 100) / 10
      })
      if (atOnce) socket.write(atOnce.replace('TOKEN', target.token))
      sockets.push({ socket, rest: text })
      if (index % 50 === 0) await sleep(5)
    }
    context.after(() => {
      for (const { socket } of sockets) socket.destroy()
    })

    const began = performance.now()
    const drip = setInterval(() => {
      for (const one of sockets) {
        if (one.rest && one.socket.writable) one.socket.write(one.rest.slice(0, 1))
        one.rest = one.rest.slice(1)
      }
    }, 1_000)
    const during = await measure(context.quick ? 6 : 15)
    const open = () => lifetimes.filter(({ seconds }) => seconds === undefined).length
    while (open() > 0 && performance.now() - began < (MAX_OPEN_SECONDS + 5) * 1_000) {
      context.progress(clients.length - open(), clients.length, 'closed')
      await sleep(500)
    }
    clearInterval(drip)

    const findings = new Set<string>()
    const longest = new Map<string, number>()
    for (const { kind, seconds = Number.POSITIVE_INFINITY } of lifetimes)
      longest.set(kind, Math.max(longest.get(kind) ?? 0, seconds))
    for (const [kind, seconds] of longest)
      if (seconds > MAX_OPEN_SECONDS) findings.add(`${kind}: still open after ${MAX_OPEN_SECONDS} s`)
    // The machine itself may have become slower meanwhile, so that the baseline is measured again without slow connections.
    // The short form has too few requests for a stable p99, and uses the median.
    const after = await measure(context.quick ? 3 : 10)
    const [figure, at] = context.quick ? (['median', 0] as const) : (['p99', 1] as const)
    const baseline = Math.max(before.good[at], after.good[at])
    const underAttack = during.good[at]
    if (underAttack > Math.max(baseline * 2, MIN_LIMIT_MS) * (context.quick ? 2 : 1))
      findings.add(`${figure} of healthy requests rose from ${baseline} to ${underAttack} ms`)
    const wrong = Object.entries(during.statuses).filter(([status]) => !/^2/.test(status))
    for (const [status, count] of wrong) findings.add(`${count} healthy requests got ${status}`)
    return {
      figures:
        `${clients.length} connections of ${KINDS.length + 1} kinds; ${figure} of healthy requests ${baseline} ms without them, ${underAttack} ms meanwhile; ` +
        `longest open: ${[...longest].map(([kind, seconds]) => `${kind} ${seconds} s`).join(', ')}; ${target.memory()} MiB`,
      findings: [...findings],
    }
  },
}

/** The bundle of the reference page, twice: more than the buffers of both ends of a connection can have. */
async function unreadOf(url: string): Promise<Slow> {
  const page = await (await fetch(`${url}/docs`)).text()
  const path = /src="([^"]*scalar-[^"]*)"/.exec(page)?.[1] ?? ''
  // The first request makes the service load it.
  const { status } = await fetch(url + path, { headers: { 'accept-encoding': 'identity' } })
  if (status !== 200) throw new Error(`GET ${path}: ${status}`)
  const request = `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
  // Line breaks before a request are ignored. Sending them shows that the connection was closed.
  return { kind: 'response never read', text: '\r\n'.repeat(250), atOnce: request.repeat(2), isUnread: true }
}

function head(line: string, type: string): string {
  return `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer TOKEN\r\nContent-Type: ${type}\r\nContent-Length: 5000\r\n\r\n`
}

function body(start: string): string {
  return start + ' '.repeat(500)
}
