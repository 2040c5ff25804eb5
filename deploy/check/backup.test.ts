// The scripts of deploy/backup as far as they need no database: `npm run check:deploy`. The attack `backup` runs all of them.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, it } from 'node:test'

const SCRIPTS = join(import.meta.dirname, '..', 'backup')
const DAY_MS = 86_400_000
const SEGMENT = '000000010000000000000003'
const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
const skip = has('age') && has('zstd') ? false : 'age or zstd is not installed'

const root = mkdtempSync(join(tmpdir(), 'caseport-backup-'))
after(() => rmSync(root, { recursive: true, force: true }))
let folder = ''
let backup = ''

function run(script: string, args: string[] = [], env: Record<string, string> = {}) {
  return spawnSync(join(SCRIPTS, script), args, {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], BACKUP_SETTINGS: join(folder, 'backup.env'), ...env },
  })
}

function succeed(script: string, args: string[] = [], env: Record<string, string> = {}): string {
  const { status, stdout, stderr } = run(script, args, env)
  assert.equal(status, 0, stderr)
  return stdout
}

/** A name as the scripts give it to base backups and moments. */
const nameOf = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().replace(/[-:]/g, '')

const keyFile = () => join(folder, 'key')
const segmentFile = (content: string) => {
  writeFileSync(join(folder, 'segment'), content)
  return join(folder, 'segment')
}
const archivedIn = (directory: string) => readdirSync(join(backup, 'wal', directory))

describe('deploy/backup', { skip }, () => {
  beforeEach(() => {
    folder = mkdtempSync(join(root, 'test-'))
    backup = join(folder, 'backup')
    for (const name of ['base', 'wal', 'moments', 'files'])
      mkdirSync(join(backup, name), { recursive: true, mode: 0o700 })
    execFileSync('age-keygen', ['--output', keyFile()], { stdio: 'ignore' })
    writeFileSync(join(folder, 'recipients'), execFileSync('age-keygen', ['-y', keyFile()]))
    const settings = `BACKUP=${backup}\nRECIPIENTS=${folder}/recipients\nREPOSITORIES=file:${folder}/files\nKEEP_DAYS=14\nPGHOST=${folder}\n`
    writeFileSync(join(folder, 'backup.env'), settings)
  })

  it('archive-wal encrypts a segment for its owner only, and fetch-wal returns the same bytes', () => {
    succeed('archive-wal', [segmentFile('passport number'), SEGMENT])
    const [name = ''] = archivedIn('0000000100000000')
    assert.match(name, /^000000010000000000000003-[\da-f]{64}\.zst\.age$/)
    const path = join(backup, 'wal', '0000000100000000', name)
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.ok(!readFileSync(path).includes('passport'))
    succeed('fetch-wal', [SEGMENT, join(folder, 'fetched')], { IDENTITY: keyFile() })
    assert.equal(readFileSync(join(folder, 'fetched'), 'utf8'), 'passport number')
  })

  it('archive-wal accepts the same segment again, and rejects other content for it', () => {
    succeed('archive-wal', [segmentFile('one'), SEGMENT])
    succeed('archive-wal', [segmentFile('one'), SEGMENT])
    const { status, stderr } = run('archive-wal', [segmentFile('two'), SEGMENT])
    assert.equal(status, 1)
    assert.match(stderr, /has other content .*: are two clusters archiving/)
    assert.equal(archivedIn('0000000100000000').length, 1)
    succeed('archive-wal', [segmentFile('two'), `${SEGMENT}.partial`])
    succeed('archive-wal', [segmentFile('history'), '00000002.history'])
    assert.match(run('archive-wal', [segmentFile('x'), '../etc']).stderr, /is not the name of a file of WAL/)
  })

  it('archive-wal does not create the folder of a disk that is not mounted', () => {
    rmSync(join(backup, 'wal'), { recursive: true })
    const { status, stderr } = run('archive-wal', [segmentFile('one'), SEGMENT])
    assert.equal(status, 1)
    assert.match(stderr, /wal does not exist: mount the disk of the backups/)
    assert.ok(!existsSync(join(backup, 'wal')))
  })

  it('fetch-wal exits with 1 for a segment that is not there, and above 125 for every other error', () => {
    const fetch = (env = { IDENTITY: keyFile() }) => run('fetch-wal', [SEGMENT, join(folder, 'fetched')], env)
    assert.equal(fetch().status, 1)
    succeed('archive-wal', [segmentFile('one'), SEGMENT])
    execFileSync('age-keygen', ['--output', join(folder, 'other')], { stdio: 'ignore' })
    assert.equal(fetch({ IDENTITY: join(folder, 'other') }).status, 200)
    const path = join(backup, 'wal', '0000000100000000', archivedIn('0000000100000000')[0] ?? '')
    const whole = readFileSync(path)
    writeFileSync(path, whole.subarray(0, -1))
    assert.equal(fetch().status, 200, 'truncated')
    writeFileSync(path, whole)
    writeFileSync(path.replace(/-[\da-f]{8}/, '-00000000'), whole)
    assert.match(fetch().stderr, /is in the archive with different contents/)
    assert.equal(fetch().status, 200, 'ambiguous')
    rmSync(path)
    assert.equal(fetch().status, 200, 'not the content of its name')
    appendFileSync(join(folder, 'backup.env'), 'BACKUP=/nowhere\n')
    assert.equal(fetch().status, 200, 'not mounted')
  })

  it('prune keeps what a restore to the last KEEP_DAYS days needs', () => {
    const bases = [40, 20, 10].map((daysAgo, index) => {
      const path = join(backup, 'base', nameOf(daysAgo))
      mkdirSync(path)
      writeFileSync(join(path, 'info'), `segment 00000001000000000000000${index * 2 + 1}\n`)
      return path
    })
    for (const daysAgo of [30, 15, 13, 0]) writeFileSync(join(backup, 'moments', nameOf(daysAgo)), '')
    for (let number = 0; number < 6; number++)
      succeed('archive-wal', [segmentFile(String(number)), `00000001000000000000000${number}`])
    succeed('archive-wal', [segmentFile('history'), '00000002.history'])
    const repositories = ['us', 'edu', 'uk', 'fr', 'de', 'ir', 'es', 'ch'].map(code =>
      join(folder, 'files', code),
    )
    for (const path of repositories) {
      mkdirSync(join(path, 'ab'), { recursive: true })
      writeFileSync(join(path, '.repository'), 'mark')
    }
    const copies = join(backup, 'files', 'de')
    mkdirSync(join(copies, 'ab'), { recursive: true })
    for (const key of ['abStored', 'abQuarantined', 'abGoneToday', 'abGoneLong'])
      writeFileSync(join(copies, 'ab', `${key}.age`), '')
    writeFileSync(join(folder, 'files', 'de', 'ab', 'abStored'), '')
    mkdirSync(join(folder, 'files', 'de', '.quarantine'))
    writeFileSync(join(folder, 'files', 'de', '.quarantine', 'abQuarantined'), '')
    const longAgo = Math.floor((Date.now() - 15 * DAY_MS) / 1000)
    // A key that was gone and came back is not gone any more.
    writeFileSync(join(copies, '.gone'), `${longAgo} abGoneLong\n${longAgo} abStored\n`)

    succeed('prune')
    assert.deepEqual(
      bases.map(path => existsSync(path)),
      [false, true, true],
      'the newest before the window stays',
    )
    assert.equal(readdirSync(join(backup, 'moments')).length, 2)
    assert.deepEqual(
      archivedIn('0000000100000000').map(name => name.slice(23, 24)),
      ['3', '4', '5'],
    )
    assert.equal(archivedIn('.').filter(name => name.startsWith('00000002.history-')).length, 1)
    assert.deepEqual(readdirSync(join(copies, 'ab')).sort(), [
      'abGoneToday.age',
      'abQuarantined.age',
      'abStored.age',
    ])
    assert.match(readFileSync(join(copies, '.gone'), 'utf8'), /^\d+ abGoneToday\n$/)
    // As at the first run, and whenever nothing was gone before.
    writeFileSync(join(copies, '.gone'), '')
    succeed('prune')
    assert.match(readFileSync(join(copies, '.gone'), 'utf8'), /^\d+ abGoneToday\n$/)

    rmSync(join(folder, 'files', 'de'), { recursive: true })
    assert.match(run('prune').stderr, /de is not a repository of files: is its disk mounted\?/)
    assert.equal(readdirSync(join(copies, 'ab')).length, 3)
  })

  it('prune removes nothing without a base backup', () => {
    succeed('archive-wal', [segmentFile('one'), SEGMENT])
    assert.match(run('prune').stderr, /has no base backup, so nothing is removed/)
    assert.equal(archivedIn('0000000100000000').length, 1)
  })

  it('status prints the times of the newest backups, and writes them for the node exporter', () => {
    mkdirSync(join(folder, 'metrics'))
    appendFileSync(join(folder, 'backup.env'), `METRICS=${folder}/metrics\n`)
    assert.match(succeed('status'), /^caseport_backup_moment_timestamp_seconds 0$/m)
    writeFileSync(join(backup, 'moments', '20260301T140500.123Z'), '')
    writeFileSync(join(backup, 'moments', '20260301T140600.123Z'), '')
    const text = succeed('status')
    const seconds = Date.parse('2026-03-01T14:06:00Z') / 1000
    assert.match(text, new RegExp(`^caseport_backup_moment_timestamp_seconds ${seconds}$`, 'm'))
    assert.equal(readFileSync(join(folder, 'metrics', 'caseport-backup.prom'), 'utf8'), text)
    assert.equal(statSync(join(folder, 'metrics', 'caseport-backup.prom')).mode & 0o777, 0o644)
    assert.deepEqual(readdirSync(join(folder, 'metrics')), ['caseport-backup.prom'])
  })

  it('restore says what is wrong before it changes anything', () => {
    const data = join(folder, 'data')
    const restore = (...args: string[]) =>
      run('restore', ['--data-dir', data, '--identity', keyFile(), '--no-files', ...args]).stderr
    appendFileSync(join(folder, 'backup.env'), `DATA_OWNER=${execFileSync('id', ['-un']).toString()}`)
    assert.match(run('restore').stderr, /--data-dir and --identity are needed/)
    assert.match(restore('--quickly'), /unknown argument --quickly/)
    assert.match(restore('--latest', '--moment', 'x'), /only one of --moment, --target-time and --latest/)
    assert.match(restore(), /moments is empty: only --latest is possible/)
    writeFileSync(join(backup, 'moments', '20260301T140500.123Z'), 'timeline 1\n')
    assert.match(restore('--moment', 'x'), /--moment x: not in .*, whose newest is 20260301T140500\.123Z/)
    assert.match(restore('--target-time', 'soon'), /expected a time such as/)
    assert.match(restore('--target-time', '2026-03-01 14:05:01+00'), /is after the newest moment/)
    assert.match(restore(), /no base backup in .* was finished before the target on timeline 1/)
    mkdirSync(join(backup, 'base', '20260301T140500.200Z'))
    writeFileSync(join(backup, 'base', '20260301T140500.200Z', 'info'), 'timeline 1\nlsn 0/3000000\n')
    assert.match(restore(), /no base backup in .* was finished before the target/)
    mkdirSync(data)
    writeFileSync(join(data, 'PG_VERSION'), '15')
    assert.match(restore(), /data is not empty: move it away/)
  })
})
