// Concurrent writers, and a check afterwards: every acknowledged write is stored, and every write without a response took
// effect completely or not at all.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Call, Client } from './client.ts'
import type { Ledger } from './ledger.ts'
import { COMPANY, caseSubject, personSubject, type Subject } from './subjects.ts'

// biome-ignore lint/suspicious/noExplicitAny: people and cases are told apart inside the subject.
type Any = any

interface Written {
  subject: Subject<Any>
  /** What it is if the last request, which was not answered, did take effect. */
  maybe: { state: Any } | undefined
}

export interface Writers {
  /** Writes with so many writers until the signal comes. */
  run(options: { writers: number; until: AbortSignal }): Promise<void>
  counts: { acknowledged: number; unknown: number; refused: number; slowest: number }
  /** Unexpected responses. */
  faults: string[]
  /** Compares all writes with what one client reads, once nothing is written any more. */
  reckon(client: Client): Promise<{ lost: string[]; checked: number }>
}

interface Options {
  client: Client
  ledger: Ledger
  /** Statuses that leave the outcome open. */
  busy?: number[]
  /** Whether a response may be missing: a paused service sends none. */
  mayHang?: boolean
  /** What employee numbers and marks begin with, where several write to one database. */
  prefix?: string
  /** Milliseconds before a request is sent again. */
  pause?: number
}

const CHECKS_AT_ONCE = 16

/** The company that all cases name. */
export async function prepare(client: Client): Promise<void> {
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
  busy = [503],
  mayHang = false,
  prefix = 'A',
  pause = 50,
}: Options): Writers {
  const all: Written[] = []
  const counts = { acknowledged: 0, unknown: 0, refused: 0, slowest: 0 }
  const faults: string[] = []
  let marks = 0

  const judge = (call: Call, answer: Answer): 'done' | 'not done' | 'unknown' | 'wrong' => {
    const { status, missing, headers, milliseconds, text } = answer
    const what = `${call.method} ${call.path}`
    counts.slowest = Math.max(counts.slowest, milliseconds)
    if (missing === 'late' && !mayHang) faults.push(`${what} hung for ${Math.round(milliseconds)} ms`)
    if (missing === 'not sent') return 'not done'
    if (missing) return 'unknown'
    if (status < 300) return 'done'
    counts.refused += 1
    if (status === 503 && !headers['retry-after']) faults.push(`${what}: 503 without Retry-After`)
    // The first of the same request is still under way.
    const underWay = status === 409 && answer.body?.code === 'idempotency-key-in-progress'
    if (busy.includes(status) || underWay) return 'unknown'
    faults.push(`${what}: ${status} ${text.slice(0, 300)}`)
    return 'wrong'
  }

  /** One subject, a few requests; an unanswered one is sent again as it is, as an integrator would. */
  const write = async (until: AbortSignal): Promise<void> => {
    marks += 1
    const subject: Subject<Any> =
      Math.random() < 0.3 ? caseSubject(`${prefix}-${marks}`) : personSubject(`${prefix}-${marks}`)
    const written: Written = { subject, maybe: undefined }
    let recorded = false
    for (let left = 1 + Math.floor(Math.random() * 4); left > 0 && !until.aborted; left--) {
      marks += 1
      const { call, next } = subject.propose(`${prefix}m${marks}`, Math.random)
      for (;;) {
        const answer = await client.call(call)
        const outcome = judge(call, answer)
        if (outcome !== 'not done' && !recorded) recorded = all.push(written) > 0
        if (outcome === 'done') {
          const state = next(answer)
          await ledger.acknowledged(subject.number, JSON.stringify(state))
          subject.state = state
          written.maybe = undefined
          counts.acknowledged += 1
          break
        }
        if (outcome === 'unknown' || outcome === 'wrong') {
          if (!written.maybe) counts.unknown += 1
          written.maybe = { state: next(answer.status < 300 ? answer : { ...answer, body: undefined }) }
        }
        if (until.aborted || outcome === 'wrong') return
        await sleep(pause)
      }
    }
  }

  return {
    counts,
    faults,
    async run({ writers, until }) {
      const loop = async () => {
        while (!until.aborted) await write(until)
      }
      await Promise.all(Array.from({ length: writers }, loop))
    },
    async reckon(reader) {
      const lost: string[] = []
      const queue = [...all]
      const check = async ({ subject, maybe }: Written) => {
        const line = ledger.entries.get(subject.number)
        const acknowledged = line === undefined ? undefined : JSON.parse(line)
        const against = await subject.faults(reader, acknowledged)
        if (against.length === 0) return
        if (maybe && (await subject.faults(reader, maybe.state)).length === 0) return
        lost.push(
          `${subject.number}, acknowledged as ${line ?? 'nothing'}${maybe ? `, perhaps ${JSON.stringify(maybe.state)}` : ''}: ${against.join('; ')}`,
        )
      }
      await Promise.all(
        Array.from({ length: CHECKS_AT_ONCE }, async () => {
          for (let next = queue.pop(); next; next = queue.pop()) await check(next)
        }),
      )
      return { lost, checked: all.length }
    },
  }
}

/** Until so many more writes were acknowledged, or the milliseconds are over. */
export async function moreWrites({ counts }: Writers, more: number, milliseconds: number): Promise<void> {
  const enough = counts.acknowledged + more
  const end = performance.now() + milliseconds
  while (counts.acknowledged < enough && performance.now() < end) await sleep(5)
}

/** Runs writers beside something that happens to the service meanwhile. */
export async function during<T>(
  writers: Writers,
  { count, grace = 0 }: { count: number; grace?: number },
  happens: () => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const writing = writers.run({ writers: count, until: over.signal })
  try {
    const result = await happens()
    if (grace > 0) await sleep(grace)
    return result
  } finally {
    over.abort()
    await writing
  }
}
