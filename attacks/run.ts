// Runs one suite of attacks: `node attacks/run.ts faults|fuzz|load`, with
//   --quick        the short form
//   --only 1,7     these attacks alone
//   --break GUARD  with this guard broken on purpose: the run then succeeds only if the attack reports it
//   --keep         keeps the figures, in docs/reliability.md
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Attack, Outcome } from './attack.ts'
import { keep } from './report.ts'
import { suites } from './suites.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    break: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})

interface Row extends Outcome {
  attack: Attack
  seconds: number
  /** The attack itself went wrong: that shows nothing, least of all that it saw a broken guard. */
  failed?: true
}

function chosen(): Attack[] {
  const suite = suites[positionals[0] ?? '']
  if (!suite) throw new Error(`Name a suite: ${Object.keys(suites).join(', ')}.`)
  const only = values.only?.split(',').map(Number)
  const guard = values.break
  const attacks = suite.filter(
    attack => (!only || only.includes(attack.number)) && (!guard || attack.breaks?.includes(guard)),
  )
  if (attacks.length > 0) return attacks
  const guards = suite.flatMap(attack => attack.breaks ?? [])
  throw new Error(`No attack of this suite fits. Guards that can be broken: ${guards.join(', ') || 'none'}.`)
}

async function run(attack: Attack): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'caseport-attack-'))
  const undo: (() => unknown)[] = []
  const began = Date.now()
  let shown = 0
  const progress = (done: number, total: number, more = '') => {
    const now = Date.now()
    if (now - shown < (process.stderr.isTTY ? 250 : 10_000) && done < total) return
    shown = now
    const line = `${attack.number}. ${attack.name}: ${done} of ${total}, ${Math.round((now - began) / 1000)} s ${more}`
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`)
  }
  let outcome: Outcome & { failed?: true }
  try {
    outcome = await attack.run({
      quick: values.quick,
      broken: values.break,
      folder,
      progress,
      after: step => undo.push(step),
    })
  } catch (error) {
    const findings = [`the attack itself failed: ${(error as Error).stack}`]
    outcome = { figures: 'did not end', findings, failed: true }
  }
  for (const step of undo.reverse()) await step()
  await remove(folder)
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  return { attack, seconds: Math.round((Date.now() - began) / 1000), ...outcome }
}

/** A database whose service was killed a moment ago still writes to its folder, and has to end first. */
async function remove(folder: string): Promise<void> {
  for (let attempt = 0; attempt < 100 && existsSync(folder); attempt++) {
    if (attempt > 0) await sleep(100)
    try {
      rmSync(folder, { recursive: true, force: true })
    } catch {
      // It is tried again.
    }
  }
}

function print({ attack, figures, findings, seconds }: Row): void {
  process.stdout.write(
    `${findings.length === 0 ? 'held  ' : 'BROKEN'} ${String(attack.number).padStart(2)}. ${attack.name} (${seconds} s)\n` +
      `       must hold: ${attack.must}\n       seen: ${figures}\n`,
  )
  for (const finding of findings.slice(0, 20)) process.stdout.write(`       - ${finding}\n`)
  if (findings.length > 20) process.stdout.write(`       … and ${findings.length - 20} more\n`)
}

const rows: Row[] = []
for (const attack of chosen()) {
  const row = await run(attack)
  print(row)
  rows.push(row)
}
if (values.keep)
  keep(
    rows.map(({ attack: { number, name, must }, figures, findings, seconds }) => ({
      number,
      name,
      must,
      suite: positionals[0] ?? '',
      ...(values.break && { guard: values.break }),
      figures,
      findings,
      seconds,
    })),
  )
const broken = rows.filter(row => row.findings.length > 0)
if (values.break) {
  const blind = rows.filter(row => row.findings.length === 0 || row.failed)
  process.stdout.write(
    `With "${values.break}" broken, ${rows.length - blind.length} of ${rows.length} attacks reported it.\n`,
  )
  process.exitCode = blind.length > 0 ? 1 : 0
} else {
  process.stdout.write(`${rows.length - broken.length} of ${rows.length} attacks withstood.\n`)
  process.exitCode = broken.length > 0 ? 1 : 0
}
// What an attack left behind (a socket that never ends, say) must not keep the run alive.
process.exit()
