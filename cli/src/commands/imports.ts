// Imports that were sent: list, follow, release and stop them.
import { createImports, type Import, type ImportOutcome } from '@caseport/sdk/imports'
import { Command, Option } from 'commander'
import type { Cli } from '../cli.ts'
import { followImport, ROW_COLUMNS, summaryOf } from '../imports/import-file.ts'
import { LIMIT, limited } from '../options.ts'
import type { Column } from '../terminal/table.ts'

const COLUMNS: Column<Import>[] = [
  { title: 'IMPORT', value: ({ importId }) => importId, isId: true },
  { title: 'STATUS', value: ({ status, dryRun }) => (dryRun ? `${status} (dry run)` : status) },
  { title: 'MODE', value: ({ mode }) => mode },
  { title: 'ROWS', value: ({ counts }) => counts.total },
  { title: 'CREATED', value: ({ counts }) => counts.created },
  { title: 'UPDATED', value: ({ counts }) => counts.updated },
  { title: 'REJECTED', value: ({ counts }) => counts.rejected },
  { title: 'AT', value: ({ createdAt }) => createdAt },
]

export const importsCommand = (cli: Cli) =>
  new Command('imports')
    .description('Imports that were sent with "people import".')
    .addCommand(
      new Command('list')
        .description('List imports, newest first.')
        .option(...LIMIT)
        .action(async ({ limit }: { limit?: number }) => {
          const { list } = createImports(await cli.connect())
          await cli.output.list(limited(list({}, { signal: cli.signal }), limit), COLUMNS)
        }),
    )
    .addCommand(
      new Command('get')
        .description('Show an import.')
        .argument('<importId>')
        .action(async (importId: string) => {
          const { get } = createImports(await cli.connect())
          await cli.output.record(await get(importId, { signal: cli.signal }))
        }),
    )
    .addCommand(
      new Command('rows')
        .description('List the results of the rows.')
        .argument('<importId>')
        .addOption(
          new Option('--outcome <outcome>', 'only rows with this outcome').choices([
            'created',
            'updated',
            'unchanged',
            'rejected',
            'missing',
          ]),
        )
        .option(...LIMIT)
        .action(async (importId: string, { outcome, limit }: { outcome?: ImportOutcome; limit?: number }) => {
          const { rows } = createImports(await cli.connect())
          const query = { maxRecords: Math.min(1000, limit ?? 1000), ...(outcome && { outcome }) }
          await cli.output.list(limited(rows(importId, query, { signal: cli.signal }), limit), ROW_COLUMNS)
        }),
    )
    .addCommand(
      new Command('wait')
        .description('Follow an import until it has ended.')
        .argument('<importId>')
        .action(async (importId: string) => {
          const imports = createImports(await cli.connect())
          // Waiting goes on while the service does not respond; an address that never responds is reported.
          await imports.get(importId, { signal: cli.signal })
          await followImport(cli, imports, importId)
        }),
    )
    .addCommand(
      new Command('release')
        .description('Apply an import that is held, or a dry run, and follow it.')
        .argument('<importId>')
        .option('--dry-run', 'show the import, and release nothing')
        .action(async (importId: string, { dryRun }: { dryRun?: true }) => {
          const imports = createImports(await cli.connect())
          if (dryRun) return cli.output.record(await imports.get(importId, { signal: cli.signal }))
          await imports.release(importId, { signal: cli.signal })
          await followImport(cli, imports, importId, 'rejected')
        }),
    )
    .addCommand(
      new Command('cancel')
        .description('Stop an import. Rows that are applied stay applied.')
        .argument('<importId>')
        .option('--dry-run', 'show the import, and cancel nothing')
        .action(async (importId: string, { dryRun }: { dryRun?: true }) => {
          const { get, cancel } = createImports(await cli.connect())
          const call = { signal: cli.signal }
          const state = dryRun ? await get(importId, call) : await cancel(importId, call)
          await cli.output.record(state)
          cli.output.note(summaryOf(state))
        }),
    )
