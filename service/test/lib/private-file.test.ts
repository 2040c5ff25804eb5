import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, it } from 'node:test'
import { readPrivateJson, writePrivateJson } from '../../src/lib/private-file.ts'
import { StartError } from '../../src/lib/problem.ts'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const isRoot = process.getuid?.() === 0
const REMEDY = 'Remove it.'
const failsWith = (message: RegExp) => (error: unknown) =>
  error instanceof StartError && message.test(error.message)

describe('a private file', () => {
  let folder = ''
  let path = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'caseport-private-'))
    folders.push(folder)
    path = join(folder, 'credentials.json')
  })

  it('belongs to the owner of its folder, who alone may read it', () => {
    const [owner, group] = isRoot ? [1234, 4321] : [process.getuid?.(), process.getgid?.()]
    if (isRoot) chownSync(folder, 1234, 4321)
    for (const content of [{ a: 1 }, { b: 2 }]) {
      writePrivateJson(path, content)
      const { uid, gid, mode } = statSync(path)
      assert.deepEqual([uid, gid, mode & 0o777], [owner, group, 0o600])
      assert.deepEqual(readPrivateJson(path, REMEDY), content)
    }
  })

  it('is not written through a symbolic link', () => {
    const other = join(folder, 'other')
    writeFileSync(other, 'kept')
    symlinkSync(other, `${path}.new`)
    writePrivateJson(path, {})
    assert.equal(statSync(other).size, 4)
    assert.deepEqual(readPrivateJson(path, REMEDY), {})
  })

  it('that may not be read must be kept; one that is damaged has its remedy', () => {
    writePrivateJson(path, {})
    chmodSync(path, 0)
    if (isRoot) chmodSync(folder, 0o755)
    // Root may read everything.
    if (isRoot) process.seteuid?.(1234)
    try {
      assert.throws(
        () => readPrivateJson(path, REMEDY),
        failsWith(/cannot be read: EACCES\. Do not remove it/),
      )
    } finally {
      if (isRoot) process.seteuid?.(0)
    }
    chmodSync(path, 0o600)
    writeFileSync(path, '{')
    assert.throws(() => readPrivateJson(path, REMEDY), failsWith(/is damaged\. Remove it\.$/))
  })
})
