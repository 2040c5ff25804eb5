// The contract of an attack: a name, a requirement, and a run that returns figures and findings. An attack does not
// throw on a finding, so that one run reports all of them.
export interface Attack {
  /** As `--only` takes it: the name of the attack's file or folder. */
  name: string
  /** What is attacked, as shown in docs/reliability.md. */
  title: string
  /** The requirement, as shown in docs/reliability.md. */
  must: string
  /** Guards that can be broken on purpose, to show that this attack detects a missing guard. */
  breaks?: string[]
  run(context: Context): Promise<Outcome>
}

export interface Context {
  /** The short form, for CI: seconds, not minutes. */
  quick: boolean
  /** The guard to break, if any: the attack must then report findings. */
  broken: string | undefined
  /** A folder for this run, removed afterwards. */
  folder: string
  /** Prints one line while the attack runs. */
  progress(done: number, total: number, more?: string): void
  /** Registers a cleanup. All of them run when the attack ends, last registered first. */
  after(cleanup: () => unknown): void
}

export interface Outcome {
  /** Short summary of what was done and measured: `100 kills, 48,211 acknowledged, 0 lost`. */
  figures: string
  /** Violations of the requirement; empty when it was met. */
  findings: string[]
}
