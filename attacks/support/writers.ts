// Concurrent writers, and a check afterwards: every acknowledged write is stored, and every write without a response took
// effect completely or not at all.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Call, Client, ClientResponse } from './client.ts'
import type { Ledger } from './ledger.ts'
import { COMPANY, caseSubject, personSubject, type Subject } from './subjects.ts'

// biome-ignore lint/suspicious/noExplicitAny: a subject handles its own state type.
type Any = any

interface Written {
  subject: Subject<Any>
  /** The state if the last request, which got no response, took effect. */
  maybe: { state: Any } | undefined
}

export interface Writers {
  /** Runs this many concurrent writers until the signal aborts. */
  run(options: { writers: number; until: AbortSignal }): Promise<void>
  counts: { acknowledged: number; unknown: number; rejected: number; slowest: number }
  /** Unexpected responses. */
  errors: string[]
  /** Compares all writes with what `client` reads, after all writers have stopped. */
  verify(client: Client): Promise<{ lost: string[]; checked: number }>
}

interface Options {
  client: Client
  ledger: Ledger
  /** Statuses after which the outcome is unknown and the request is retried. */
  retryable?: number[]
  /** Whether a response may be missing: a paused service sends none. */
  mayHang?: boolean
  /** Prefix of employee numbers and marks, for several sets of writers on one database. */
  prefix?: string
  /** Milliseconds before a retry. */
  pause?: number
}

const CONCURRENT_CHECKS = 16
/** For how long a read that is rejected with 503 is repeated: the last kill may be moments ago. */
const READ_RETRY_MS = 10_000

/** As clients do: a 503 says nothing about what is stored. */
const retrying = ({ call, close }: Client): Client => ({
  close,
  async call(request) {
    for (const end = performance.now() + READ_RETRY_MS; ; await sleep(250)) {
      const response = await call(request)
      if (response.status !== 503 || performance.now() > end) return response
    }
  },
})

/** Creates the company that all cases refer to. */
export async function createCompany(client: Client): Promise<void> {
  const { status, text } = await client.call({
    method: 'POST',
    path: '/admin/v1/companies',
    body: { name: COMPANY },
  })
  if (status !== 201) throw new Error(`No company: ${status} ${text}`)
}

export function createWriters({
  client,
  ledger,
  retryable = [503],
  mayHang = false,
  prefix = 'A',
  pause = 50,
}: Options): Writers {
  const all: Written[] = []
  const counts = { acknowledged: 0, unknown: 0, rejected: 0, slowest: 0 }
  const errors: string[] = []
  let marks = 0

  const classify = (call: Call, response: ClientResponse): 'done' | 'not done' | 'unknown' | 'wrong' => {
    const { status, missing, headers, milliseconds, text } = response
    const what = `${call.method} ${call.path}`
    counts.slowest = Math.max(counts.slowest, milliseconds)
    if (missing === 'timeout' && !mayHang) errors.push(`${what} hung for ${Math.round(milliseconds)} ms`)
    if (missing === 'not sent') return 'not done'
    if (missing) return 'unknown'
    if (status < 300) return 'done'
    counts.rejected += 1
    if (status === 503 && !headers['retry-after']) errors.push(`${what}: 503 without Retry-After`)
    // An earlier attempt of the same request is still running.
    const inProgress = status === 409 && response.body?.code === 'idempotency-key-in-progress'
    if (retryable.includes(status) || inProgress) return 'unknown'
    errors.push(`${what}: ${status} ${text.slice(0, 300)}`)
    return 'wrong'
  }

  /** Sends a few requests for one subject; a request without a response is retried unchanged, as a client would do. */
  const write = async (until: AbortSignal): Promise<void> => {
    marks += 1
    const subject: Subject<Any> =
      Math.random() < 0.3 ? caseSubject(`${prefix}-${marks}`) : personSubject(`${prefix}-${marks}`)
    const written: Written = { subject, maybe: undefined }
    let recorded = false
    for (let left = 1 + Math.floor(Math.random() * 4); left > 0 && !until.aborted; left--) {
      marks += 1
      const { call, next } = subject.nextRequest(`${prefix}m${marks}`, Math.random)
      for (;;) {
        const response = await client.call(call)
        const outcome = classify(call, response)
        if (outcome !== 'not done' && !recorded) recorded = all.push(written) > 0
        if (outcome === 'done') {
          const state = next(response)
          await ledger.acknowledged(subject.number, JSON.stringify(state))
          subject.state = state
          written.maybe = undefined
          counts.acknowledged += 1
          break
        }
        if (outcome === 'unknown' || outcome === 'wrong') {
          if (!written.maybe) counts.unknown += 1
          written.maybe = { state: next(response.status < 300 ? response : { ...response, body: undefined }) }
        }
        if (until.aborted || outcome === 'wrong') return
        await sleep(pause)
      }
    }
  }

  return {
    counts,
    errors,
    async run({ writers, until }) {
      const loop = async () => {
        while (!until.aborted) await write(until)
      }
      await Promise.all(Array.from({ length: writers }, loop))
    },
    async verify(client) {
      const reader = retrying(client)
      const lost: string[] = []
      const queue = [...all]
      const check = async ({ subject, maybe }: Written) => {
        const line = ledger.entries.get(subject.number)
        const acknowledged = line === undefined ? undefined : JSON.parse(line)
        const mismatches = await subject.mismatches(reader, acknowledged)
        if (mismatches.length === 0) return
        if (maybe && (await subject.mismatches(reader, maybe.state)).length === 0) return
        lost.push(
          `${subject.number}, acknowledged as ${line ?? 'nothing'}${maybe ? `, possibly ${JSON.stringify(maybe.state)}` : ''}: ${mismatches.join('; ')}`,
        )
      }
      await Promise.all(
        Array.from({ length: CONCURRENT_CHECKS }, async () => {
          for (let next = queue.pop(); next; next = queue.pop()) await check(next)
        }),
      )
      return { lost, checked: all.length }
    },
  }
}

/** Waits for this many more acknowledged writes, at most for the given time. */
export async function waitForWrites({ counts }: Writers, more: number, milliseconds: number): Promise<void> {
  const target = counts.acknowledged + more
  const end = performance.now() + milliseconds
  while (counts.acknowledged < target && performance.now() < end) await sleep(5)
}

/** Keeps writers running while `work` runs. */
export async function writeDuring<T>(
  writers: Writers,
  { count, grace = 0 }: { count: number; grace?: number },
  work: () => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const writing = writers.run({ writers: count, until: over.signal })
  try {
    const result = await work()
    if (grace > 0) await sleep(grace)
    return result
  } finally {
    over.abort()
    await writing
  }
}
