// What the processes of one service tell each other (workers/). A service with one process has no siblings.

/** Receives how often a key was counted by another process, and when its window ends. */
type ReceiveCount = (key: string, ends: number, events: number) => void

export interface SharedCounts {
  /** Tells all other processes that the key was counted once, in a window that ends then. */
  add(key: string, ends: number): void
  listen(receive: ReceiveCount): void
}

export interface Siblings {
  /** How many processes serve the requests of this service, this one included. */
  processes: number
  /** Tells all other processes, within milliseconds. Nothing is told twice, and nothing is acknowledged. */
  tell(topic: string, value?: string): void
  /** Receives what others tell, also what was told before this call. */
  listen(topic: string, receive: (value: string | undefined) => void): void
  /** Counts under this name; a process that is started later gets those of windows that have not ended. */
  counts(name: string): SharedCounts
  /** The metrics of all processes, in the text format of Prometheus; undefined where there is only this one. */
  metrics?: () => Promise<string>
}

export const NO_SIBLINGS: Siblings = {
  processes: 1,
  tell() {},
  listen() {},
  counts: () => ({ add() {}, listen() {} }),
}
