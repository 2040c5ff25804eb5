// `npm test`: brings up one PostgreSQL for all test files, makes the template they clone, and runs them four at a time.
// Many wait for a time limit rather than for the processor.
// Arguments are test files, or options of `node --test`; without any file, all of them.
import { glob } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { runBesidePostgres } from './support/postgres.ts'

/** Suites with commands of their own. */
const OTHERS = ['s3', 'processes', 'large']
/** Those that take longest come first, so that none runs alone at the end. */
const LONGEST = [
  'db/database.test.ts',
  'http/limits.test.ts',
  'applicants/applicant-races.test.ts',
  'processes/workers.test.ts',
  'processes/lost-connections.test.ts',
  'processes/start.test.ts',
  'processes/rotate-key.test.ts',
  'processes/embedded-postgres.test.ts',
  'processes/invite.test.ts',
  'large/case-list.test.ts',
]

const given = process.argv.slice(2)
const options = given.filter(argument => argument.startsWith('-'))
const named = given
  .filter(argument => !argument.startsWith('-'))
  .map(file => relative(import.meta.dirname, file))
const files = named.length > 0 ? named : await listFiles()
await runBesidePostgres([
  [
    '--test',
    '--test-concurrency=4',
    '--test-timeout=240000',
    ...options,
    ...longestFirst(files).map(file => join(import.meta.dirname, file)),
  ],
])

async function listFiles(): Promise<string[]> {
  return Array.fromAsync<string>(glob('**/*.test.ts', { cwd: import.meta.dirname, exclude: OTHERS }))
}

function longestFirst(found: string[]): string[] {
  const others = found.filter(file => !LONGEST.includes(file)).sort()
  return [...LONGEST.filter(file => found.includes(file)), ...others]
}
