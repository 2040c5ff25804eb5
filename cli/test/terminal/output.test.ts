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

/** Escape, C1 control, override of the direction of text. */
const HOSTILE = 'a\u001b[31mb\u009b31mc\u202ed\u007f'
const CONTROL = /[^\P{C}\n]/u

describe('text of others', () => {
  const written = async (
    stdout: ReturnType<typeof terminal> | PassThrough,
    write: (output: ReturnType<typeof createOutput>) => Promise<void>,
    json = true,
  ) => {
    await write(createOutput({ stdout, stderr: terminal(80), json }))
    stdout.end()
    return text(stdout)
  }

  it('does not control a terminal that gets JSON, and is the same JSON', async () => {
    const record = { name: HOSTILE, [HOSTILE]: 'x' }
    for (const write of [
      (output: ReturnType<typeof createOutput>) => output.record(record),
      (output: ReturnType<typeof createOutput>) => output.list([record]),
      (output: ReturnType<typeof createOutput>) => output.write(`${JSON.stringify(record, null, 2)}\n`),
    ]) {
      const shown = await written(terminal(80), write)
      assert.doesNotMatch(shown, CONTROL)
      assert.deepEqual(JSON.parse(shown), record)
    }
  })

  it('does not control a terminal that gets a record with such a name of a field', async () => {
    const shown = await written(terminal(80), output => output.record({ [HOSTILE]: 'x' }), false)
    assert.doesNotMatch(shown, CONTROL)
  })

  it('does not control a terminal that gets a text file, whose lines and letters stay', async () => {
    const bytes = Buffer.from(`Łódź\t1\r\n${HOSTILE}\rover\n`)
    // A letter and the end of a line are cut in two.
    const chunks = async function* () {
      for (const byte of bytes) yield Uint8Array.of(byte)
    }
    for (const json of [true, false]) {
      const shown = await written(terminal(80), output => output.bytes(chunks()), json)
      assert.doesNotMatch(shown.replaceAll('\t', ''), CONTROL)
      assert.match(shown, /^Łódź\t1\\u000d\na\\u001b\[31mb\\u009b31mc\\u202ed\\u007f\\u000dover\n$/)
    }
    const shown = await written(terminal(80), output => output.bytes([bytes] as never))
    assert.match(shown, /^Łódź\t1\r\na/)
  })

  it('does not control a terminal that gets a note', async () => {
    const stderr = terminal(80)
    createOutput({ stdout: terminal(80), stderr, json: false }).note(`${HOSTILE}\nnext`)
    stderr.end()
    assert.doesNotMatch(await text(stderr), CONTROL)
  })

  it('of a binary file is refused by a terminal, also with --json', async () => {
    const output = createOutput({ stdout: terminal(80), stderr: terminal(80), json: true })
    await assert.rejects(output.bytes([Buffer.from('PK\0')] as never), /Redirect it/)
  })

  it('is written to a pipe as it is', async () => {
    const bytes = Buffer.from([0, 0x1b, 0x9b, 0xff])
    const stdout = new PassThrough()
    await createOutput({ stdout, stderr: terminal(80), json: false }).bytes([bytes] as never)
    assert.deepEqual(stdout.read(), bytes)
    const line = await written(new PassThrough(), output => output.record({ name: HOSTILE }), false)
    assert.equal(line, `${JSON.stringify({ name: HOSTILE })}\n`)
  })
})
