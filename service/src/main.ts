// Starts the service: config → database → app → listen → drain. `migrate` only migrates the database; `--demo` loads demo
// data; `--invite` prints a link for a person, also while the service runs.
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { BuiltApp } from './app.ts'
import { type Credentials, ensureConfigured, ensureEmbedded } from './auth/bootstrap.ts'
import { openRepositories } from './blobs/open-repository.ts'
import { type Config, loadEnvFile, readConfig } from './config.ts'
import { openDatabase, openSharedDatabase } from './database-setup.ts'
import type { Database } from './db/database.ts'
import type { DemoUser } from './demo/demo-users.ts'
import type { App } from './http/app-types.ts'
import { invitationUrl } from './http/browser.ts'
import { systemClock } from './lib/clock.ts'
import type { Log } from './lib/log.ts'
import { StartError } from './lib/problem.ts'
import { createLog } from './log.ts'
import { openSealer } from './sealed-secrets.ts'

/** Less than the 30 seconds after which process managers commonly send SIGKILL. */
const DRAIN_SECONDS = 20
const STOP_SECONDS = 10
/** Ctrl-C reaches the service twice, from the terminal and from npm: within this time it counts as one signal. */
const SAME_SIGNAL_MS = 1_000
const PARENT_CHECK_MS = 1_000

const print = (text: string) => process.stdout.write(`${text}\n`)

async function main(args: string[]): Promise<void> {
  if (args[0] === '--invite') return invite(args.slice(1))
  const unknown = args.find(arg => !['migrate', '--demo'].includes(arg))
  if (unknown)
    throw new StartError(`Unknown argument ${unknown}. There are: migrate, --demo, --invite <email>.`)
  const parent = process.ppid
  loadEnvFile()
  const config = readConfig()
  const log = createLog(config.logLevel)
  const opening = openDatabase(config, log)
  // Loading the modules takes as long as the start of PostgreSQL, so both run in parallel.
  const loading = args.includes('migrate') ? undefined : setImmediate().then(() => import('./app.ts'))
  const { db, applied, stop } = await opening
  try {
    if (!loading) {
      print(`Caseport: ${applied} migration${applied === 1 ? '' : 's'} applied; the database is up to date.`)
      return await stop()
    }
    const sealer = await openSealer({ config, db, log })
    const blobs = await openRepositories(config.repositories)
    const created = await ensureCredentials(config, db, log)
    const { buildApp } = await loading
    const built = buildApp({ config, db, sealer, blobs, log, clock: systemClock })
    const { app } = built
    await built.start()
    const demo = args.includes('--demo')
    if (demo)
      print((await built.loadDemo()) ? 'The demo data was loaded.' : 'The demo data is already loaded.')
    const demoUsers = demo ? await built.createDemoUsers() : []
    const address = await listen(app, config)
    drainOnSignal(app, { stop, log, parent: config.startedByNpm ? parent : undefined })
    announce({ address, config, created })
    await announceSignIn({ address, config, built, demoUsers })
  } catch (error) {
    await stop()
    throw error
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
    const sealer = await openSealer({ config, db, log })
    const { buildApp } = await import('./app.ts')
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

async function ensureCredentials(config: Config, db: Database, log: Log): Promise<Credentials | undefined> {
  if (config.bootstrap)
    for (const warning of await ensureConfigured(db, config.bootstrap)) log.warn({}, warning)
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
  const file = `${config.dataDir}/credentials.json`
  // Standard output of a service usually ends in a journal, which more people can read than the file.
  if (!process.stdout.isTTY) {
    print(`  credentials of the first client: ${file}`)
    return
  }
  const { clientId, clientSecret, apiKey } = created
  print(`
A first client was created. This is shown once; it is stored in ${file}.
  client id      ${clientId}
  client secret  ${clientSecret}
  API key        ${apiKey}

Try it:
  curl -s ${address}/v2/applicant/health -H "Authorization: Bearer $(curl -s -u ${clientId}:${clientSecret} -d grant_type=client_credentials ${address}/oauth/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')"
`)
}

interface SignInAnnouncement {
  address: string
  config: Config
  built: BuiltApp
  demoUsers: DemoUser[]
}

/** How people sign in: as users of the demo, or first of all by a link that makes an administrator. */
async function announceSignIn({ address, config, built, demoUsers }: SignInAnnouncement): Promise<void> {
  const base = config.publicUrl ?? address.replace('127.0.0.1', 'localhost')
  if (demoUsers.length > 0) {
    print(`\nSign in at ${base}/sign-in. The passwords are in ${config.dataDir}/credentials.json.`)
    const width = Math.max(...demoUsers.map(({ email }) => email.length))
    for (const { email, password } of demoUsers)
      print(`  ${process.stdout.isTTY ? `${email.padEnd(width)}  ${password}` : email}`)
  }
  if (config.databaseUrl && !process.stdout.isTTY) return
  const first = await built.invitations.createFirst()
  if (!first) return
  print(`
Nobody can sign in yet. This link makes the first administrator; it works once, for 15 minutes:
  ${invitationUrl(base, first.token)}
Another one: npm start -- --invite <email>`)
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof StartError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
