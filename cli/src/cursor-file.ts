// The file in which `changes tail` and `people export` keep a cursor.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { naming, usageError } from './exit-codes.ts'

/** Undefined if there is no such file yet. */
export async function readCursor(path: string): Promise<string | undefined> {
  const stored = await readFile(path, 'utf8').catch(error =>
    error.code === 'ENOENT' ? undefined : naming(path)(error),
  )
  // To begin now in place of it would leave out all changes since then.
  if (stored?.trim() === '')
    throw usageError(`${path}: The file has no cursor. Remove it to begin with the changes from now on.`)
  return stored?.trim()
}

/** The file has the cursor before or this one, also after a kill. */
export async function storeCursor(path: string, cursor: string): Promise<void> {
  const temporary = `${path}.tmp`
  await writeFile(temporary, `${cursor}\n`)
    .then(() => rename(temporary, path))
    .catch(naming(path))
}
