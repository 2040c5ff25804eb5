// Owns how much memory files on their way may take together. Uploads and downloads have a budget each, so that neither
// keeps the other out. A transfer reserves what its kind of repository needs before its first byte is read, and releases it
// when it ends, fails, or its caller hangs up or goes silent.
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { tooBusy } from '../http/shedding.ts'
import {
  type Budget,
  BudgetExceeded,
  type BudgetOptions,
  createBudget,
  type Reservation,
} from '../lib/budget.ts'

const MIB = 1024 * 1024

/** Nine large uploads to S3 at a time, or sixty to folders; eighty downloads. Small files take as much as their size. */
const LIMITS: BudgetOptions = { capacity: 256 * MIB, maxWaiting: 256, maxWaitMs: 10_000 }

export interface Transfers {
  uploads: Budget
  downloads: Budget
  /** A download that has not moved for this long ends: a block of a MiB neither read nor taken by the caller. */
  silenceMs: number
}

export function createTransfers({
  uploads = LIMITS,
  downloads = LIMITS,
  silenceMs = 180_000,
} = {}): Transfers {
  return { uploads: createBudget(uploads), downloads: createBudget(downloads), silenceMs }
}

/** Waits for its turn, unless the caller hangs up. */
export async function reserve(budget: Budget, bytes: number, socket: Socket): Promise<Reservation> {
  const left = new AbortController()
  const leave = () => left.abort()
  socket.once('close', leave)
  try {
    return await budget.reserve(bytes, left.signal)
  } catch (error) {
    throw error instanceof BudgetExceeded ? tooBusy(undefined, { headers: { 'retry-after': '5' } }) : error
  } finally {
    socket.off('close', leave)
  }
}

export interface Watch {
  /** Aborted when the caller has hung up, or nothing has moved for too long. */
  signal: AbortSignal
  moved(): void
  stop(): void
}

export function watchTransfer(socket: Socket, silenceMs: number): Watch {
  const over = new AbortController()
  const leave = () => over.abort()
  const silence = setTimeout(leave, silenceMs).unref()
  // A response that waits behind others of its connection is not told when that closes, nor are its writes.
  socket.once('close', leave)
  return {
    signal: over.signal,
    moved: () => void silence.refresh(),
    stop() {
      clearTimeout(silence)
      socket.off('close', leave)
    },
  }
}

/** A stream of the blocks that buffers one of them, and is destroyed when the watch ends. */
export function streamBlocks(blocks: AsyncIterable<Buffer>, { signal, moved }: Watch): Readable {
  const stream = Readable.from(watched())
  const destroy = () => void stream.destroy()
  if (signal.aborted) destroy()
  signal.addEventListener('abort', destroy, { once: true })
  return stream

  async function* watched() {
    for await (const block of blocks) {
      moved()
      yield block
      moved()
    }
  }
}
