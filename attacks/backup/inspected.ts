// What other accounts, and a thief of the disk of the backups, can read.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const AGE_HEADER = 'age-encryption.org/v1\n'

export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
}

/** Files that others may read, that are not encrypted, or that contain one of the texts. */
export function inspectBackup(folder: string, texts: string[]): { checked: number; findings: string[] } {
  const files = filesBelow(folder)
  const findings = files.flatMap(path => {
    const content = readFileSync(path)
    const isOpen = (statSync(path).mode & 0o777) !== 0o600
    const isPlain = path.endsWith('.age') && content.toString('latin1', 0, AGE_HEADER.length) !== AGE_HEADER
    const found = texts.filter(text => content.includes(text))
    return [
      ...(isOpen ? [`${path} has the mode ${(statSync(path).mode & 0o777).toString(8)}`] : []),
      ...(isPlain ? [`${path} is not encrypted`] : []),
      ...found.map(text => `${path} contains ${text}`),
    ]
  })
  return { checked: files.length, findings }
}
