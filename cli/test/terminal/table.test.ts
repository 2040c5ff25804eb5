import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { amountOf, barLine } from '../../src/terminal/progress.ts'
import {
  cellOf,
  columnsOf,
  fitWidths,
  lineOf,
  linesOfRecord,
  truncate,
  widthOf,
} from '../../src/terminal/table.ts'

describe('widthOf', () => {
  it('counts columns of the terminal', () => {
    for (const [text, width] of [
      ['', 0],
      ['Łukasz', 6],
      ['e\u0301', 1],
      ['山田', 4],
      ['👩', 2],
      ['（株）', 6],
      ['「山」、', 8],
      ['ＡＢ１', 6],
      ['ｶﾀｶﾅ', 4],
      ['カ\u3099', 2],
      ['한', 2],
      ['\u1112\u1161\u11ab', 2],
      ['𠮷', 2],
    ] as const)
      assert.equal(widthOf(text), width, text)
  })
})

describe('truncate', () => {
  it('never takes more than the width, and shows that it has cut', () => {
    for (const text of ['abcdefghij', '山田太郎山田太郎', 'a山b田c太d郎'])
      for (let width = 2; width < 20; width++) {
        const result = truncate(text, width)
        assert.ok(widthOf(result) <= width, `${result} in ${width}`)
        assert.equal(result.endsWith('…'), widthOf(text) > width)
      }
  })
})

describe('fitWidths', () => {
  it('fits every terminal that has room for the least widths, and cuts the widest columns first', () => {
    const rows = [['E-1', 'x'.repeat(90), 'y'.repeat(40)]]
    const titles = ['NUMBER', 'NAME', 'STEP']
    for (let terminal = 20; terminal < 160; terminal++) {
      const widths = fitWidths(rows, titles, { terminal })
      for (const row of [titles, ...rows]) assert.ok(widthOf(lineOf(row, widths)) <= terminal, `${terminal}`)
    }
    assert.deepEqual(fitWidths(rows, titles, { terminal: 100 }), [6, 50, 40])
    assert.deepEqual(fitWidths(rows, titles, { terminal: 200 }), [6, 90, 40])
    assert.deepEqual(fitWidths([], titles, { terminal: 5 }), [4, 4, 4])
  })

  it('cuts ids after everything else', () => {
    const rows = [['i'.repeat(24), 'x'.repeat(30), 'y'.repeat(20)]]
    const fit = (terminal: number) =>
      fitWidths(rows, ['ID', 'NAME', 'STEP'], { terminal, kept: [true, false, false] })
    assert.deepEqual(fit(60), [24, 16, 16])
    assert.deepEqual(fit(36), [24, 4, 4])
    assert.deepEqual(fit(30), [18, 4, 4])
  })
})

describe('columnsOf', () => {
  it('takes the plain fields of a record, as many as the terminal has room for', () => {
    const record = { id: 'a', list: [1], own: {}, none: null, count: 2, last: true }
    const titles = (terminal: number) => columnsOf(record, terminal).map(({ title }) => title)
    assert.deepEqual(titles(100), ['id', 'none', 'count', 'last'])
    assert.deepEqual(titles(30), ['id', 'none'])
    assert.deepEqual(titles(5), ['id'])
    assert.equal(columnsOf(record, 100)[2]?.value({ count: 3 }), 3)
    assert.equal(columnsOf('text', 100)[0]?.value('other'), 'other')
  })
})

describe('cellOf', () => {
  it('removes what controls the terminal', () => {
    assert.equal(cellOf('a\u001b[2Jb\nc\u202ed'), 'a [2Jb c d')
    assert.equal(cellOf(['x', null, 1]), 'x, , 1')
    assert.equal(cellOf(null), '')
  })
})

describe('linesOfRecord', () => {
  it('indents nested records and leaves out what is empty', () => {
    const record = {
      name: 'Anna',
      email: null,
      tags: ['a', 'b'],
      list: [{ id: 1, no: '' }, { id: 2 }],
      own: { x: 1 },
    }
    assert.deepEqual(linesOfRecord(record), [
      'name  Anna',
      'tags  a, b',
      'list',
      '  - id  1',
      '  - id  2',
      'own',
      '    x  1',
    ])
  })
})

describe('barLine', () => {
  it('shows share and amounts', () => {
    assert.equal(
      barLine('permit.pdf', { loaded: 512 * 1024, total: 2 ** 20 }, 'bytes'),
      'permit.pdf ████████████░░░░░░░░░░░░  50% 512.0 KiB of 1.0 MiB',
    )
    assert.equal(barLine('rows', { loaded: 1200, total: undefined }, 'rows'), 'rows 1,200')
    assert.match(barLine('none', { loaded: 0, total: 0 }, 'rows'), /100%/)
  })

  it('has units up to GiB', () => {
    assert.deepEqual(
      [0, 1023, 1024, 2 ** 30, 2 ** 40].map(bytes => amountOf(bytes, 'bytes')),
      ['0 B', '1023 B', '1.0 KiB', '1.0 GiB', '1024.0 GiB'],
    )
  })
})
