// `npm test`: brings up one PostgreSQL for all test files, makes the template they clone, and runs them four at a time.
// Many wait for a time limit rather than for the processor.
// Arguments are test files, or options of `node --test`; without any file, all of them.
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { runBesidePostgres } from './support/postgres.ts'

/** Suites with commands of their own. */
const OTHERS = ['s3', 'processes', 'large']
/** Those that take longest come first, so that none runs alone at the end. */
const LONGEST = ['db/database.test.ts', 'http/limits.test.ts', 'applicants/applicant-races.test.ts']

const given = process.argv.slice(2)
const files = given.some(argument => !argument.startsWith('-')) ? [] : await listFiles()
await runBesidePostgres([
  [
    '--test',
    '--test-concurrency=4',
    '--test-timeout=240000',
    ...given,
    ...files.map(file => join(import.meta.dirname, file)),
  ],
])

async function listFiles(): Promise<string[]> {
  const found = await Array.fromAsync<string>(
    glob('**/*.test.ts', { cwd: import.meta.dirname, exclude: OTHERS }),
  )
  const others = found.filter(file => !LONGEST.includes(file)).sort()
  return [...LONGEST, ...others]
}
