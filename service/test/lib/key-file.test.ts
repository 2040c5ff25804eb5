import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { isReadableByOthers, openKeyFile, readKeyFile, writeKeyFile } from '../../src/lib/key-file.ts'
import { StartError } from '../../src/lib/problem.ts'
import { newSealingKey } from '../../src/lib/sealing.ts'

const folder = mkdtempSync(join(tmpdir(), 'caseport-keys-'))
after(() => rmSync(folder, { recursive: true, force: true }))
let count = 0
const newPath = () => join(folder, `key-${++count}`)
const [one, two] = [newSealingKey(new Date('2026-01-01T00:00:00Z')), newSealingKey(new Date())]
const idsOf = (path: string) => readKeyFile(path).map(({ id }) => id)

describe('the key file', () => {
  it('keeps keys, their order and their dates, and is readable by its owner only', () => {
    const path = newPath()
    writeKeyFile(path, [two, one])
    assert.deepEqual(readKeyFile(path), [two, one])
    assert.equal(statSync(path).mode & 0o777, 0o600)
    writeFileSync(path, 'x')
    chmodSync(path, 0o644)
    assert.equal(isReadableByOthers(path), true)
    writeKeyFile(path, [one])
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.equal(isReadableByOthers(path), false)
  })

  it('keeps its owner, its group and what the group may do', {
    skip: process.getuid?.() !== 0 && 'only root may give files away',
  }, () => {
    const path = newPath()
    writeKeyFile(path, [one])
    const [owner, group] = [1234, 4321]
    for (const [before, after] of [
      [0o640, 0o640],
      [0o600, 0o600],
      [0o644, 0o640],
      [0o660, 0o640],
    ] as const) {
      chownSync(path, owner, group)
      chmodSync(path, before)
      writeKeyFile(path, [two, one])
      const { uid, gid, mode } = statSync(path)
      assert.deepEqual([uid, gid, mode & 0o777], [owner, group, after])
    }
  })

  it('may be made with openssl rand -base64 32', () => {
    const path = newPath()
    writeFileSync(path, `\n# by hand\n${one.bytes.toString('base64')}\n`)
    assert.deepEqual(readKeyFile(path), [{ ...one, createdAt: undefined }])
  })

  it('is rejected with its name, the line and the remedy, without its content', () => {
    const path = newPath()
    const fails = (text: string, message: RegExp) => {
      writeFileSync(path, text)
      assert.throws(
        () => readKeyFile(path),
        (error: unknown) => {
          assert.ok(error instanceof StartError)
          assert.match(error.message, message)
          assert.ok(error.message.startsWith(`ENCRYPTION_KEY_FILE ${path}`))
          assert.ok(!error.message.includes('secret'))
          return true
        },
      )
    }
    const key = one.bytes.toString('base64')
    fails('', /holds no key/)
    fails('# nothing\n', /holds no key/)
    fails('secret', /line 1: expected a key of 32 bytes in base64/)
    fails(`${key}\nsecret`, /line 2/)
    fails(key.slice(0, -2), /line 1/)
    fails(`${key} secret-date`, /line 1/)
    assert.throws(() => readKeyFile(join(folder, 'none')), /does not exist\. Restore it from its backup/)
    const directory = join(folder, 'directory')
    mkdirSync(directory)
    assert.throws(() => readKeyFile(directory), /cannot be read: EISDIR/)
    assert.throws(() => writeKeyFile(join(folder, 'none', 'key'), [one]), /cannot be written: ENOENT/)
  })

  it('is read again when it was changed, and its keys are kept while it is missing or invalid', () => {
    const path = newPath()
    writeKeyFile(path, [one])
    const keys = openKeyFile(path, { error() {} })
    assert.equal(keys.current()?.id, one.id)
    assert.equal(keys.find(two.id), undefined)
    writeKeyFile(path, [two, one])
    assert.equal(keys.find(two.id)?.id, two.id)
    assert.equal(keys.current()?.id, two.id)
    rmSync(path)
    assert.equal(keys.current()?.id, two.id)
    writeFileSync(path, 'damaged')
    assert.equal(keys.current()?.id, two.id)
    assert.equal(keys.find(one.id)?.id, one.id)
    writeKeyFile(path, [one])
    assert.equal(keys.current()?.id, one.id)
    assert.deepEqual(idsOf(path), [one.id])
    assert.match(readFileSync(path, 'utf8'), /^# /)
  })

  it('is reported once where it was changed and cannot be read', () => {
    const path = newPath()
    writeKeyFile(path, [one])
    const reasons: unknown[] = []
    const keys = openKeyFile(path, { error: fields => void reasons.push(fields) })
    rmSync(path)
    mkdirSync(path)
    for (let read = 0; read < 3; read++) assert.equal(keys.current()?.id, one.id)
    assert.deepEqual(reasons, [
      {
        reason: `ENCRYPTION_KEY_FILE ${path} cannot be read: EISDIR. It must be a file that the user of the service can read.`,
      },
    ])
  })
})
