// What every command gets: streams, environment, the client of the service, and the signal of Ctrl-C.
import { type Caseport, createCaseport } from '@caseport/sdk'
import { authOf, type Environment, type FoundCredentials, findCredentials } from './credentials.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { createOutput, type Output, type TerminalStream } from './terminal/output.ts'
import { createBar } from './terminal/progress.ts'

export interface Cli {
  env: Environment
  stdin: NodeJS.ReadStream
  stdout: TerminalStream
  stderr: TerminalStream
  output: Output
  /** Aborted by Ctrl-C and by SIGTERM. */
  signal: AbortSignal
  exitCode: ExitCode
  /** Whether the command goes on without output when the reader of its output ends: it changes something. */
  goesOn: boolean
  /** The exit code where it ends with the reader of its output. */
  exitCodeWithoutReader: ExitCode
  /** Whether standard output has a reader. */
  hasReader: boolean
  connect(): Promise<Caseport>
  credentials(): Promise<FoundCredentials>
  bar(label: string, unit: 'bytes' | 'rows'): ReturnType<typeof createBar>
  setJson(json: boolean): void
}

/** Few, so that an unreachable host is reported after seconds. */
export const RETRIES = 2

export function createCli(signal: AbortSignal): Cli {
  const { stdin, stdout, stderr, env } = process
  // Whatever reads it then ends, too.
  signal.addEventListener('abort', () => stdin.destroy())
  const outputFor = (json: boolean) => createOutput({ stdout, stderr, json, hasReader: () => cli.hasReader })
  const cli: Cli = {
    env,
    stdin,
    stdout,
    stderr,
    signal,
    exitCode: EXIT.ok,
    goesOn: false,
    exitCodeWithoutReader: EXIT.ok,
    hasReader: true,
    output: outputFor(false),
    credentials: () => findCredentials(env),
    async connect() {
      const credentials = await findCredentials(env)
      return createCaseport({ baseUrl: credentials.url, auth: authOf(credentials), retries: RETRIES })
    },
    bar: (label, unit) => createBar({ stderr, label, unit }),
    setJson(json) {
      cli.output = outputFor(json)
    },
  }
  return cli
}
