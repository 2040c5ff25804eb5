// A ledger of acknowledged writes, kept by the client in a synced file: nothing that happens to the attacked service can
// change it.
import { closeSync, fdatasync, openSync, writeSync } from 'node:fs'

export interface Ledger {
  entries: Map<string, string>
  /** Records that the service acknowledged `value` for `key`; resolves when the line is on disk. */
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

  /** Group commit: one sync covers all lines written while the previous one ran. */
  const synced = (): Promise<void> => {
    if (next) return next
    const mine = (running ?? Promise.resolve()).then(() => {
      // A line written from here on may miss this sync and waits for the next.
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
