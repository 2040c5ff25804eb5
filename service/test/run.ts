// `npm test`: brings up one PostgreSQL for all test files, makes the template they clone, and runs them two at a time.
// Arguments are test files, or options of `node --test`; without any file, all of them.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../src/db/database.ts'
import { startEmbedded } from '../src/db/embedded.ts'
import { migrate } from '../src/db/migrate.ts'
import { createLog } from '../src/log.ts'

const log = createLog('error')
const dataDir = mkdtempSync(join(tmpdir(), 'caseport-test-'))
const postgres = await startEmbedded({ dataDir, log, durable: false, settings: { max_connections: '200' } })
const template = connect({ connection: postgres.connection, log, poolSize: 1 })
await migrate(template, log)
await template.close()

const given = process.argv.slice(2)
const files = given.some(argument => !argument.startsWith('-'))
  ? []
  : (await Array.fromAsync<string>(glob('*.test.ts', { cwd: import.meta.dirname }))).sort()
const tests = spawn(
  process.execPath,
  [
    '--test',
    '--test-concurrency=2',
    '--test-timeout=120000',
    ...given,
    ...files.map(file => join(import.meta.dirname, file)),
  ],
  { stdio: 'inherit', env: { ...process.env, TEST_POSTGRES: join(dataDir, 'postgres', '.s.PGSQL.5432') } },
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal))
tests.on('exit', async code => {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
  process.exit(code ?? 1)
})
