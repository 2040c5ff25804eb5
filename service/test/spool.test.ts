import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { spool } from '../src/documents/spool.ts'

const folder = mkdtempSync(join(tmpdir(), 'caseport-spool-'))
after(() => rmSync(folder, { recursive: true, force: true }))

async function* chunksOf(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 70_000) yield bytes.subarray(at, at + 70_000)
}

describe('a file that waits for its country', () => {
  it('comes back as it was, and has no name meanwhile', async () => {
    const bytes = randomBytes(1_000_000)
    const spooled = await spool(chunksOf(bytes), folder)
    assert.deepEqual(readdirSync(folder), [])
    assert.equal(spooled.size, bytes.length)
    assert.ok(Buffer.concat(await Array.fromAsync(spooled.content())).equals(bytes))
    await spooled.close()
  })

  it('clears away the names that a service left which died, not those of one that lives', async () => {
    for (const name of ['old', 'new']) writeFileSync(join(folder, name), '')
    const before = new Date(Date.now() - 61_000)
    utimesSync(join(folder, 'old'), before, before)
    await (await spool(chunksOf(Buffer.from('x')), folder)).close()
    assert.deepEqual(readdirSync(folder), ['new'])
  })
})
