import assert from 'node:assert/strict'
import { it } from 'node:test'
import { csvLine, separatorOf } from '../src/list/csv.ts'

it('A line has the separator that spreadsheets of the language expect', () => {
  assert.deepEqual([separatorOf('en'), separatorOf('de')], [',', ';'])
  assert.equal(csvLine(['a', 1, null, 'b;c', 'd,e', 'f"g']), 'a,1,,"b;c","d,e","f""g"\r\n')
  assert.equal(csvLine(['a', 1], ';'), 'a;1\r\n')
})

it('A text is not run as a formula', () => assert.equal(csvLine(['=1+1', -1]), "'=1+1,-1\r\n"))
