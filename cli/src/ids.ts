// Arguments that begin with `-` and are ids: older services made some, and Commander takes them for options. They are marked
// before it parses them. An argument of a process has no NUL, so that nothing else has the mark.
import type { Command } from 'commander'

const MARK = '\0'
const LEADING_HYPHEN = /^-[\w-]{22}=$/

export const markIds = (args: string[]): string[] =>
  args.map(argument => (LEADING_HYPHEN.test(argument) ? MARK + argument : argument))

export const unmarked = (text: string): string => text.replaceAll(MARK, '')

/** Removes the marks from what a command is about to run with. */
export function unmarkIds(command: Command): void {
  command.processedArgs = command.processedArgs.map(withoutMarks)
  for (const [name, value] of Object.entries(command.opts()))
    command.setOptionValue(name, withoutMarks(value))
}

function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks)
  return typeof value === 'string' ? unmarked(value) : value
}
