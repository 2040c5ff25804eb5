// Messages between the processes of one service (workers/). A service with one process sends none.

/** Receives how often a key was counted by another process, and when its window ends. */
type ReceiveCount = (key: string, ends: number, events: number) => void

export interface SharedCounts {
  /** Adds one to the count of the key in all other processes, in a window that ends then. */
  add(key: string, ends: number): void
  subscribe(receive: ReceiveCount): void
}

export interface WorkerBus {
  /** How many processes serve the requests of this service, this one included. */
  processes: number
  /** Sends to all other processes, within milliseconds, once and without an acknowledgement. */
  publish(topic: string, value?: string): void
  /** Receives what others publish, also what was published before this call. */
  subscribe(topic: string, receive: (value: string | undefined) => void): void
  /** Counts under this name; a process that is started later gets those of windows that have not ended. */
  counts(name: string): SharedCounts
  /** The metrics of all processes, in the text format of Prometheus; undefined where there is only this one. */
  metrics?: () => Promise<string>
}

export const ONE_PROCESS: WorkerBus = {
  processes: 1,
  publish() {},
  subscribe() {},
  counts: () => ({ add() {}, subscribe() {} }),
}
