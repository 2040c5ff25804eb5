// Runs one suite of attacks: `node attacks/run.ts faults|fuzz|load|ha`, with
//   --quick        the short form
//   --only NAMES   only these attacks, such as `scopes,canaries`
//   --break GUARD  breaks this guard on purpose: the run then succeeds only if the attack reports it
//   --keep         stores the figures in docs/reliability.md
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Attack, Outcome } from './attack.ts'
import { storeResults } from './report.ts'
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
  /** The attack itself threw an error, so it proves nothing, not even that it detected a broken guard. */
  failed?: true
}

class UsageError extends Error {}

function chooseAttacks(): Attack[] {
  const suite = suites[positionals[0] ?? '']
  if (!suite) throw new UsageError(`Name a suite: ${Object.keys(suites).join(', ')}.`)
  const only = values.only?.split(',')
  const names = suite.map(({ name }) => name)
  const unknown = only?.filter(name => !names.includes(name)) ?? []
  if (unknown.length > 0)
    throw new UsageError(
      `${positionals[0]} has no attack ${unknown.join(', ')}. It has: ${names.join(', ')}.`,
    )
  const guard = values.break
  const attacks = suite.filter(
    attack => (!only || only.includes(attack.name)) && (!guard || attack.breaks?.includes(guard)),
  )
  if (attacks.length > 0) return attacks
  const guards = suite.flatMap(attack => attack.breaks ?? [])
  throw new UsageError(
    `None of these attacks breaks ${guard}. Guards of this suite: ${[...new Set(guards)].join(', ')}.`,
  )
}

async function run(attack: Attack): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'caseport-attack-'))
  const cleanups: (() => unknown)[] = []
  const began = Date.now()
  let shown = 0
  const progress = (done: number, total: number, more = '') => {
    const now = Date.now()
    if (now - shown < (process.stderr.isTTY ? 250 : 10_000) && done < total) return
    shown = now
    const line = `${attack.name}: ${done} of ${total}, ${Math.round((now - began) / 1000)} s ${more}`
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`)
  }
  let outcome: Outcome & { failed?: true }
  try {
    outcome = await attack.run({
      quick: values.quick,
      broken: values.break,
      folder,
      progress,
      after: cleanup => cleanups.push(cleanup),
    })
  } catch (error) {
    const findings = [`the attack itself failed: ${(error as Error).stack}`]
    outcome = { figures: 'did not complete', findings, failed: true }
  }
  for (const cleanup of cleanups.reverse()) await cleanup()
  await remove(folder)
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  return { attack, seconds: Math.round((Date.now() - began) / 1000), ...outcome }
}

/** PostgreSQL may still write to the folder for a moment after its service was killed. */
async function remove(folder: string): Promise<void> {
  for (let attempt = 0; attempt < 100 && existsSync(folder); attempt++) {
    if (attempt > 0) await sleep(100)
    try {
      rmSync(folder, { recursive: true, force: true })
    } catch {
      // Retried.
    }
  }
}

function print({ attack, figures, findings, seconds }: Row): void {
  process.stdout.write(
    `${findings.length === 0 ? 'met    ' : 'NOT MET'} ${attack.name}: ${attack.title} (${seconds} s)\n` +
      `       requirement: ${attack.must}\n       result: ${figures}\n`,
  )
  for (const finding of findings.slice(0, 20)) process.stdout.write(`       - ${finding}\n`)
  if (findings.length > 20) process.stdout.write(`       … and ${findings.length - 20} more\n`)
}

function chooseAttacksOrExit(): Attack[] {
  try {
    return chooseAttacks()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

const rows: Row[] = []
for (const attack of chooseAttacksOrExit()) {
  const row = await run(attack)
  print(row)
  rows.push(row)
}
if (values.keep)
  storeResults(
    rows.map(({ attack: { name, title, must }, figures, findings, seconds }) => ({
      name,
      title,
      must,
      suite: positionals[0] ?? '',
      ...(values.break && { guard: values.break }),
      figures,
      findings,
      seconds,
    })),
    Object.values(suites).flatMap(suite => suite.map(({ name }) => name)),
  )
const broken = rows.filter(row => row.findings.length > 0)
if (values.break) {
  const undetected = rows.filter(row => row.findings.length === 0 || row.failed)
  process.stdout.write(
    `With "${values.break}" broken, ${rows.length - undetected.length} of ${rows.length} attacks reported it.\n`,
  )
  process.exitCode = undetected.length > 0 ? 1 : 0
} else {
  process.stdout.write(
    `The requirement was met in ${rows.length - broken.length} of ${rows.length} attacks.\n`,
  )
  process.exitCode = broken.length > 0 ? 1 : 0
}
// An open socket of an attack must not keep the run alive.
process.exit()
