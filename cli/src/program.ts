// The commands and their options.
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import type { Cli } from './cli.ts'
import { apiCommand } from './commands/api.ts'
import { casesCommand } from './commands/cases.ts'
import { changesCommand } from './commands/changes.ts'
import { docsCommand } from './commands/docs.ts'
import { doctorCommand } from './commands/doctor.ts'
import { importsCommand } from './commands/imports.ts'
import { listenCommand } from './commands/listen.ts'
import { loginCommand, logoutCommand, whoamiCommand } from './commands/login.ts'
import { peopleCommand } from './commands/people.ts'
import { unmarked, unmarkIds } from './ids.ts'

const HELP = `
Results are a table at a terminal and newline-delimited JSON in a pipe or with --json.
Exit codes: 0 done, 1 rejected or not reachable, 2 wrong usage, 3 some rows or files failed, 4 not signed in.

Instead of "login", set CASEPORT_URL with CASEPORT_CLIENT_ID and CASEPORT_CLIENT_SECRET, or with CASEPORT_TOKEN.`

export function createProgram(cli: Cli): Command {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const program = new Command('caseport')
    .description('People, cases and documents of Caseport from the command line.')
    .version(version)
    .option('--json', 'newline-delimited JSON at a terminal, too')
    .addHelpText('after', HELP)
    .hook('preAction', (_program, action) => {
      unmarkIds(action)
      cli.setJson(Boolean(action.optsWithGlobals()['json']))
    })
  const commands = [
    loginCommand,
    logoutCommand,
    whoamiCommand,
    apiCommand,
    peopleCommand,
    importsCommand,
    casesCommand,
    docsCommand,
    changesCommand,
    listenCommand,
    doctorCommand,
  ]
  for (const create of commands) program.addCommand(create(cli))
  exitByException(program)
  return program
}

/** Commander would end the process itself. Its settings are inherited only by commands that it makes. */
function exitByException(command: Command): void {
  command.exitOverride().configureOutput({ outputError: (text, write) => write(oneLine(text)) })
  for (const child of command.commands) exitByException(child)
}

const oneLine = (text: string) =>
  `caseport: ${unmarked(text)
    .replace(/^error: /, '')
    .trim()
    .replaceAll('\n', ' ')}\n`
