// The parsers of import files: text, NDJSON and CSV, however the bytes are cut into chunks.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { delimiterOf, MAX_CELLS, readCsv } from '../../src/imports/csv.ts'
import { columnsOf, personOf } from '../../src/imports/csv-columns.ts'
import { FileError } from '../../src/imports/file-error.ts'
import { readLines } from '../../src/imports/ndjson.ts'
import { readText } from '../../src/imports/text-chunks.ts'

async function* chunksOf(bytes: Uint8Array, sizes: number[]): AsyncGenerator<Uint8Array> {
  let start = 0
  for (const size of sizes) {
    if (start >= bytes.length) return
    yield bytes.subarray(start, start + size)
    start += size
  }
  if (start < bytes.length) yield bytes.subarray(start)
}
async function* one<T>(...values: T[]): AsyncGenerator<T> {
  yield* values
}
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 40 })
const unicode = fc.string({ unit: 'grapheme' })

const fileError = (detail: RegExp) => (error: unknown) => {
  assert.ok(error instanceof FileError, String(error))
  assert.match(error.message, detail)
  return true
}

describe('readText', () => {
  it('returns the text however its bytes are cut, without the byte order mark', async () => {
    await fc.assert(
      fc.asyncProperty(unicode, sizes, fc.boolean(), async (text, cuts, hasMark) => {
        const bytes = Buffer.from(`${hasMark ? '\ufeff' : ''}${text}`)
        const parts = await Array.fromAsync(readText(chunksOf(bytes, cuts)))
        assert.equal(parts.join(''), text.replace(/^\ufeff/, hasMark ? '\ufeff' : ''))
      }),
    )
  })

  it('names the line of bytes that are no UTF-8', async () => {
    for (const cuts of [[], [3], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]]) {
      const bytes = Buffer.from('a\nä\nM\xfcller\nb\n', 'latin1')
      bytes[2] = 0x61
      await assert.rejects(Array.fromAsync(readText(chunksOf(bytes, cuts))), fileError(/line 3/))
    }
    await assert.rejects(Array.fromAsync(readText(one(Buffer.from([0x61, 0x0a, 0xc3])))), fileError(/line 2/))
  })
})

describe('readLines', () => {
  const lines = async (texts: string[], maxBytes = 1_000) =>
    (await Array.fromAsync(readLines(one(...texts), maxBytes))).flat()

  it('returns the lines with their numbers, without empty ones', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.json({ maxDepth: 2 })),
        sizes,
        fc.boolean(),
        async (values, cuts, ends) => {
          const text = values.map(value => value.replaceAll('\n', ' ')).join('\n\n') + (ends ? '\n' : '')
          const cut = await Array.fromAsync(chunksOf(Buffer.from(text), cuts))
          const decoded = await Array.fromAsync(readText(one(...cut)))
          const found = await lines(decoded, 100_000)
          assert.deepEqual(
            found.map(({ text }) => text),
            values.map(value => value.replaceAll('\n', ' ')),
          )
          assert.deepEqual(
            found.map(({ row }) => row),
            values.map((_, index) => index * 2 + 1),
          )
        },
      ),
    )
  })

  it('keeps no line that is too long, and goes on after it', async () => {
    const long = 'x'.repeat(30)
    const found = await lines(['{}\n"', long, long, '"\n{"a":1}\n', `"${long}"\n`, '"ü"\n'], 20)
    assert.deepEqual(found, [
      { row: 1, text: '{}' },
      { row: 2, text: undefined },
      { row: 3, text: '{"a":1}' },
      { row: 4, text: undefined },
      { row: 5, text: '"ü"' },
    ])
    assert.deepEqual(await lines([`"${'ü'.repeat(10)}"\n`], 20), [{ row: 1, text: undefined }])
  })

  it('drops the byte order marks of files that were joined', async () => {
    assert.deepEqual(await lines(['{"a":1}\n', '\ufeff{"a":2}\n\ufeff\n']), [
      { row: 1, text: '{"a":1}' },
      { row: 2, text: '{"a":2}' },
    ])
  })

  it('rejects a file that ends in the middle of a line', async () => {
    await assert.rejects(lines(['{"a":1}\n{"a"']), fileError(/line 2/))
    assert.deepEqual(await lines(['{"a":1}\n{"a":2}']), [
      { row: 1, text: '{"a":1}' },
      { row: 2, text: '{"a":2}' },
    ])
  })
})

describe('readCsv', () => {
  const rowsOf = async (texts: string[], maxBytes = 10_000) => {
    const { columns, rows } = await readCsv(one(...texts), { maxBytes })
    return { columns, rows: (await Array.fromAsync(rows)).map(({ cells }) => cells) }
  }
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`

  it('returns the cells of any text, delimiter and line end, however the text is cut', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'ä', '"', ',', ';', '\t', '\n', '\r', ' ', '') })
    const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.constantFrom(',', ';', '\t'),
        fc.constantFrom('\n', '\r\n'),
        sizes,
        async (rows, delimiter, end, cuts) => {
          const header = ['employeeNumber', 'firstName', 'lastName'].join(delimiter)
          const text = [header, ...rows.map(cells => cells.map(quoted).join(delimiter))].join(end)
          const cut = await Array.fromAsync(chunksOf(Buffer.from(text), cuts))
          const decoded = await Array.fromAsync(readText(one(...cut)))
          assert.deepEqual((await rowsOf(decoded)).rows, rows)
        },
      ),
    )
  })

  it('accepts a header and rows that end in different ways', async () => {
    const ends = ['\n', '\r\n', '\r']
    for (const first of ends)
      for (const other of ends)
        assert.deepEqual(
          (await rowsOf([`employeeNumber,lastName${first}E-1,Schmidt${other}E-2,"Weber"${other}`])).rows,
          [
            ['E-1', 'Schmidt'],
            ['E-2', 'Weber'],
          ],
        )
  })

  it('finds the delimiter in the first line that is not empty', async () => {
    for (const texts of [
      ['\nemployeeNumber;lastName\nE-1;Schmidt\n'],
      ['\r\n', '\r\nemployeeNumber;lastName\n', 'E-1;Schmidt'],
    ])
      assert.deepEqual((await rowsOf(texts)).rows, [['E-1', 'Schmidt']])
  })

  it('chooses the delimiter outside quotes', () => {
    assert.equal(delimiterOf('a;b,c;d\n1,2,3,4,5'), ';')
    assert.equal(delimiterOf('"a;b;c",d\n'), ',')
    assert.equal(delimiterOf('a\tb'), '\t')
    assert.equal(delimiterOf('a'), ',')
  })

  it('rejects a quote that is not closed, a row that is too long, and an empty file', async () => {
    await assert.rejects(rowsOf(['employeeNumber\n"a\n']), fileError(/quote/))
    await assert.rejects(
      rowsOf([`employeeNumber\n${'x'.repeat(200)}\n`], 100),
      fileError(/more than 100 bytes/),
    )
    await assert.rejects(rowsOf([`employeeNumber\na"b"\n`]), fileError(/quote/))
    await assert.rejects(rowsOf(['']), fileError(/empty/))
  })

  it('rejects a row of countless cells after a few chunks', async () => {
    for (const cell of [',', '"",', 'x,']) {
      let read = 0
      async function* endless(): AsyncGenerator<string> {
        yield 'employeeNumber,firstName\n'
        for (; read < 200; read++) yield cell.repeat(16_384)
      }
      const readAll = async () => Array.fromAsync((await readCsv(endless(), { maxBytes: 100_000 })).rows)
      await assert.rejects(
        readAll(),
        fileError(/more than 100000 bytes near line 2|quote within a cell/),
        cell,
      )
      assert.ok(read < 20, `${read} chunks of ${cell}`)
    }
  })

  it('returns all cells of a row as wide as a spreadsheet, and more as one', async () => {
    const cells = Array.from({ length: MAX_CELLS }, (_, index) => String(index % 10))
    const { rows } = await rowsOf([`employeeNumber\n${cells.join()}\n${cells.join()},a,b\n`], 100_000)
    assert.deepEqual(rows, [cells, [...cells, 'a,b']])
  })

  it('passes an error of its source on', async () => {
    async function* broken(): AsyncGenerator<string> {
      yield 'employeeNumber\n1\n'
      throw new Error('cut off')
    }
    const readAll = async () => Array.fromAsync((await readCsv(broken(), { maxBytes: 100 })).rows)
    await assert.rejects(readAll(), /cut off/)
  })
})

describe('columnsOf', () => {
  const errorsOf = (header: string[]) => {
    try {
      columnsOf(header)
      return []
    } catch (error) {
      return (error as FileError).errors?.map(({ pointer, detail }) => `${pointer} ${detail}`) ?? []
    }
  }

  it('lists all unknown columns, with the name that was meant', () => {
    assert.deepEqual(
      errorsOf(['employeeNumber', 'lastNmae', 'passports[0].nubmer', 'xyzzy', 'passports[0]', '']),
      [
        '/lastNmae Column 2: there is no lastNmae here. Did you mean lastName?',
        '/passports[0].nubmer Column 3: there is no passports[0].nubmer here. Leave it out.',
        '/xyzzy Column 4: there is no xyzzy here. Leave it out.',
        '/passports[0] Column 5: there is no passports[0] here. Leave it out.',
        '/ Column 6: it has no name.',
      ],
    )
  })

  it('lists a missing employee number beside unknown columns', () => {
    assert.deepEqual(errorsOf(['Personalnummer', 'lastName']), [
      '/Personalnummer Column 1: there is no Personalnummer here. Leave it out.',
      '/employeeNumber Required, but missing: people are matched by this column.',
    ])
  })

  it('suggests metaData for another spelling of it', () => {
    assert.deepEqual(errorsOf(['employeeNumber', 'metadata.costCentre', 'documents.name']), [
      '/metadata.costCentre Column 2: there is no metadata.costCentre here. Did you mean metaData.costCentre?',
      '/documents.name Column 3: there is no documents.name here. Leave it out.',
    ])
  })

  it('names the encoding where the header is UTF-16', () => {
    const utf16 = Buffer.from('employeeNumber', 'utf16le').toString('latin1')
    assert.throws(() => columnsOf([utf16]), fileError(/Save the file as UTF-8/))
  })

  it('cuts a long name between characters', () => {
    const [error = ''] = errorsOf(['employeeNumber', `${'x'.repeat(99)}😀`])
    assert.ok(error.isWellFormed(), error)
  })

  it('accepts what a read returns', () => {
    assert.deepEqual(
      errorsOf(['employeeNumber', 'createdAt', 'applicantId', 'metaData[0].tagName', 'metaData.a b']),
      [],
    )
  })
})

describe('personOf', () => {
  it('makes the JSON of a person, without empty cells', () => {
    const columns = columnsOf([
      'employeeNumber',
      'firstName',
      'passports[1].passportNumber',
      'passports[0].country',
      'metaData.cost',
      'metaData.site',
      'documents[0].remindAboutRenewal',
      'primaryEmployeeNumber',
    ])
    assert.deepEqual(personOf(columns, ['E1', '', 'B', 'DE', '1', '', 'No', '']), {
      person: {
        employeeNumber: 'E1',
        passports: [{ country: 'DE' }, { passportNumber: 'B' }],
        documents: [{ remindAboutRenewal: false }],
        metaData: [{ tagName: 'cost', value: '1' }],
      },
      primaryNumber: undefined,
    })
    assert.equal(personOf(columns, ['', '', '', '', '', '', '', 'E1']).primaryNumber, 'E1')
  })
})
