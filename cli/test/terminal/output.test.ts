import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { createOutput } from '../../src/terminal/output.ts'
import { createBar } from '../../src/terminal/progress.ts'

const terminal = (columns: number) => Object.assign(new PassThrough(), { isTTY: true, columns })

describe('a terminal that says it has 0 columns', () => {
  it('gets tables as one of 80 columns does', async () => {
    const tableAt = async (columns: number) => {
      const stdout = terminal(columns)
      const output = createOutput({ stdout, stderr: terminal(columns), json: false })
      await output.list([{ name: 'Company '.repeat(20), code: 'C-1' }])
      stdout.end()
      return text(stdout)
    }
    assert.equal(await tableAt(0), await tableAt(80))
    assert.match(await tableAt(0), /Company Company .* C-1/)
  })

  it('gets progress bars as one of 80 columns does', async () => {
    const barAt = async (columns: number) => {
      const stderr = terminal(columns)
      createBar({ stderr, label: 'sending', unit: 'bytes' }).update({ loaded: 5, total: 5 })
      stderr.end()
      return text(stderr)
    }
    assert.equal(await barAt(0), await barAt(80))
  })
})
