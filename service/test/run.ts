// `npm test`: brings up one PostgreSQL for all test files, makes the template they clone, and runs them four at a time.
// Those that measure times run first, and not beside others that need the processor.
// Arguments are test files, or options of `node --test`; without any file, all of them.
import { glob } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { runBesidePostgres } from './support/postgres.ts'

/** Suites with commands of their own. */
const OTHERS = ['s3', 'main', 'embedded-postgres', 'large']
/** They mostly wait, and check how long. */
const TIMED = [
  'db/pool.test.ts',
  'http/limits.test.ts',
  'db/primary.test.ts',
  'db/database.test.ts',
  'db/failover.test.ts',
]
/** Those that take longest come first, so that none runs alone at the end. */
const LONGEST = [
  'events/webhooks.test.ts',
  'auth/oauth.test.ts',
  'sign-in/sessions.test.ts',
  'db/migrate.test.ts',
  'applicants/applicant-races.test.ts',
  'main/workers.test.ts',
  'main/lost-connections.test.ts',
  'main/start.test.ts',
  'main/rotate-key.test.ts',
  'embedded-postgres/embedded.test.ts',
  'main/invite.test.ts',
  'large/case-list.test.ts',
]

const given = process.argv.slice(2)
const options = given.filter(argument => argument.startsWith('-'))
const named = given
  .filter(argument => !argument.startsWith('-'))
  .map(file => relative(import.meta.dirname, file))
const files = named.length > 0 ? named : await listFiles()
const timed = TIMED.filter(file => files.includes(file))
const others = longestFirst(files.filter(file => !timed.includes(file)))
await runBesidePostgres(
  [
    { found: timed, concurrency: 5 },
    { found: others, concurrency: 4 },
  ]
    .filter(({ found }) => found.length > 0)
    .map(({ found, concurrency }) => [
      '--test',
      `--test-concurrency=${concurrency}`,
      '--test-timeout=240000',
      ...options,
      ...found.map(file => join(import.meta.dirname, file)),
    ]),
)

async function listFiles(): Promise<string[]> {
  return Array.fromAsync<string>(glob('**/*.test.ts', { cwd: import.meta.dirname, exclude: OTHERS }))
}

function longestFirst(found: string[]): string[] {
  const others = found.filter(file => !LONGEST.includes(file)).sort()
  return [...LONGEST.filter(file => found.includes(file)), ...others]
}
