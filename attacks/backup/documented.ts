// Runs commands from docs/operations.md, so that the attack tests the documentation and not a copy of it.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const DOCUMENT = join(import.meta.dirname, '..', '..', 'docs', 'operations.md')

/** The block of commands that follows `<!-- run: name -->`. */
function commandsOf(name: string): string {
  const text = readFileSync(DOCUMENT, 'utf8')
  const [, after] = text.split(`<!-- run: ${name} -->\n\`\`\`sh\n`)
  const commands = after?.split('\n```')[0]
  if (!commands) throw new Error(`docs/operations.md has no block "${name}".`)
  return commands
}

/** Returns what the commands print. */
export async function runDocumented(
  name: string,
  env: Record<string, string>,
  { cwd }: { cwd?: string } = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-eu', '-c', commandsOf(name)], {
    env: { PATH: process.env['PATH'], ...env },
    ...(cwd && { cwd }),
  })
  return stdout
}

/** Files of a backup, and its folder, that other users than their owner may read. */
export function readableByOthers(folder: string): string[] {
  return [folder, ...readdirSync(folder).map(name => join(folder, name))]
    .filter(path => (statSync(path).mode & 0o077) !== 0)
    .map(path => `other users may read ${path}`)
}
