import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { createFilesystemStore } from '../src/blobs/filesystem.ts'
import { StartError } from '../src/lib/problem.ts'
import { requireSameRepositories } from '../src/repository-marks.ts'
import { createTestDatabase, testSealer } from './support/harness.ts'

const root = mkdtempSync(join(tmpdir(), 'caseport-marks-'))
after(() => rmSync(root, { recursive: true, force: true }))
const db = await createTestDatabase()
const storesIn = (name: string) => ({ DE: createFilesystemStore({ dir: join(root, name, 'de') }) })
const start = (name: string) => requireSameRepositories({ db, sealer: testSealer, blobs: storesIn(name) })

describe('requireSameRepositories', () => {
  it('lets services start that share a directory, also at the same time, and rejects one with another directory', async () => {
    await Promise.all([start('shared'), start('shared'), start('shared')])
    await start('shared')
    await assert.rejects(start('own'), (error: unknown) => {
      assert.ok(error instanceof StartError)
      assert.match(error.message, /own\/de is not the directory that the other services/)
      assert.match(error.message, /Mount the same directory .* or set REPOSITORIES to buckets/)
      return true
    })
  })

  it('names a directory that cannot be used, and the remedy', async () => {
    writeFileSync(join(root, 'a-file'), '')
    await assert.rejects(start('a-file'), (error: unknown) => {
      assert.ok(error instanceof StartError)
      assert.match(
        error.message,
        /a-file\/de cannot be used: .* \(ENOTDIR\)\. Mount the directory of REPOSITORIES/,
      )
      assert.match(error.message, /add it to ReadWritePaths= of the unit/)
      return true
    })
  })

  it('accepts a directory into which the mark was written that its message names', async () => {
    const message = await start('moved').then(
      () => assert.fail('it started'),
      (error: Error) => error.message,
    )
    const [, mark = '', path = ''] = /write (\w+) into (.*)\.$/.exec(message) ?? []
    assert.equal(readFileSync(join(root, 'shared', 'de', '.repository'), 'utf8').trim(), mark)
    writeFileSync(path, `${mark}\n`)
    await start('moved')
  })

  it('marks the directory again when the secrets of the database were deleted', async () => {
    await db.sql`delete from secrets`
    await start('moved')
    await start('moved')
    await assert.rejects(start('shared'), StartError)
  })
})
