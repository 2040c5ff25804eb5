// The commands of docs/operations.md that handle secrets, run as they are documented.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { runDocumented } from '../../attacks/backup/documented.ts'

const root = mkdtempSync(join(tmpdir(), 'caseport-operations-'))
after(() => rmSync(root, { recursive: true, force: true }))

const modeOf = (path: string) => statSync(path).mode & 0o777

describe('the documented backup of the embedded database', () => {
  it('is readable by its owner only, and holds no secret in plain text', async () => {
    const [DATA_DIR, BACKUP, KEYS] = [join(root, 'data'), join(root, 'backup'), join(root, 'keys')]
    mkdirSync(DATA_DIR, { mode: 0o700 })
    mkdirSync(join(DATA_DIR, 'postgres'))
    mkdirSync(join(DATA_DIR, 'files'))
    const secrets = ['credentials.json', 'encryption.key', 'pgpass']
    for (const name of secrets) writeFileSync(join(DATA_DIR, name), `canary of ${name}`, { mode: 0o600 })
    writeFileSync(join(DATA_DIR, 'postgres', 'PG_VERSION'), '18\n')
    writeFileSync(join(DATA_DIR, 'files', 'a'), 'bytes')
    process.umask(0o022)
    await runDocumented('back up, embedded', { DATA_DIR, BACKUP, KEYS })

    const archive = join(BACKUP, 'data.tar')
    assert.equal(modeOf(BACKUP), 0o700)
    assert.equal(modeOf(archive), 0o600)
    assert.ok(!readFileSync(archive).includes('canary'))
    const names = execFileSync('tar', ['--list', '--file', archive]).toString()
    assert.match(names, /^\.\/postgres\/PG_VERSION$/m)
    assert.match(names, /^\.\/files\/a$/m)
    for (const name of secrets) assert.ok(!names.includes(name), name)
    assert.equal(modeOf(KEYS), 0o700)
    assert.equal(modeOf(join(KEYS, 'encryption.key')), 0o600)

    const restored = join(root, 'restored')
    await runDocumented('restore, embedded', { DATA_DIR: restored, BACKUP, KEYS })
    assert.equal(modeOf(restored), 0o700)
    assert.equal(modeOf(join(restored, 'encryption.key')), 0o600)
    assert.equal(readFileSync(join(restored, 'encryption.key'), 'utf8'), 'canary of encryption.key')
    assert.equal(readFileSync(join(restored, 'postgres', 'PG_VERSION'), 'utf8'), '18\n')
  })
})
