// The baseline "pgbench": the statements of a request, sent by PostgreSQL's pgbench, where it is installed.
import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { RECORDED, type Recording, type Statement } from './recording.ts'
import { applicantId, caseId, employeeNumber, person, smallCompanyStride } from './records.ts'
import type { Fixture, Workload } from './workloads.ts'

export const hasPgbench = () => spawnSync('pgbench', ['--version']).status === 0

export interface PgbenchOptions {
  workload: Workload
  recording: Recording
  fixture: Fixture
  dataDir: string
  connections: number
  seconds: number
}

/** Returns transactions per second. */
export async function runPgbench(options: PgbenchOptions): Promise<number> {
  const { recording, fixture, dataDir, connections, seconds } = options
  const script = join(dataDir, 'pgbench.sql')
  const count = options.workload.name === 'read case' ? fixture.dataset.cases : fixture.dataset.applicants
  const statements = recording.groups.flat().map(statement => `${inlined(statement, recording)};`)
  const frame = recording.inTransaction ? ['begin;', ...statements, 'commit;'] : statements
  const any = [
    `\\set any random(0, ${count - 1})`,
    `\\set i :any + case when :any % ${smallCompanyStride(count)} = 0 then 1 else 0 end`,
  ]
  writeFileSync(script, [...any, ...frame].join('\n'))
  const { stdout } = await promisify(execFile)('pgbench', [
    '--no-vacuum', '--protocol=prepared', `--file=${script}`, `--client=${Math.min(connections, 32)}`, '--jobs=1',
    `--time=${Math.max(1, Math.round(seconds))}`, `--host=${join(dataDir, 'postgres')}`, '--username=caseport', 'caseport',
  ], { env: { ...process.env, PGPASSFILE: join(dataDir, 'pgpass') } }).catch((error: { stderr: string }) => {
    throw new Error(`pgbench: ${error.stderr.split('\n')[0]}`)
  }) // biome-ignore format: a command line
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1] ?? Number.NaN)
}

/** The values of the recorded request, and the expressions for those of record :i. */
const NAMES: [string, string][] = [
  [applicantId(RECORDED), `'A' || lpad((:i)::int8::text, 22, '0') || '='`],
  [caseId(RECORDED), `'C' || lpad((:i)::int8::text, 22, '0') || '='`],
  [employeeNumber(RECORDED), `'E-' || (:i)::int8::text`],
  [person(RECORDED).email, `'p' || (:i)::int8::text || '@example.com'`],
]

function inlined({ text, parameters, types }: Statement, { generatedIds }: Recording): string {
  const flat = text.replace(/\s+/g, ' ').trim().replace(/;$/, '')
  // In a format of to_char, too, a colon before a letter would be a variable to pgbench.
  const plain = flat.replace(/(?<=HH24|MI):(?=MI|SS)/g, ":' || '")
  return plain.replace(/\$(\d+)/g, (_, number) => {
    const at = Number(number) - 1
    return literal(parameters[at], generatedIds, CASTS[types[at] ?? 0] ?? '')
  })
}

const CASTS: Record<number, string> = {
  114: '::json',
  1082: '::date',
  1114: '::timestamp',
  1184: '::timestamptz',
  3802: '::jsonb',
}

function literal(value: unknown, generatedIds: string[], cast = ''): string {
  if (value === null) return 'null'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const isJson = cast.startsWith('::json')
  if (Array.isArray(value) && !isJson)
    return `array[${value.map(item => literal(item, generatedIds)).join(', ')}]${value.length === 0 ? '::text[]' : ''}`
  const words = isJson ? JSON.stringify(value) : value instanceof Date ? value.toISOString() : String(value)
  let sql = `'${words.replaceAll("'", "''")}'`.replace(/:(?=\w)/g, ":' || '")
  for (const [name, expression] of NAMES)
    if (words.includes(name)) sql = `replace(${sql}, '${name}', ${expression})`
  for (const id of generatedIds)
    if (words.includes(id)) sql = `replace(${sql}, '${id}', gen_random_uuid()::text)`
  return `(${sql})${cast}`
}
