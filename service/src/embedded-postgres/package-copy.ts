// Owns copying the package to a place where another user can run it; the copy appears complete or not at all.
// Must not accept a copy that anyone but root, or the user of the service, could have changed.
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { StartError } from '../lib/problem.ts'
import { codeOf, makeFolder, syncFolder } from './data-dir.ts'
import { isAlive } from './orphans.ts'

export function ensureCopy(from: string, to: string): void {
  const parent = dirname(to)
  if (!existsSync(parent)) {
    makeFolder(parent)
    chmodSync(parent, 0o755)
  }
  if (process.getuid?.() === 0) refuseForeign(parent)
  if (lstatSync(to, { throwIfNoEntry: false })) {
    refuseForeign(to)
    return
  }
  removeUnfinished(to)
  const unfinished = `${to}.new-${process.pid}`
  try {
    copyTree(from, unfinished)
    renameSync(unfinished, to)
    syncFolder(parent)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    // Another service that started at the same time may have made the same copy.
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error
    refuseForeign(to)
  }
}

function refuseForeign(path: string): void {
  const { uid, mode } = lstatSync(path)
  if (uid !== process.getuid?.() || (mode & 0o022) !== 0)
    throw new StartError(
      `${path} belongs to another user or can be written to by others, so PostgreSQL is not run from it: remove it, or set DATABASE_URL to use another PostgreSQL.`,
    )
}

function removeUnfinished(to: string): void {
  const prefix = `${basename(to)}.new-`
  for (const name of readdirSync(dirname(to))) {
    if (name.startsWith(prefix) && !isAlive(Number(name.slice(prefix.length))))
      rmSync(join(dirname(to), name), { recursive: true, force: true })
  }
}

/** Modes are set anew: a package installed with a strict umask is closed to the user the copy is made for. */
function copyTree(from: string, to: string): void {
  mkdirSync(to)
  chmodSync(to, 0o755)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (entry.isDirectory()) copyTree(source, target)
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else copyFile(source, target)
  }
}

function copyFile(source: string, target: string): void {
  copyFileSync(source, target)
  chmodSync(target, (lstatSync(source).mode & 0o111) === 0 ? 0o644 : 0o755)
  const fd = openSync(target, 'r')
  fsyncSync(fd)
  closeSync(fd)
}
