// The change feed at a terminal or in a pipe.
import { type Change, createChanges } from '@caseport/sdk/changes'
import { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { readCursor, storeCursor } from '../cursor-file.ts'
import { usageError } from '../exit-codes.ts'

interface TailOptions {
  after?: string
  fromStart?: true
  types?: string
  cursorFile?: string
  once?: true
}

export const CHANGE_COLUMNS = [
  { title: 'AT', width: 24, value: ({ at }: Change) => at },
  { title: 'TYPE', width: 26, value: ({ type }: Change) => type },
  { title: 'NUMBER', width: 16, value: ({ employeeNumber }: Change) => employeeNumber },
  {
    title: 'RECORD',
    width: 24,
    value: ({ documentId, caseId, applicantId }: Change) => documentId ?? caseId ?? applicantId,
  },
]

export const changesCommand = (cli: Cli) =>
  new Command('changes').description('What changes, in the order in which it was committed.').addCommand(
    new Command('tail')
      .description('Print changes as they happen, from now on unless told otherwise. Ctrl-C ends it.')
      .option('--after <cursor>', 'begin after this cursor, such as that of an export')
      .option('--from-start', 'begin with the oldest change that is kept')
      .option('--cursor-file <path>', 'begin after the cursor in this file, and keep it up to date there')
      .option('--types <types>', 'only these types, with commas')
      .option('--once', 'end when there are no more changes')
      .action((options: TailOptions) => tail(cli, options)),
  )

async function tail(cli: Cli, options: TailOptions): Promise<void> {
  const { types, cursorFile, once } = options
  const after = await startOf(options)
  const changes = createChanges(await cli.connect())
  const query = { after, types: types?.split(',') as Change['type'][] | undefined, maxRecords: 1000 }
  const feed = once
    ? changes.list(query, { signal: cli.signal })
    : changes.follow(query, { signal: cli.signal })
  await untilStopped(cli, async () => {
    for await (const { records, nextCursor } of feed.pages()) {
      for (const change of records) await cli.output.row(change, CHANGE_COLUMNS)
      // After the changes before it: after a kill they are printed again, and none is lost.
      if (cursorFile) await storeCursor(cursorFile, nextCursor)
    }
  })
}

/** Ctrl-C is how an endless command ends, and no failure. */
export async function untilStopped(cli: Cli, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!cli.signal.aborted) throw error
  }
}

async function startOf({ after, fromStart, cursorFile }: TailOptions): Promise<string | undefined> {
  if ([after, fromStart, cursorFile].filter(value => value !== undefined).length > 1)
    throw usageError('Use only one of --after, --from-start and --cursor-file.')
  if (fromStart) return undefined
  if (cursorFile === undefined) return after ?? 'now'
  return (await readCursor(cursorFile)) ?? 'now'
}
