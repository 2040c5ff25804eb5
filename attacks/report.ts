// Keeps what full runs have shown: attacks/results.json holds the figures, docs/reliability.md is made from it.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'

export interface Kept {
  number: number
  name: string
  must: string
  suite: string
  /** Undefined where nothing was broken on purpose. */
  guard?: string
  figures: string
  findings: string[]
  seconds: number
  commit: string
}

const ROOT = join(import.meta.dirname, '..')
const FILE = join(import.meta.dirname, 'results.json')

/** Puts these in the place of what earlier runs of the same attacks have shown. */
export function keep(rows: Omit<Kept, 'commit'>[]): void {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim()
  const before: Kept[] = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : []
  const isSame = (a: Omit<Kept, 'commit'>, b: Kept) => a.number === b.number && a.guard === b.guard
  const kept = [
    ...before.filter(old => !rows.some(row => isSame(row, old))),
    ...rows.map(row => ({ ...row, commit })),
  ]
  kept.sort((a, b) => a.number - b.number || (a.guard ?? '').localeCompare(b.guard ?? ''))
  writeFileSync(FILE, `${JSON.stringify(kept, null, 2)}\n`)
  writeFileSync(join(ROOT, 'docs/reliability.md'), page(kept))
}

const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ')
const table = (head: string[], lines: string[][]) =>
  [head, head.map(() => '---'), ...lines].map(cells => `| ${cells.map(cell).join(' | ')} |`).join('\n')

function page(kept: Kept[]): string {
  const whole = kept.filter(({ guard }) => guard === undefined)
  const broken = kept.filter(({ guard }) => guard !== undefined)
  return `# What it withstands

Made by full runs of the attacks with \`--keep\`; not edited by hand. Each row names the command that repeats it; without
\`--only\` a command runs all of its suite, with \`--quick\` in seconds instead of minutes. The machine had ${cpus().length} cores. What
the service acknowledged is kept by the attacker in a ledger on disk of its own; a request without an answer may be there
wholly or not at all.

${table(
  ['#', 'attack', 'must hold', 'seen', 'held', 'command', 'commit'],
  whole.map(({ number, name, must, figures, findings, seconds, suite, commit }) => [
    String(number), name, must, `${figures} (${seconds} s)`, findings.length === 0 ? 'yes' : `**no**: ${findings[0]}`,
    `\`npm run test:${suite} -- --only ${number}\``, commit,
  ]), // biome-ignore format: one row
)}

## An attack that cannot fail shows nothing

Each of these guards was broken on purpose, from outside, and the attack had to say so.

${table(
  ['guard', 'attack', 'what it reported', 'command'],
  broken.map(({ number, name, guard = '', findings, suite }) => [
    guard, `${number}. ${name}`,
    findings.length === 0 ? '**nothing**' : `${findings.length} finding${findings.length === 1 ? '' : 's'}, such as: ${findings[0]?.slice(0, 160)}`,
    `\`npm run test:${suite} -- --only ${number} --break ${guard}\``,
  ]), // biome-ignore format: one row
)}
`
}
