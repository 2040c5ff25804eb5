// Sends the nightly file of an HR system: node nightly-sync.ts people.csv
//
// Needs the scope applicants:write. Running it twice in a night is harmless: the same file on the same day is one import, unless that
// failed or was cancelled, and rows that are stored already change nothing. The exit code is 0 if all rows are stored, 3 if some are
// rejected (they are in people.csv.rejected.ndjson), and 1 if the import did not complete, or cannot be followed. What was applied then
// stays applied: the output says how many rows, or `caseport imports get`.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createImports, type Import, type ImportRow } from '@caseport/sdk/imports'
import { fileFromPath } from '@caseport/sdk/node'
import { connect, log } from './connect.ts'

const [path] = process.argv.slice(2)
if (!path) throw new Error('Which file? node nightly-sync.ts people.csv')

const hash = createHash('sha256')
for await (const chunk of createReadStream(path)) hash.update(chunk)
const today = new Date().toISOString().slice(0, 10)
const key = `nightly-${today}-${hash.digest('hex')}`

const imports = createImports(connect())
const { importId, createdAt } = await send(path)
// An earlier time is that of the run before: what it did not store is sent with the file of tomorrow.
log(`import ${importId} was made at ${createdAt}; the same file is one import a day`)
const { status, counts, progress, held, problem } = await imports.finish(importId)
log(`import ${importId} is ${status}: ${JSON.stringify(counts)}`)

if (status === 'held') {
  // An export that lost a column would clear it for all people. A person decides: in the console, or with
  // `caseport imports release`.
  for (const { detail } of held?.reasons ?? []) log(detail)
  log(`${progress.applied} rows were applied`)
  process.exitCode = 1
} else if (status !== 'completed') {
  if (problem) log(problem.detail)
  log(`${progress.applied} rows were applied`)
  process.exitCode = 1
} else if (counts.rejected > 0) {
  const rejected: ImportRow[] = await imports.rows(importId, { outcome: 'rejected' }).toArray()
  await writeFile(`${path}.rejected.ndjson`, rejected.map(row => `${JSON.stringify(row)}\n`).join(''))
  process.exitCode = 3
}

/** Sends the file, or returns the import of an earlier run with it. */
async function send(path: string): Promise<Import> {
  const contentType = path.endsWith('.csv') ? 'text/csv' : 'application/x-ndjson'
  const file = await fileFromPath(path)
  const ended = [...(await latest('failed')), ...(await latest('cancelled'))]
  for (let attempt = 1; ; attempt++) {
    const idempotencyKey = `${key}-${attempt}`
    // The file has everybody, so that people who have left are reported. None of them is changed.
    const sent = await imports.create(
      { file, contentType, mode: 'replace', complete: true },
      { idempotencyKey },
    )
    // The key of an import that has ended would return that import for a day.
    if (!ended.includes(sent.importId)) return sent
  }
}

async function latest(status: 'failed' | 'cancelled'): Promise<string[]> {
  const { records } = await imports.list({ status, maxRecords: 100 }).first()
  return records.map(({ importId }) => importId)
}
