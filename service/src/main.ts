// Starts the service: config → database → app → listen → drain, in one process or in several. `migrate` only migrates the
// database; `--demo` loads demo data; `--invite` prints a link for a person, also while the service runs.
import cluster from 'node:cluster'
import { setImmediate } from 'node:timers/promises'
import { type Config, loadEnvFile, readConfig } from './config.ts'
import {
  connectAsWorker,
  type DatabaseAccess,
  migrateDatabase,
  openDatabase,
  openSharedDatabase,
  prepareDatabase,
} from './database-setup.ts'
import { requireMigrated } from './db/migrate.ts'
import { warnOfOtherRole } from './db/roles.ts'
import { drain, drainOnSignal, releaseConnections } from './drain.ts'
import type { App } from './http/app-types.ts'
import { invitationUrl } from './http/browser.ts'
import { systemClock } from './lib/clock.ts'
import { StartError } from './lib/problem.ts'
import { requireFreePort } from './listening.ts'
import { createLog } from './log.ts'

const print = (text: string) => process.stdout.write(`${text}\n`)

interface Start {
  config: Config
  log: ReturnType<typeof createLog>
  withDemo: boolean
  /** The process that has started this one, where its end counts as a signal. */
  parent: number | undefined
}

async function main(args: string[]): Promise<void> {
  if (args[0] === '--invite') return invite(args.slice(1))
  const unknown = args.find(arg => !['migrate', '--demo'].includes(arg))
  if (unknown)
    throw new StartError(`Unknown argument ${unknown}. There are: migrate, --demo, --invite <email>.`)
  const { ppid } = process
  loadEnvFile()
  const config = readConfig()
  const log = createLog(config.logLevel)
  if (args.includes('migrate')) return migrate(config, log)
  const parent = config.startedByNpm ? ppid : undefined
  const start = { config, log, withDemo: args.includes('--demo'), parent }
  if (cluster.isWorker) return runWorker(start)
  await requireFreePort(config)
  return config.workers > 1 ? runPrimary(start) : runAlone(start)
}

async function migrate(config: Config, log: Start['log']): Promise<void> {
  const { applied, stop } = await migrateDatabase(config, log)
  print(`Caseport: ${applied} migration${applied === 1 ? '' : 's'} applied; the database is up to date.`)
  await stop()
}

async function runAlone({ config, log, withDemo, parent }: Start): Promise<void> {
  const { serve } = await import('./serve.ts')
  const opening = openDatabase(config, log)
  // Loading the modules takes as long as the start of PostgreSQL, so both run in parallel.
  const loading = setImmediate().then(() => import('./app.ts'))
  const { db, stop } = await opening
  try {
    const onListening = (app: App) => drainOnSignal({ drain: () => drain(app, { stop, log }), log, parent })
    await serve({ config, db, log, loading, isFirst: true, withDemo, onListening })
  } catch (error) {
    await stop()
    throw error
  }
}

/** Prepares the database, and has it and the port; its workers serve the requests. */
async function runPrimary({ config, log, parent }: Start): Promise<void> {
  const { createPrimary, WorkerEndedError } = await import('./workers/primary.ts')
  const { access, stop } = await prepareDatabase(config, log, { processes: config.workers })
  const primary = createPrimary({ count: config.workers, database: access, log })
  let isEnding = false
  const end = async () => {
    isEnding = true
    await primary.stop()
    await stop()
  }
  drainOnSignal({
    async drain() {
      await end()
      log.info({}, 'stopped')
      process.exit(0)
    },
    onSecond: primary.kill,
    log,
    parent,
  })
  process.on('SIGHUP', () => void primary.restart())
  try {
    await primary.start()
  } catch (error) {
    // A signal ends the first worker too.
    if (isEnding) return
    await end()
    // The worker has said why.
    if (error instanceof WorkerEndedError) process.exit(1)
    throw error
  }
}

async function runWorker({ config, log, withDemo }: Start): Promise<void> {
  const { joinService } = await import('./workers/member.ts')
  const { serve } = await import('./serve.ts')
  // The primary process gets these signals too, and decides.
  for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {})
  const loading = setImmediate().then(() => import('./app.ts'))
  loading.catch(() => {})
  const member = await joinService<DatabaseAccess>(config.workers)
  const { isFirst, bus, database } = member
  const db = connectAsWorker(config, log, database)
  try {
    await requireMigrated(
      db,
      'Stop the service and start it again; a restart of its workers does not migrate.',
    )
    if (isFirst && database.role) await warnOfOtherRole(db, database.role, log)
    const built = await serve({ config, db, log, loading, isFirst, withDemo, bus })
    const { app, metrics } = built
    const finish = async () => {
      await member.sendMetrics(metrics)
      await db.close()
    }
    const stop = once(() => drain(app, { stop: finish, log }))
    const leave = once(async () => {
      await Promise.all([built.prepareToClose().then(member.jobsStopped), releaseConnections(app)])
      stop()
    })
    // To this worker alone: it leaves, and is replaced.
    process.on('SIGTERM', leave)
    member.ready({ metrics, startJobs: built.startSharedJobs, leave, stop })
  } catch (error) {
    await db.close()
    throw error
  }
}

/** Does the work on the first call only. */
function once(work: () => Promise<void>): () => void {
  let isBegun = false
  return () => {
    if (isBegun) return
    isBegun = true
    void work()
  }
}

/** Prints a link for a person and ends. It works beside a running service. */
async function invite([email = '', ...rest]: string[]): Promise<void> {
  if (rest[0] !== undefined) throw new StartError(`Unknown argument ${rest[0]} after --invite <email>.`)
  loadEnvFile()
  const config = readConfig()
  const log = createLog('silent')
  const { db, stop } = await openSharedDatabase(config, log)
  try {
    const { openSealer } = await import('./sealed-secrets.ts')
    const { openRepositories } = await import('./blobs/open-repository.ts')
    const { buildApp } = await import('./app.ts')
    const sealer = await openSealer({ config, db, log })
    const blobs = await openRepositories(config.repositories)
    const { app, invitations } = buildApp({ config, db, sealer, blobs, log, clock: systemClock })
    const { token, expiresAt } = await invitations.createFor(email)
    await app.close()
    const base = config.publicUrl ?? `http://localhost:${config.port}`
    print(`A link for ${email}. It works once, until ${expiresAt.toISOString()}:`)
    print(`  ${invitationUrl(base, token)}`)
  } finally {
    await stop()
  }
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof StartError)) throw error
  process.stderr.write(`${error.message}\n`)
  // A worker would wait for messages of its primary process.
  if (cluster.isWorker) process.exit(1)
  process.exitCode = 1
}
