// Bounds the memory of all transfers. Uploads and downloads have separate budgets, so that neither blocks the other. A
// transfer reserves what its kind of repository needs before its first byte is read. It releases that when it ends, fails,
// or its client disconnects or stalls.
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
  /** A download ends if no block of a MiB is read from the repository or sent to the client for this long. */
  stallMs: number
}

export function createTransfers({ uploads = LIMITS, downloads = LIMITS, stallMs = 180_000 } = {}): Transfers {
  return { uploads: createBudget(uploads), downloads: createBudget(downloads), stallMs }
}

/** Waits until the budget has room, or the client disconnects. */
export async function reserve(budget: Budget, bytes: number, socket: Socket): Promise<Reservation> {
  const disconnected = new AbortController()
  const onClose = () => disconnected.abort()
  socket.once('close', onClose)
  try {
    return await budget.reserve(bytes, disconnected.signal)
  } catch (error) {
    throw error instanceof BudgetExceeded ? tooBusy(undefined, { headers: { 'retry-after': '5' } }) : error
  } finally {
    socket.off('close', onClose)
  }
}

export interface TransferWatch {
  /** Aborted when the transfer ends: the client disconnects, the transfer stalls, or `stop` is called. */
  signal: AbortSignal
  progress(): void
  /** Also closes a file that is open but was never read: a generator that has not started runs no `finally`. */
  stop(): void
}

export function watchTransfer(socket: Socket, stallMs: number): TransferWatch {
  const ended = new AbortController()
  const end = () => ended.abort()
  const stalled = setTimeout(end, stallMs).unref()
  // The socket, not the response: a pipelined response that waits behind others gets no event when the socket closes.
  socket.once('close', end)
  return {
    signal: ended.signal,
    progress: () => void stalled.refresh(),
    stop() {
      clearTimeout(stalled)
      socket.off('close', end)
      end()
    },
  }
}

/** A stream of the blocks that buffers one of them, and is destroyed when the watch ends. */
export function streamBlocks(blocks: AsyncIterable<Buffer>, { signal, progress }: TransferWatch): Readable {
  const stream = Readable.from(watched())
  const destroy = () => void stream.destroy()
  if (signal.aborted) destroy()
  signal.addEventListener('abort', destroy, { once: true })
  return stream

  async function* watched() {
    for await (const block of blocks) {
      progress()
      yield block
      progress()
    }
  }
}
