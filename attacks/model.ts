// Two parts. The long suite compares sequences of operations with a model, and the outcomes of races with what they must
// be. A storm on a running service then mixes all operations, and the database is checked for duplicates and dangling
// references.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Attack, Context, Outcome } from './attack.ts'
import { storm } from './support/number-storm.ts'

const LONG_SUITE = join(import.meta.dirname, '..', 'service', 'test', 'long', 'run.ts')

interface ModelRun {
  figures: string
  findings: string[]
}

async function runModel({ rounds, sequences, context }: Suite): Promise<ModelRun> {
  const seed = String(Math.trunc(Math.random() * 2 ** 31))
  const args = ['--rounds', String(rounds), '--sequences', String(sequences), '--seed', seed]
  const child = spawn(process.execPath, [LONG_SUITE, ...args], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  context.after(() => child.kill())
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', data => {
      output += data
      const at = [...output.matchAll(/: (\d+) of (\d+), \d+ s/g)].at(-1)
      if (at) context.progress(Number(at[1]), Number(at[2]) + 1)
    })
  const [code] = await once(child, 'close')
  const requests = [...output.matchAll(/(\d+) requests/g)].at(-1)?.[1] ?? '0'
  const races = Number(/^ℹ pass (\d+)/m.exec(output)?.[1] ?? 1) - 1
  const failures = output.split('\n').filter(line => /^\s*✖/.test(line))
  return {
    figures: `${sequences} sequences (${requests} requests, seed ${seed}) and ${races} races of ${rounds} rounds: ${failures.length} divergences`,
    findings:
      code === 0 ? [] : [`seed ${seed}: ${failures.join(' | ') || `exit code ${code}`}`, output.slice(-2000)],
  }
}

interface Suite {
  rounds: number
  sequences: number
  context: Context
}

async function run(context: Context): Promise<Outcome> {
  const { quick, broken } = context
  // The long suite creates its own databases, so that a guard broken in this one does not affect it.
  const model = broken
    ? { figures: 'model comparison skipped', findings: [] }
    : await runModel({
        ...(quick ? { rounds: 1, sequences: 20 } : { rounds: 100, sequences: 2_000 }),
        context,
      })
  const stormed = await storm(context, quick ? 3 : 150)
  return {
    figures: `${model.figures}; ${stormed.figures}`,
    findings: [...model.findings, ...stormed.findings],
  }
}

export const model: Attack = {
  name: 'model',
  title: 'concurrent upserts, merges, number changes and swaps against a model',
  must: '0 divergences, 0 duplicate numbers, 0 dangling references',
  breaks: ['unique-numbers'],
  run,
}
