// What the service acknowledged, kept by the client on a file of its own and on disk before it counts: nothing that
// happens to the system under attack can take it back.
import { closeSync, fdatasync, openSync, writeSync } from 'node:fs'

export interface Ledger {
  entries: Map<string, string>
  /** The service answered that `key` now is `value`; done when the line is on disk. */
  acknowledged(key: string, value: string): Promise<void>
  close(): void
}

export function openLedger(path: string): Ledger {
  const file = openSync(path, 'a')
  const entries = new Map<string, string>()
  const sync = () =>
    new Promise<void>((resolve, reject) => fdatasync(file, error => (error ? reject(error) : resolve())))
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  /** One sync carries the lines of all that wrote while the one before it ran. */
  const synced = (): Promise<void> => {
    if (next) return next
    const mine = (running ?? Promise.resolve()).then(() => {
      // From here on a line may come too late for this sync, and waits for another.
      next = undefined
      running = sync()
      return running
    })
    next = mine
    return mine
  }

  return {
    entries,
    async acknowledged(key, value) {
      writeSync(file, `${JSON.stringify([key, value])}\n`)
      await synced()
      entries.set(key, value)
    },
    close: () => closeSync(file),
  }
}
