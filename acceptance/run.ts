// `npm run acceptance`: black-box tests against BASE_URL (with CLIENT_ID, CLIENT_SECRET and API_KEY of a client that has
// every scope), or against a service started for the run. Writes the responses that were seen to COVERAGE.md.
// Arguments are options of `node --test`, or test files: then only these run, and COVERAGE.md stays as it is.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeCoverage } from './coverage.ts'
import { startService } from './service-under-test.ts'

/** They wait for jobs that run once a minute, while others use the processor. */
const LONGEST = ['applicants-feed.test.ts', 'notifications.test.ts', 'integrator-month.test.ts']

const baseUrl = process.env['BASE_URL']
const service = baseUrl ? undefined : await startService()
const env = { ...process.env, ...service?.env }
const seen = mkdtempSync(join(tmpdir(), 'caseport-seen-'))

const given = process.argv.slice(2)
const some = given.some(argument => !argument.startsWith('-'))
const all = some
  ? []
  : longestFirst(await Array.fromAsync<string>(glob('*.test.ts', { cwd: import.meta.dirname })))
const tests = spawn(
  process.execPath,
  ['--test', '--test-concurrency=4', ...given, ...all.map(file => join(import.meta.dirname, file))],
  { stdio: 'inherit', env: { ...env, SEEN_DIR: seen } },
)
tests.on('exit', async code => {
  let complete = false
  try {
    complete = some || (await writeCoverage({ baseUrl: env['BASE_URL'] ?? '', seen }))
  } finally {
    await service?.stop()
    rmSync(seen, { recursive: true, force: true })
    process.exit(code || (complete ? 0 : 1))
  }
})

function longestFirst(files: string[]): string[] {
  return [...LONGEST, ...files.filter(file => !LONGEST.includes(file)).sort()]
}
