// The limit "pgbench": the statements of a request by PostgreSQL's own bench, where it is installed.
import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Recording, Statement } from './recording.ts'
import { applicantId, caseId, employeeNumber, person } from './seed.ts'
import type { Scene, Workload } from './workloads.ts'

export const hasPgbench = () => spawnSync('pgbench', ['--version']).status === 0

export interface PgbenchOptions {
  workload: Workload
  recording: Recording
  scene: Scene
  dataDir: string
  connections: number
  seconds: number
}

/** Transactions a second. */
export async function runPgbench(options: PgbenchOptions): Promise<number> {
  const { recording, scene, dataDir, connections, seconds } = options
  const script = join(dataDir, 'pgbench.sql')
  const count = options.workload.name === 'read case' ? scene.world.cases : scene.world.applicants
  const statements = recording.groups.flat().map(statement => `${inlined(statement, recording)};`)
  const frame = recording.inTransaction ? ['begin;', ...statements, 'commit;'] : statements
  writeFileSync(script, [`\\set i random(0, ${count - 1})`, ...frame].join('\n'))
  const { stdout } = await promisify(execFile)('pgbench', [
    '--no-vacuum', '--protocol=prepared', `--file=${script}`, `--client=${Math.min(connections, 32)}`, '--jobs=1',
    `--time=${Math.max(1, Math.round(seconds))}`, `--host=${join(dataDir, 'postgres')}`, '--username=caseport', 'caseport',
  ]).catch((error: { stderr: string }) => {
    throw new Error(`pgbench: ${error.stderr.split('\n')[0]}`)
  }) // biome-ignore format: a command line
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1] ?? Number.NaN)
}

const JSONB = 3802

/** What stands for record 0 in the recording, and how pgbench says the same of record :i. */
const NAMES: [string, string][] = [
  [applicantId(0), `'A' || lpad((:i)::int8::text, 22, '0') || '='`],
  [caseId(0), `'C' || lpad((:i)::int8::text, 22, '0') || '='`],
  [employeeNumber(0), `'E-' || (:i)::int8::text`],
  [person(0).email, `'p' || (:i)::int8::text || '@example.com'`],
]

function inlined({ text, parameters, types }: Statement, { made }: Recording): string {
  const flat = text.replace(/\s+/g, ' ').trim().replace(/;$/, '')
  // In a format of to_char, too, a colon before a letter would be a variable to pgbench.
  const plain = flat.replace(/(?<=HH24|MI):(?=MI|SS)/g, ":' || '")
  return plain.replace(/\$(\d+)/g, (_, at) => {
    const value = parameters[Number(at) - 1]
    return literal(types[Number(at) - 1] === JSONB ? { json: JSON.stringify(value) } : value, made)
  })
}

function literal(value: unknown, made: string[]): string {
  if (value === null) return 'null'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value instanceof Date) return `'${value.toISOString()}'`
  if (Array.isArray(value))
    return `array[${value.map(item => literal(item, made)).join(', ')}]${value.length === 0 ? '::text[]' : ''}`
  const words = typeof value === 'string' ? value : (value as { json: string }).json
  let sql = `'${words.replaceAll("'", "''")}'`.replace(/:(?=[a-z\d])/gi, ":' || '")
  let changed = sql.includes('||')
  for (const [name, expression] of NAMES)
    if (words.includes(name)) {
      sql = `replace(${sql}, '${name}', ${expression})`
      changed = true
    }
  for (const id of made)
    if (words.includes(id)) {
      sql = `replace(${sql}, '${id}', gen_random_uuid()::text)`
      changed = true
    }
  return changed ? `(${sql})${typeof value === 'string' ? '' : '::jsonb'}` : sql
}
