// `npm test`: brings up one PostgreSQL for all test files, makes the template they clone, and runs them three at a time.
// Arguments are test files, or options of `node --test`; without any file, all of them.
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { runBesidePostgres } from './support/postgres.ts'

const given = process.argv.slice(2)
const files = given.some(argument => !argument.startsWith('-'))
  ? []
  : (
      await Array.fromAsync<string>(glob('**/*.test.ts', { cwd: import.meta.dirname, exclude: ['s3'] }))
    ).sort()
await runBesidePostgres([
  [
    '--test',
    '--test-concurrency=3',
    '--test-timeout=240000',
    ...given,
    ...files.map(file => join(import.meta.dirname, file)),
  ],
])
