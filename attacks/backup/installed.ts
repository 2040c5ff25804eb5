// Programs of Debian that the parts of this attack need.
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const MIN_VERSION = 15
export const DEBIAN = '/usr/lib/postgresql'

/** Finds an installed PostgreSQL with its client programs, which the embedded one lacks. */
export function installedPostgres(): string | undefined {
  const found = (() => {
    try {
      return readdirSync(DEBIAN).map(version => join(DEBIAN, version, 'bin'))
    } catch {
      return []
    }
  })()
  return found.find(folder => {
    try {
      const version = execFileSync(join(folder, 'pg_dump'), ['--version']).toString()
      execFileSync(join(folder, 'postgres'), ['--version'])
      return Number(/ (\d+)\./.exec(version)?.[1]) >= MIN_VERSION
    } catch {
      return false
    }
  })
}

const hasTools = () =>
  ['age', 'zstd'].every(program => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0)

/** Installs what the scripts of deploy/backup need, as root. Returns whether it is there. */
export function installBackupTools(): boolean {
  if (hasTools()) return true
  if (process.getuid?.() !== 0) return false
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync('apt-get', ['update'], { env })
  spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'age', 'zstd'], { env })
  return hasTools()
}
