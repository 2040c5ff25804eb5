// Helpers of the bench run in processes of their own, so that the measured code shares no event loop with the code that
// measures it.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export interface Child {
  pid: number
  /** Sends a message and waits for the reply. */
  ask<T>(message: object): Promise<T>
  stop(): Promise<void>
}

export function startChild(file: string): Child {
  const child: ChildProcess = fork(join(import.meta.dirname, file))
  const ended = once(child, 'exit')
  return {
    pid: child.pid ?? 0,
    async ask<T>(message: object): Promise<T> {
      child.send(message)
      const reply = await Promise.race([once(child, 'message'), ended.then(() => undefined)])
      if (!reply) throw new Error(`${file} ended without a reply.`)
      const [value] = reply as [T | { failed: string }]
      if (value && typeof value === 'object' && 'failed' in value) throw new Error(`${file}: ${value.failed}`)
      return value as T
    },
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

/** In the child: replies to each message with the result of `handle`. */
export function serve<M>(handle: (message: M) => Promise<unknown>): void {
  process.on('message', async (message: M) => {
    try {
      process.send?.((await handle(message)) ?? null)
    } catch (error) {
      process.send?.({ failed: (error as Error).stack })
    }
  })
  process.once('disconnect', () => process.exit())
}
