// One PostgreSQL for a run of tests, with the migrated template that each test file clones.
import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { ensureServiceRole } from '../../src/db/roles.ts'
import { startEmbedded } from '../../src/embedded-postgres/embedded.ts'
import { createLog } from '../../src/log.ts'

/** Each test file is a process of its own, which would otherwise strip and compile all modules again. */
const COMPILE_CACHE = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache')

const SETTINGS = {
  max_connections: '400',
  // Creating a database waits for every connection that is authenticating, and tests freeze some of them. The service gives up
  // after five seconds, too.
  authentication_timeout: '5s',
}

/** Where tests create and drop hundreds of databases, which takes a fifth longer on a disk. */
const MEMORY = '/dev/shm'
const MEMORY_NEEDED = 4 * 1024 ** 3

/** The memory file system if there is one with enough space, otherwise the directory for temporary files. */
function fastestDirectory(): string {
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= MEMORY_NEEDED ? MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** Starts a database, runs Node once for each list of arguments, and exits with the worst exit code. */
export async function runBesidePostgres(runs: string[][], env: Record<string, string> = {}): Promise<never> {
  const log = createLog('error')
  const dataDir = mkdtempSync(join(fastestDirectory(), 'caseport-test-'))
  const postgres = await startEmbedded({ dataDir, log, durable: false, settings: SETTINGS })
  const template = connect({ connection: postgres.owner, log, poolSize: 1 })
  await migrate(template, log)
  await ensureServiceRole(template, log)
  await template.close()

  let running: ChildProcess | undefined
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => running?.kill(signal))
  const server = { TEST_POSTGRES: dataDir }
  let worst = 0
  for (const argv of runs) {
    const child = spawn(process.execPath, argv, {
      stdio: 'inherit',
      env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, ...env, ...server },
    })
    running = child
    const code = await new Promise<number>(resolve => child.on('exit', status => resolve(status ?? 1)))
    worst = Math.max(worst, code)
    if (child.signalCode) break
  }
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
  process.exit(worst)
}
