// Builds the app on an open database and serves requests: the part of a start that a single process and each worker share.
import type { BuiltApp, buildApp } from './app.ts'
import { type Credentials, ensureConfigured, ensureEmbedded } from './auth/bootstrap.ts'
import { openRepositories } from './blobs/open-repository.ts'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import type { DemoUser } from './demo/demo-users.ts'
import type { App } from './http/app-types.ts'
import { invitationUrl } from './http/browser.ts'
import { systemClock } from './lib/clock.ts'
import type { Log } from './lib/log.ts'
import type { WorkerBus } from './lib/worker-bus.ts'
import { listenError } from './listening.ts'
import type { createLog } from './log.ts'
import { requireSameRepositories } from './repository-marks.ts'
import { openSealer } from './sealed-secrets.ts'

interface Options {
  config: Config
  db: Database
  log: ReturnType<typeof createLog>
  loading: Promise<{ buildApp: typeof buildApp }>
  /** Whether this process makes what a first start makes, and prints the address. */
  isFirst: boolean
  withDemo: boolean
  /** The other processes; undefined where this is the only one, which then runs all background jobs. */
  bus?: WorkerBus | undefined
  /** Called when requests are accepted. */
  onListening?: (app: App) => void
}

const print = (text: string) => process.stdout.write(`${text}\n`)

export async function serve(options: Options): Promise<BuiltApp> {
  const { config, db, log, loading, isFirst, withDemo, bus, onListening } = options
  const sealer = await openSealer({ config, db, log })
  const blobs = await openRepositories(config.repositories)
  if (config.databaseUrl) await requireSameRepositories({ db, sealer, blobs })
  const created = isFirst ? await ensureCredentials(config, db, log) : undefined
  const { buildApp } = await loading
  const tracing = config.tracing && (await import('./tracing.ts')).createTracing(config.tracing, log)
  const parts = { config, db, sealer, blobs, log, clock: systemClock, tracing }
  const built = buildApp({ ...parts, ...(bus && { bus }) })
  await built.start({ withSharedJobs: !bus })
  const isDemo = isFirst && withDemo
  if (isDemo)
    print((await built.loadDemo()) ? 'The demo data was loaded.' : 'The demo data is already loaded.')
  const demoUsers = isDemo ? await built.createDemoUsers() : []
  const address = await listen(built.app, config)
  onListening?.(built.app)
  if (isFirst) {
    announce({ address, config, created })
    await announceSignIn({ address, config, built, demoUsers })
  }
  return built
}

async function ensureCredentials(config: Config, db: Database, log: Log): Promise<Credentials | undefined> {
  if (config.bootstrap)
    for (const warning of await ensureConfigured(db, config.bootstrap)) log.warn({}, warning)
  else if (!config.databaseUrl) return ensureEmbedded(db, config.dataDir)
  return undefined
}

async function listen(app: App, config: Config): Promise<string> {
  try {
    const { host, port } = config
    const address = await app.listen({ host, port, backlog: 1024 })
    return address.replace('[::]', '127.0.0.1').replace('0.0.0.0', '127.0.0.1')
  } catch (error) {
    throw listenError(error, config)
  }
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
  print(`  console    ${(config.publicUrl ?? address).replace('127.0.0.1', 'localhost')}/console`)
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
    print(`\nSign in at ${base}/console. The passwords are in ${config.dataDir}/credentials.json.`)
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
Another one, with the settings of this service: npm start -- --invite <email>`)
}
