// Sends a file of people, shows the progress, and prints the results of its rows.
import { isCaseportError } from '@caseport/sdk'
import { createImports, type Import, type ImportRow, type Imports } from '@caseport/sdk/imports'
import type { Cli } from '../cli.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import type { Column } from '../terminal/table.ts'
import { importSource, type Mapping } from './import-source.ts'

export interface ImportOptions {
  mode: 'replace' | 'merge'
  complete?: true
  format?: 'csv' | 'ndjson'
  map?: Mapping
  rows?: 'all' | 'changed' | 'rejected' | 'none'
  wait: boolean
  dryRun?: true
}

export async function importFile(cli: Cli, path: string, options: ImportOptions): Promise<void> {
  const { mode, complete = false, dryRun = false } = options
  const source = await importSource(cli, path, options)
  const imports = createImports(await cli.connect())
  const bar = cli.bar('sending', 'bytes')
  const created = await imports
    .create({ ...source, mode, dryRun, complete }, { signal: cli.signal, onProgress: bar.update })
    .finally(bar.clear)
  if (!options.wait) return cli.output.record(created)
  await followImport(cli, imports, created.importId, options.rows)
}

/** Waits for the end of an import, and reports it. */
export async function followImport(
  cli: Cli,
  imports: Imports,
  importId: string,
  rows?: ImportOptions['rows'],
): Promise<void> {
  // The exit code is the result of the import, also where the rows have no reader.
  cli.goesOn = true
  const ended = await finish(cli, imports, importId)
  await printRows(cli, imports, ended, rows ?? (isDryRun(ended) ? 'changed' : 'rejected')).finally(() =>
    cli.output.note(summaryOf(ended)),
  )
  if (isDryRun(ended) && ended.held)
    cli.output.note(`It would be held until it is released: ${reasonsOf(ended)}`)
  if (ended.problem)
    throw new CommandError(`${ended.problem.code}: ${ended.problem.detail}${fieldsOf(ended)}`)
  if (ended.status === 'held') throw heldError(ended)
  if (ended.status === 'cancelled') throw new CommandError('The import was cancelled.')
  if (ended.counts.rejected > 0) cli.exitCode = EXIT.someFailed
}

async function finish(cli: Cli, imports: Imports, importId: string): Promise<Import> {
  const bar = cli.bar('checking', 'rows')
  const onProgress = ({ status, counts, progress }: Import) => {
    if (status === 'running') bar.update({ loaded: progress.applied, total: progress.toApply }, 'applying')
    else bar.update({ loaded: progress.checked, total: counts.total }, 'checking')
  }
  try {
    return await imports.finish(importId, { signal: cli.signal, onProgress })
  } catch (error) {
    if (isCaseportError(error, 'import-not-found')) throw error
    bar.clear()
    cli.output.note(
      `The service goes on with the import. Follow it with "caseport imports wait ${importId}", or stop it with "caseport imports cancel ${importId}".`,
    )
    throw error
  } finally {
    bar.clear()
  }
}

export const ROW_COLUMNS: Column<ImportRow>[] = [
  { title: 'ROW', value: ({ row }) => row },
  { title: 'NUMBER', value: ({ employeeNumber }) => employeeNumber },
  { title: 'OUTCOME', value: ({ outcome }) => outcome },
  { title: 'CHANGES', value: ({ changed, problem }) => (problem ? problemOf(problem) : changed) },
]

function problemOf({ code, detail, errors = [] }: NonNullable<ImportRow['problem']>): string {
  if (errors.length === 0) return `${code}: ${detail}`
  return errors.map(field => `${field.pointer}: ${field.detail}`).join(' ')
}

async function printRows(
  cli: Cli,
  imports: Imports,
  { importId, counts }: Import,
  rows: NonNullable<ImportOptions['rows']>,
): Promise<void> {
  const isPrinted = (row: ImportRow) =>
    rows === 'all' || row.outcome === 'rejected' || (rows === 'changed' && row.outcome !== 'unchanged')
  const count = rows === 'rejected' ? counts.rejected : counts.total + counts.missing
  const found = rows === 'all' || rows === 'changed' ? count - (rows === 'all' ? 0 : counts.unchanged) : count
  if (rows === 'none' || found === 0) return
  const query = rows === 'rejected' ? { outcome: 'rejected' as const } : {}
  const all = imports.rows(importId, { ...query, maxRecords: 1000 }, { signal: cli.signal })
  await cli.output.list(filtered(all, isPrinted), ROW_COLUMNS)
}

async function* filtered<T>(records: AsyncIterable<T>, test: (record: T) => boolean): AsyncGenerator<T> {
  for await (const record of records) if (test(record)) yield record
}

/** A dry run that was released is an import. */
const isDryRun = ({ dryRun, releasedAt }: Import) => dryRun && releasedAt === null

export function summaryOf(state: Import): string {
  const { importId, status, counts, progress } = state
  const dryRun = isDryRun(state)
  const { total, created, updated, unchanged, rejected, missing } = counts
  const parts = [
    `${created} created`,
    `${updated} updated`,
    `${unchanged} unchanged`,
    `${rejected} rejected`,
    ...(missing > 0 ? [`${missing} missing from the file`] : []),
  ]
  const next =
    dryRun && status === 'completed' ? ` Apply it with "caseport imports release ${importId}".` : ''
  const kind = dryRun ? 'Dry run' : 'Import'
  const isWhole = dryRun || ['checking', 'running', 'completed'].includes(status)
  // What the check found is not what was done.
  const found = isWhole
    ? `${total} rows, ${parts.join(', ')}.`
    : `${progress.applied} of ${total} rows were applied. The check found ${parts.join(', ')}.`
  return `${kind} ${importId} is ${status}: ${found}${next}`
}

const fieldsOf = ({ problem }: Import) =>
  (problem?.errors ?? []).map(({ pointer, detail }) => ` ${pointer}: ${detail}`).join('')

function heldError(state: Import): CommandError {
  const { importId, progress } = state
  const done = progress.applied > 0 ? `${progress.applied} rows were applied before.` : 'Nothing was changed.'
  return new CommandError(
    `The import is held: ${reasonsOf(state)} ${done} Run "caseport imports release ${importId}" if this is right, or "caseport imports cancel ${importId}".`,
  )
}

function reasonsOf({ held }: Import): string {
  const reasons = (held?.reasons ?? []).map(({ detail, samples }) => {
    const numbers = samples.map(({ employeeNumber }) => employeeNumber).join(', ')
    return `${detail} For example: ${numbers}.`
  })
  return reasons.join(' ')
}
