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

process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // A reader such as `head` ends when it has enough.
  const hasEnded = code === 'EPIPE'
  if (!hasEnded) {
    process.stderr.write(`caseport: Standard output cannot be written: ${message}.\n`)
    cli.exitCode = EXIT.rejected
  }
  if (!cli.goesOn) process.exit(hasEnded ? cli.exitCodeWithoutReader : cli.exitCode)
  cli.hasReader = false
})
process.stderr.on('error', ({ code }: NodeJS.ErrnoException) => {
  // There is nowhere left to say it.
  if (code !== 'EPIPE') process.exit(EXIT.rejected)
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
