// Runs one command and sets the exit code.
import { CommanderError } from 'commander'
import { createCli } from './cli.ts'
import { EXIT, failureOf } from './exit-codes.ts'
import { markIds } from './ids.ts'
import { createProgram } from './program.ts'
import { printable } from './terminal/table.ts'

const stopped = new AbortController()
const cli = createCli(stopped.signal)

for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const)
  process.on(signal, () => {
    // The second time, whatever still runs is ended.
    if (stopped.signal.aborted) process.exit(128 + number)
    process.exitCode = 128 + number
    stopped.abort()
  })

// A reader such as `head` ends when it has enough.
process.stdout.on('error', error => {
  if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  if (!cli.goesOn) process.exit(cli.exitCode)
  cli.hasReader = false
})
process.stderr.on('error', error => {
  if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
})

try {
  await createProgram(cli).parseAsync(markIds(process.argv))
  process.exitCode = cli.exitCode
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage
  else if (!stopped.signal.aborted) {
    const { message, exitCode } = failureOf(error)
    process.stderr.write(`caseport: ${printable(message)}\n`)
    process.exitCode = exitCode
  }
}
