// Helpers of the bench that run as processes of their own, so that what is measured shares no event loop with what
// measures it.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export interface Child {
  /** Sends a message and waits for the answer. */
  ask<T>(message: object): Promise<T>
  stop(): Promise<void>
}

export function startChild(file: string): Child {
  const child: ChildProcess = fork(join(import.meta.dirname, file))
  const ended = once(child, 'exit')
  return {
    async ask<T>(message: object): Promise<T> {
      child.send(message)
      const answer = await Promise.race([once(child, 'message'), ended.then(() => undefined)])
      if (!answer) throw new Error(`${file} ended without an answer.`)
      const [value] = answer as [T | { failed: string }]
      if (value && typeof value === 'object' && 'failed' in value) throw new Error(`${file}: ${value.failed}`)
      return value as T
    },
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

/** The other side: answers each message with what `answer` makes of it. */
export function serve<M>(answer: (message: M) => Promise<unknown>): void {
  process.on('message', async (message: M) => {
    try {
      process.send?.((await answer(message)) ?? null)
    } catch (error) {
      process.send?.({ failed: (error as Error).stack })
    }
  })
  process.once('disconnect', () => process.exit())
}
