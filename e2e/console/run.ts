// `npm run test:console`: the console in a real browser, against one service with demo data for the run; and its pure
// functions.
// Arguments are options of `node --test`, or test files: then only these are run. `--short` runs the main journeys only.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { startService } from '../../acceptance/service-under-test.ts'
import { ensureChromium } from '../chromium.ts'

const ROOT = join(import.meta.dirname, '..', '..')

ensureChromium()
const build = spawnSync(join(ROOT, 'console', 'build-if-changed'), { stdio: 'inherit' })
if (build.status !== 0) process.exit(1)

const service = await startService({}, ['--demo'])
const { users } = JSON.parse(readFileSync(join(service.dataDir, 'credentials.json'), 'utf8'))
const SHORT = '--short'
/** Signing in, the list of the day, and the work on a case. */
const MAIN = '{e2e/console/{sign-in,today,case},console/test/*}.test.ts'
const given = process.argv.slice(2).filter(argument => argument !== SHORT)
const pattern = process.argv.includes(SHORT) ? MAIN : '{e2e/console,console/test}/*.test.ts'
const files = given.some(argument => !argument.startsWith('-'))
  ? []
  : (await Array.fromAsync<string>(glob(pattern, { cwd: ROOT }))).sort()
const tests = spawn(
  process.execPath,
  ['--test', '--test-concurrency=1', ...given, ...files.map(file => join(ROOT, file))],
  { stdio: 'inherit', env: { ...process.env, ...service.env, DEMO_USERS: JSON.stringify(users) } },
)
tests.on('exit', async code => {
  await service.stop()
  process.exit(code ?? 1)
})
