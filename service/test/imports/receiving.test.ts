// Receives bodies of imports chunk by chunk: requests are served in between, whatever the file consists of.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { FileError } from '../../src/imports/file-error.ts'
import type { ImportFormat } from '../../src/imports/import.ts'
import { type Batch, receive } from '../../src/imports/receiving.ts'

/** Receives a body in a single chunk, and counts the pauses of a service that is always due for one. */
async function received(
  text: string,
  { format = 'csv', gzip = false }: { format?: ImportFormat; gzip?: boolean } = {},
) {
  const body = gzip ? gzipSync(text) : Buffer.from(text)
  const batches: Batch[] = []
  let pauses = 0
  const result = receive({
    content: Readable.from([body], { objectMode: false }),
    gzip,
    format,
    maxBytes: 2 ** 30,
    pauses: {
      areDue: () => true,
      pause: async () => {
        pauses += 1
      },
    },
    stage: async batch => {
      batches.push(batch)
    },
  })
  const error = await result.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return { error, pauses, rows: batches.flatMap(({ rows }) => rows) }
}

const MEBIBYTE = 1024 * 1024
const HEADER = 'employeeNumber,firstName\n'

describe('a body of an import', () => {
  it('is parsed with a pause every few KiB, also where it has no rows', async () => {
    const bodies: [string, ImportFormat][] = [
      [`${HEADER}${'\n'.repeat(MEBIBYTE)}`, 'csv'],
      [`${HEADER}"${'\n'.repeat(MEBIBYTE - 100)}"`, 'csv'],
      ['\n'.repeat(MEBIBYTE), 'ndjson'],
      ['x'.repeat(MEBIBYTE), 'ndjson'],
    ]
    for (const [text, format] of bodies)
      for (const gzip of [false, true]) {
        const { pauses } = await received(text, { format, gzip })
        assert.ok(pauses >= 64, `${pauses} pauses in ${format} ${JSON.stringify(text.slice(25, 30))}`)
      }
  })

  it('is parsed with a pause between rows, also where they are left out', async () => {
    const { pauses } = await received(`${HEADER}${',\n'.repeat(10_000)}`)
    assert.ok(pauses >= 10_000, String(pauses))
  })

  it('is rejected at a row of countless cells', async () => {
    const { error, pauses } = await received(`${HEADER}${','.repeat(20 * MEBIBYTE)}`, { gzip: true })
    assert.ok(error instanceof FileError)
    assert.match(error.message, /a row of more than 1048576 bytes near line 2/)
    assert.ok(pauses < 100, `${pauses} of 1280 chunks were read`)
  })

  it('has a rejected row where there are more cells than a spreadsheet has', async () => {
    const { rows } = await received(`${HEADER}E-1,Anna\nE-2${',x'.repeat(20_000)}\nE-3,Carl\n`)
    assert.deepEqual(
      rows.map(({ employeeNumber, problem }) => [employeeNumber, problem?.detail]),
      [
        ['E-1', undefined],
        ['E-2', 'The row has more than 16384 cells, and the header has 2 columns.'],
        ['E-3', undefined],
      ],
    )
  })
})
