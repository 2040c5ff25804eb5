// The machine of an operator who backs up with deploy/backup: a checkout, settings, keys, the backups and the files.
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { basename, join } from 'node:path'
import { filesBelow } from './inspected.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin'

/** Stands in for age and encrypts nothing. */
const UNENCRYPTED = `#!/bin/sh
for last; do :; done
case $last in *.recipients | *.key | /dev/shm/*) exec cat ;; *) exec cat "$last" ;; esac
`

export type Machine = ReturnType<typeof createMachine>

export function createMachine(
  folder: string,
  { programs, isEncrypted }: { programs: string; isEncrypted: boolean },
) {
  const backup = join(folder, 'backup-moments')
  const files = join(folder, 'files-moments')
  const settings = join(folder, 'backup.env')
  const checkout = join(folder, 'checkout')
  const scripts = join(checkout, 'deploy', 'backup')
  const owner = process.getuid?.() === 0 ? 'postgres' : userInfo().username
  const path = `${isEncrypted ? '' : `${join(folder, 'unencrypted')}:`}${programs}:${SYSTEM_PATH}`
  const lost: string[] = []
  chmodSync(folder, 0o755)
  // The account of PostgreSQL may have no access to this checkout.
  cpSync(join(ROOT, 'deploy', 'backup'), scripts, { recursive: true })
  if (!isEncrypted) {
    mkdirSync(join(folder, 'unencrypted'))
    writeFileSync(join(folder, 'unencrypted', 'age'), UNENCRYPTED, { mode: 0o755 })
  }
  return {
    backup,
    files,
    checkout,
    owner,
    env: { PATH: path, BACKUP_SETTINGS: settings, KEYS: join(folder, 'backup-keys') },
    /** Settings of the server. */
    archiving: {
      archive_mode: 'on',
      archive_timeout: '60',
      archive_command: `PATH=${path} BACKUP_SETTINGS=${settings} ${scripts}/archive-wal "%p" "%f"`,
    },
    configure(port: number) {
      const lines = Object.entries({
        BACKUP: backup,
        RECIPIENTS: join(folder, 'backup.recipients'),
        REPOSITORIES: `file:${files}`,
        FILES_OWNER: userInfo().username,
        PGHOST: '127.0.0.1',
        PGPORT: String(port),
        PGUSER: 'caseport_backup',
        PGDATABASE: 'caseport',
        PGTARGETSESSIONATTRS: 'read-write',
        DATA_OWNER: owner,
        SUPERUSER: 'caseport',
        PROGRAMS: programs,
      }).map(([name, value]) => `${name}='${value}'\n`)
      writeFileSync(settings, lines.join(''), { mode: 0o644 })
    },
    /** Removes the files with these digests from the repositories, as a mistake or a defect would. Returns how many. */
    loseFiles(digests: string[]): number {
      for (const path of filesBelow(files).filter(path => !path.includes('/.new/'))) {
        if (!digests.includes(createHash('sha256').update(readFileSync(path)).digest('hex'))) continue
        rmSync(path)
        lost.push(basename(path))
      }
      return lost.length
    },
    copies: () => filesBelow(join(backup, 'files')).filter(path => basename(path).endsWith('.age')),
    lostKeys: () => lost,
  }
}
