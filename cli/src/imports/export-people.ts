// Writes all people at one moment, a family in each line. A file appears when it is complete.
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createExport } from '@caseport/sdk/changes'
import type { Cli } from '../cli.ts'
import { storeCursor } from '../cursor-file.ts'
import { folderError, naming } from '../exit-codes.ts'
import { isFolder } from '../options.ts'
import type { Column } from '../terminal/table.ts'

interface Family {
  primaryApplicant?: Person
  dependents?: Person[]
}

interface Person {
  applicantId?: string
  employeeNumber?: string | null
  firstName?: string | null
  lastName?: string | null
  sendingCompany?: string | null
}

const personOf = (record: Family & Person): Person => record.primaryApplicant ?? record

const COLUMNS: Column<Family & Person>[] = [
  { title: 'NUMBER', value: record => personOf(record).employeeNumber },
  { title: 'LAST NAME', value: record => personOf(record).lastName },
  { title: 'FIRST NAME', value: record => personOf(record).firstName },
  { title: 'COMPANY', value: record => personOf(record).sendingCompany },
  { title: 'DEPENDENTS', value: ({ dependents }) => dependents?.length },
  { title: 'ID', value: record => personOf(record).applicantId, isId: true },
]

export async function exportPeople(
  cli: Cli,
  path: string,
  { cursorFile }: { cursorFile?: string },
): Promise<void> {
  const { signal } = cli
  if (path !== '-' && (await isFolder(path))) throw folderError(path)
  const all = createExport<Family & Person>(await cli.connect(), 'applicants', { signal })
  if (path === '-') await cli.output.list(all, COLUMNS)
  else await writeRecords(cli, path, all)
  if (cursorFile && all.cursor) await storeCursor(cursorFile, all.cursor)
  else cli.output.note(`Changes since then: caseport changes tail --after ${all.cursor}`)
}

async function writeRecords(cli: Cli, path: string, records: AsyncIterable<unknown>): Promise<void> {
  const part = `${path}.part`
  const bar = cli.bar('exporting', 'rows')
  let loaded = 0
  try {
    await pipeline(async function* () {
      for await (const record of records) {
        yield `${JSON.stringify(record)}\n`
        loaded += 1
        bar.update({ loaded, total: undefined })
      }
    }, createWriteStream(part))
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    naming(path)(error)
  } finally {
    bar.clear()
  }
  cli.output.note(`${path} has ${loaded} ${loaded === 1 ? 'family' : 'families'}.`)
}
