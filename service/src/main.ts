// Starts the service: config → database → app → listen → drain. `migrate` only migrates the database; `--demo` loads demo
// data.
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { type Credentials, ensureConfigured, ensureEmbedded } from './auth/bootstrap.ts'
import { openRepositories } from './blobs/open-repository.ts'
import { type Config, loadEnvFile, readConfig } from './config.ts'
import { alignAuditXids } from './db/audit-xids.ts'
import { connect, type Database } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import { primaryFirst } from './db/primary.ts'
import { waitForDatabase } from './db/wait-for-database.ts'
import { startEmbedded } from './embedded-postgres/embedded.ts'
import type { App } from './http/app-types.ts'
import { systemClock } from './lib/clock.ts'
import type { Log } from './lib/log.ts'
import { StartError } from './lib/problem.ts'
import { createLog } from './log.ts'

const DATABASE_WAIT_SECONDS = 30
/** Less than the 30 seconds after which process managers commonly send SIGKILL. */
const DRAIN_SECONDS = 20
const STOP_SECONDS = 10
/** Ctrl-C reaches the service twice, from the terminal and from npm: within this time it counts as one signal. */
const SAME_SIGNAL_MS = 1_000
const PARENT_CHECK_MS = 1_000

const print = (text: string) => process.stdout.write(`${text}\n`)

async function main(args: string[]): Promise<void> {
  const unknown = args.find(arg => !['migrate', '--demo'].includes(arg))
  if (unknown) throw new StartError(`Unknown argument ${unknown}. There are: migrate, --demo.`)
  const parent = process.ppid
  loadEnvFile()
  const config = readConfig()
  const log = createLog(config.logLevel)
  const opening = openDatabase(config, log)
  // Loading the modules takes as long as the start of PostgreSQL, so both run in parallel.
  const loading = args.includes('migrate') ? undefined : setImmediate().then(() => import('./app.ts'))
  const { db, stop } = await opening
  try {
    const applied = await migrate(db, log)
    await alignAuditXids(db.sql)
    if (!loading) {
      print(`Caseport: ${applied} migration${applied === 1 ? '' : 's'} applied; the database is up to date.`)
      return await stop()
    }
    const blobs = await openRepositories(config.repositories)
    const created = await ensureCredentials(config, db)
    const { buildApp } = await loading
    const { app, start, loadDemo } = buildApp({ config, db, blobs, log, clock: systemClock })
    await start()
    if (args.includes('--demo'))
      print((await loadDemo()) ? 'The demo data was loaded.' : 'The demo data is already loaded.')
    const address = await listen(app, config)
    drainOnSignal(app, { stop, log, parent: config.startedByNpm ? parent : undefined })
    announce({ address, config, created })
  } catch (error) {
    await stop()
    throw error
  }
}

async function openDatabase(config: Config, log: Log): Promise<{ db: Database; stop: () => Promise<void> }> {
  if (config.databaseUrl) {
    const url = await primaryFirst(config.databaseUrl, DATABASE_WAIT_SECONDS)
    const db = connect({ connection: { url }, log })
    await waitForDatabase(db, { log, seconds: DATABASE_WAIT_SECONDS })
    return { db, stop: () => db.close() }
  }
  const embedded = await startEmbedded({ dataDir: config.dataDir, log })
  const db = connect({ connection: embedded.connection, log })
  return {
    db,
    async stop() {
      await db.close()
      await embedded.stop()
    },
  }
}

async function ensureCredentials(config: Config, db: Database): Promise<Credentials | undefined> {
  if (config.bootstrap) await ensureConfigured(db, config.bootstrap)
  else if (!config.databaseUrl) return ensureEmbedded(db, config.dataDir)
  return undefined
}

async function listen(app: App, { host, port }: Config): Promise<string> {
  try {
    const address = await app.listen({ host, port, backlog: 1024 })
    return address.replace('[::]', '127.0.0.1').replace('0.0.0.0', '127.0.0.1')
  } catch (error) {
    const reasons: Record<string, string> = {
      EADDRINUSE: 'another program has this port. Stop it, or set PORT to another one.',
      EACCES: 'this user may not use this port. Set PORT to one above 1023.',
      EADDRNOTAVAIL: 'this machine does not have this address. Set HOST to one it has.',
      ENOTFOUND: 'there is no such host. Set HOST to an address of this machine.',
    }
    const reason = reasons[(error as { code?: string }).code ?? '']
    if (reason) throw new StartError(`Cannot listen on ${host}:${port}: ${reason}`)
    throw error
  }
}

interface Draining {
  stop: () => Promise<void>
  log: Log
  /** A process whose end counts as a signal: npm forwards none when it is killed. */
  parent: number | undefined
}

/** The first signal lets accepted requests end, for a limited time; a second one exits at once. */
function drainOnSignal(app: App, { stop, log, parent }: Draining): void {
  let stoppingSince: number | undefined
  const drain = async (signal: string) => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(1)
      return
    }
    stoppingSince = performance.now()
    clearInterval(watchParent)
    log.info({ signal }, 'stopping: no new connections; requests in flight are finished')
    // A connection would otherwise stay open for its keep-alive time after its last request.
    const closeIdle = setInterval(() => app.server.closeIdleConnections(), 50)
    // A transfer of a large file could go on for hours. An interrupted upload leaves nothing; an interrupted download can
    // be resumed.
    const closeAll = setTimeout(() => {
      log.warn({ requests: app.inFlight.count() }, 'stopping: requests that are still in flight are aborted')
      app.server.closeAllConnections()
    }, DRAIN_SECONDS * 1000)
    // A database that does not respond must not keep the process alive.
    const exit = setTimeout(
      async () => {
        log.error({}, 'stopping: not everything ended in time')
        await Promise.race([stop(), sleep(STOP_SECONDS * 1000)])
        process.exit(1)
      },
      (DRAIN_SECONDS + STOP_SECONDS) * 1000,
    )
    await app.close()
    clearTimeout(closeAll)
    clearInterval(closeIdle)
    await stop()
    clearTimeout(exit)
    log.info({}, 'stopped')
    process.exit(0)
  }
  const watchParent = setInterval(() => {
    if (parent !== undefined && process.ppid !== parent) void drain('npm has ended')
  }, PARENT_CHECK_MS).unref()
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void drain(signal))
}

function announce({
  address,
  config,
  created,
}: {
  address: string
  config: Config
  created: Credentials | undefined
}): void {
  print(`Caseport listens on ${address}`)
  print(`  reference  ${address}/docs`)
  print(`  database   ${config.databaseUrl ? 'the one of DATABASE_URL' : `embedded, in ${config.dataDir}`}`)
  if (!created) return
  const { clientId, clientSecret, apiKey } = created
  print(`
A first client was created. This is shown once; it is stored in ${config.dataDir}/credentials.json.
  client id      ${clientId}
  client secret  ${clientSecret}
  API key        ${apiKey}

Try it:
  curl -s ${address}/v2/applicant/health -H "Authorization: Bearer $(curl -s -u ${clientId}:${clientSecret} -d grant_type=client_credentials ${address}/oauth/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')"
`)
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof StartError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
