// `npm run test:browser`: tests in a real browser, against a service started for the run.
// Arguments are options of `node --test`, or test files: then only these are run.
import { spawn } from 'node:child_process'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { startService } from '../acceptance/service-under-test.ts'
import { ensureChromium } from './chromium.ts'

ensureChromium()

const service = await startService()
const given = process.argv.slice(2)
const files = given.some(argument => !argument.startsWith('-'))
  ? []
  : (await Array.fromAsync<string>(glob('*.test.ts', { cwd: import.meta.dirname }))).sort()
const tests = spawn(
  process.execPath,
  ['--test', '--test-concurrency=1', ...given, ...files.map(file => join(import.meta.dirname, file))],
  { stdio: 'inherit', env: { ...process.env, ...service.env } },
)
tests.on('exit', async code => {
  await service.stop()
  process.exit(code ?? 1)
})
