import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, describe, it, mock } from 'node:test'
import { spool } from '../../src/documents/spool.ts'
import { Problem } from '../../src/lib/problem.ts'
import { noRoom, replaceWrite } from '../support/file-writes.ts'

const folder = mkdtempSync(join(tmpdir(), 'caseport-spool-'))
after(() => rmSync(folder, { recursive: true, force: true }))

async function* chunksOf(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 70_000) yield bytes.subarray(at, at + 70_000)
}

describe('a spooled file', () => {
  it('is read back unchanged, and has no name in its directory', async () => {
    const bytes = randomBytes(1_000_000)
    const spooled = await spool(chunksOf(bytes), folder)
    assert.deepEqual(readdirSync(folder), [])
    assert.equal(spooled.size, bytes.length)
    assert.ok(Buffer.concat(await Array.fromAsync(spooled.content())).equals(bytes))
    await spooled.close()
  })

  it('removes the files of a crashed service, not recent ones', async () => {
    for (const name of ['old', 'new']) writeFileSync(join(folder, name), '')
    const before = new Date(Date.now() - 61_000)
    utimesSync(join(folder, 'old'), before, before)
    await (await spool(chunksOf(Buffer.from('x')), folder)).close()
    assert.deepEqual(readdirSync(folder), ['new'])
  })
})

describe('the spool on a disk that is nearly full', () => {
  afterEach(() => mock.restoreAll())

  it('writes the whole file after short writes', async () => {
    await replaceWrite(
      write =>
        function (this: FileHandle, bytes: Buffer, offset: number, length: number, position: number) {
          return Reflect.apply(write, this, [bytes, offset, Math.ceil(length / 3), position])
        } as never,
    )
    const bytes = randomBytes(300_000)
    const spooled = await spool(chunksOf(Buffer.from(bytes)), folder)
    assert.equal(spooled.size, bytes.length)
    assert.ok(Buffer.concat(await Array.fromAsync(spooled.content())).equals(bytes))
    await spooled.close()
  })

  it('fails with storage-full', async () => {
    await replaceWrite(() => noRoom)
    await assert.rejects(
      spool(chunksOf(randomBytes(1_000)), folder),
      error => error instanceof Problem && error.kind.code === 'storage-full',
    )
  })
})
