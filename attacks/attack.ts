// What every attack is: a number, what must hold, and a run that gives figures. It throws nothing for what it finds:
// a finding is a value, so that one run shows all of them.
export interface Attack {
  number: number
  name: string
  /** What must hold, in the words of the table. */
  must: string
  /** Guards that can be broken on purpose, to show that this attack sees it. */
  breaks?: string[]
  run(context: Context): Promise<Outcome>
}

export interface Context {
  /** The short form, for CI: seconds, not minutes. */
  quick: boolean
  /** The guard to break, if any: the attack must then report findings. */
  broken: string | undefined
  /** A folder of this run's own, removed afterwards. */
  folder: string
  /** Shown on one line while the attack runs. */
  progress(done: number, total: number, more?: string): void
  /** Runs when the attack is over, whatever happened, last first. */
  after(undo: () => unknown): void
}

export interface Outcome {
  /** What was done and measured, short: `100 kills, 48,211 acknowledged, 0 lost`. */
  figures: string
  /** What did not hold; empty means that the attack was withstood. */
  findings: string[]
}
