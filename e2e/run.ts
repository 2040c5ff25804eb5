// `npm run test:browser`: tests in a real browser, against a service started for the run.
// Arguments are options of `node --test`, or test files: then only these are run.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { startService } from '../acceptance/service-under-test.ts'
import { CHROMIUM } from './browser.ts'

if (!existsSync(CHROMIUM)) installChromium()

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

function installChromium(): void {
  if (process.getuid?.() !== 0) {
    process.stderr.write(`${CHROMIUM} is missing. Install it as root: apt-get install chromium\n`)
    process.exit(1)
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const options = { stdio: 'inherit', env } as const
  const install = () =>
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], options)
  // A package list can be missing or stale; it is read only where the first attempt fails.
  if (install().status === 0) return
  spawnSync('apt-get', ['update'], options)
  if (install().status === 0) return
  process.stderr.write('apt-get could not install chromium.\n')
  process.exit(1)
}
