// Copies the npm package to a directory from which another user can run it. The copy is created atomically. A copy that
// anyone but root, or the user of the service, could have changed is rejected.
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
import { makeDirectory, syncDirectory, systemErrorCode } from './data-dir.ts'
import { isAlive } from './orphans.ts'

export function ensureCopy(from: string, to: string): void {
  const parent = dirname(to)
  if (!existsSync(parent)) {
    makeDirectory(parent)
    chmodSync(parent, 0o755)
  }
  if (process.getuid?.() === 0) requireOwned(parent)
  if (lstatSync(to, { throwIfNoEntry: false })) {
    requireOwned(to)
    return
  }
  removeUnfinished(to)
  const unfinished = `${to}.new-${process.pid}`
  try {
    copyTree(from, unfinished)
    renameSync(unfinished, to)
    syncDirectory(parent)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    // Another service that started at the same time may have created the same copy.
    if (systemErrorCode(error) !== 'ENOTEMPTY' && systemErrorCode(error) !== 'EEXIST') throw error
    requireOwned(to)
  }
}

function requireOwned(path: string): void {
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

/** Sets all modes: other users have no access to a package that was installed with a strict umask. */
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
