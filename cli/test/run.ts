// `npm run test:cli`: runs the tests of the command line against a service started for the run.
// Arguments are options of `node --test`, or test files: then only these are run. `--short` leaves out the package, which takes a
// minute to pack and install.
import { spawn } from 'node:child_process'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { startService } from '../../acceptance/service-under-test.ts'

const SHORT = '--short'
/** Packs, installs and starts packages. */
const LONG = 'package.test.ts'

const service = await startService({ WEBHOOK_ALLOW_PRIVATE: 'on' })
const given = process.argv.slice(2).filter(argument => argument !== SHORT)
const all = (await Array.fromAsync<string>(glob('**/*.test.ts', { cwd: import.meta.dirname }))).sort()
const files = given.some(argument => !argument.startsWith('-'))
  ? []
  : all.filter(file => !process.argv.includes(SHORT) || file !== LONG)
const tests = spawn(
  process.execPath,
  [
    '--conditions=@caseport/source',
    '--test',
    '--test-concurrency=2',
    ...given,
    ...files.map(file => join(import.meta.dirname, file)),
  ],
  { stdio: 'inherit', env: { ...process.env, ...service.env } },
)
tests.on('exit', async code => {
  await service.stop()
  process.exit(code ?? 1)
})
