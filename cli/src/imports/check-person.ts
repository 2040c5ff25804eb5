// The dry run of one person: an import of one row, which the service checks and does not apply.
import { createImports } from '@caseport/sdk/imports'
import type { Cli } from '../cli.ts'
import { CommandError } from '../exit-codes.ts'

interface Person {
  number: string
  body: Record<string, unknown>
  mode: 'replace' | 'merge'
}

export async function checkPerson(cli: Cli, { number, body, mode }: Person): Promise<void> {
  const given = body['primaryApplicant'] as { employeeNumber?: unknown } | undefined
  // A row of an import has no path, so that the service cannot compare the two.
  if (![undefined, null, number].includes(given?.employeeNumber as string))
    throw new CommandError(
      `invalid-request: One field is invalid. /primaryApplicant/employeeNumber: Must be ${number}, or left out.`,
    )
  const imports = createImports(await cli.connect())
  const { signal } = cli
  const primaryApplicant = { ...given, employeeNumber: number }
  const file = Buffer.from(`${JSON.stringify({ ...body, primaryApplicant })}\n`)
  const contentType = 'application/x-ndjson'
  const { importId } = await imports.create({ file, contentType, mode, dryRun: true }, { signal })
  const { status, problem } = await imports.finish(importId, { signal })
  if (problem) throw new CommandError(`${problem.code}: ${problem.detail}`)
  const [row] = (await imports.rows(importId, {}, { signal }).first()).records
  // Nothing is left to be released by mistake.
  if (status === 'completed') await imports.cancel(importId, { signal })
  if (!row) throw new CommandError(`The check of the row is ${status}.`)
  const { employeeNumber, applicantId, outcome, changed } = row
  if (row.problem) {
    const fields = (row.problem.errors ?? []).map(({ pointer, detail }) => ` ${pointer}: ${detail}`)
    throw new CommandError(`${row.problem.code}: ${row.problem.detail}${fields.join('')}`)
  }
  await cli.output.record({ dryRun: true, employeeNumber, applicantId, outcome, changed })
}
