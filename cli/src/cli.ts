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
  connect(): Promise<Caseport>
  credentials(): Promise<FoundCredentials>
  bar(label: string, unit: 'bytes' | 'rows'): ReturnType<typeof createBar>
  setJson(json: boolean): void
}

/** Few, so that an unreachable host is reported after seconds. */
export const RETRIES = 2

export function createCli(signal: AbortSignal): Cli {
  const { stdin, stdout, stderr, env } = process
  const cli: Cli = {
    env,
    stdin,
    stdout,
    stderr,
    signal,
    exitCode: EXIT.ok,
    output: createOutput({ stdout, stderr, json: false }),
    credentials: () => findCredentials(env),
    async connect() {
      const credentials = await findCredentials(env)
      return createCaseport({ baseUrl: credentials.url, auth: authOf(credentials), retries: RETRIES })
    },
    bar: (label, unit) => createBar({ stderr, label, unit }),
    setJson(json) {
      cli.output = createOutput({ stdout, stderr, json })
    },
  }
  return cli
}
