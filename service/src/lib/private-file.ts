// JSON files that hold secrets of the service, such as DATA_DIR/credentials.json.
import {
  closeSync,
  constants,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { StartError } from './problem.ts'

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** Replaces the file atomically and durably, readable by its owner only. */
export function writePrivateJson(path: string, content: object): void {
  const draft = `${path}.new`
  const folder = dirname(path)
  rmSync(draft, { force: true })
  const fd = openSync(draft, NEW_FILE, 0o600)
  try {
    // A start as root must not leave a file that the owner of the folder cannot open afterwards.
    if (process.getuid?.() === 0) {
      const { uid, gid } = statSync(folder)
      fchownSync(fd, uid, gid)
    }
    writeSync(fd, `${JSON.stringify(content, null, 2)}\n`)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(draft, path)
  syncFolder(folder)
}

/** Throws a StartError: `remedy` is for a damaged file. One that cannot be read may be the only copy, and must stay. */
export function readPrivateJson(path: string, remedy: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException
    throw new StartError(
      `${path} cannot be read: ${code}. Do not remove it: make the user of the service its owner, with chown.`,
    )
  }
  try {
    return JSON.parse(text)
  } catch {
    throw damaged(path, remedy)
  }
}

export const damaged = (path: string, remedy: string) => new StartError(`${path} is damaged. ${remedy}`)

/** Makes a rename in the folder durable. */
function syncFolder(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
