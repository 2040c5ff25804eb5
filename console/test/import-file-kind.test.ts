import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { kindOf, sizeText } from '../src/screens/imports/file-kind.ts'

const file = (name: string, content: string | Uint8Array<ArrayBuffer>) => new File([content], name)

describe('kindOf', () => {
  it('takes a file with a header for CSV', async () =>
    assert.deepEqual(await kindOf(file('people.csv', 'employeeNumber,lastName\n')), {
      format: 'csv',
      gzip: false,
    }))
  it('takes a file whose first line is an object for NDJSON, whatever its name is', async () =>
    assert.deepEqual(await kindOf(file('people.txt', '\uFEFF {"primaryApplicant":{}}')), {
      format: 'ndjson',
      gzip: false,
    }))
  it('knows compressed files by their first bytes, and their format by the name', async () => {
    const packed = new Uint8Array(gzipSync('{}'))
    assert.deepEqual(await kindOf(file('people.ndjson.gz', packed)), { format: 'ndjson', gzip: true })
    assert.deepEqual(await kindOf(file('people.csv.gz', packed)), { format: 'csv', gzip: true })
  })
  it('rejects an empty file and a spreadsheet', async () => {
    assert.equal((await kindOf(file('people.csv', ''))).error, 'imports.empty')
    const zip = new Uint8Array([0x50, 0x4b, 0x03, 0x04, 0])
    assert.equal((await kindOf(file('people.xlsx', zip))).error, 'imports.isSpreadsheet')
  })
})

describe('sizeText', () => {
  it('chooses the unit', () => {
    assert.equal(sizeText(0, 'en'), '0 bytes')
    assert.equal(sizeText(1_500, 'en'), '1.5 kB')
    assert.equal(sizeText(2_000_000_000, 'en'), '2 GB')
  })
})
