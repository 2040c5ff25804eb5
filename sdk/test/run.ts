// `npm run test:sdk`: builds the SDK and runs its tests against a service started for the run.
// Arguments are options of `node --test`, or test files: then only these are run.
import { execFileSync, spawn } from 'node:child_process'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { startService } from '../../acceptance/service-under-test.ts'

const root = join(import.meta.dirname, '..', '..')
execFileSync('npm', ['run', '--silent', 'sdk:build'], { cwd: root, stdio: 'inherit' })
execFileSync(join(root, 'tools', 'sdk', 'run'), ['--install'], { stdio: 'inherit' })

// Webhooks of the tests are received on this machine.
const service = await startService({ WEBHOOK_ALLOW_PRIVATE: 'on' })
const given = process.argv.slice(2)
const files = given.some(argument => !argument.startsWith('-'))
  ? []
  : (await Array.fromAsync<string>(glob('*.test.ts', { cwd: import.meta.dirname }))).sort()
const tests = spawn(
  process.execPath,
  ['--test', '--test-concurrency=2', ...given, ...files.map(file => join(import.meta.dirname, file))],
  { stdio: 'inherit', env: { ...process.env, ...service.env } },
)
tests.on('exit', async code => {
  await service.stop()
  process.exit(code ?? 1)
})
