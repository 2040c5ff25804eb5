// Builds the server: its services, routes and background jobs.

import type { FastifyBaseLogger } from 'fastify'
import type { Registry } from 'prom-client'
import { API_INFO } from './api-info.ts'
import { listRestricted } from './auth/clients.store.ts'
import { issuerUnavailable } from './auth/external-issuer.ts'
import { type SharedJobs, startOwnJobs, startSharedJobs } from './background-jobs.ts'
import { runUnlimited } from './db/caller.ts'
import { runUnitOfWork, systemActor } from './db/unit-of-work.ts'
import { loadDemo } from './demo/demo.ts'
import { createDemoUsers, type DemoUser, type RunUnit } from './demo/demo-users.ts'
import type { App } from './http/app-types.ts'
import { installAudit } from './http/audit.ts'
import { installAuthorization } from './http/authorization.ts'
import { installLostAccess } from './http/lost-access.ts'
import { installMetrics } from './http/metrics.ts'
import { collectRoutes, openApiDocument } from './http/openapi.ts'
import { installProblems } from './http/problems.ts'
import { createServer } from './http/server.ts'
import { serialize } from './lib/async.ts'
import type { Grant } from './lib/grants.ts'
import { registerRoutes } from './routes.ts'
import { createServices, type ServiceParts } from './services.ts'
import type { Invitation } from './users/invitations.service.ts'
import { createServerInvitations } from './users/server-invitations.ts'

export interface AppParts extends Omit<ServiceParts, 'endedRequests'> {
  log: FastifyBaseLogger
}

export interface BuiltApp {
  app: App
  /** The metrics of this process. */
  metrics: Registry
  /** Loads keys, secrets and disabled clients, and starts the background jobs; the shared ones unless another process runs them. */
  start(options?: { withSharedJobs?: boolean }): Promise<void>
  /** Starts the background jobs that one process runs for all. */
  startSharedJobs(): void
  /** Ends them, and all waits for changes, before the process leaves; requests are still served. */
  prepareToClose(): Promise<void>
  document(): object
  /** Loads demo data once; returns whether it was loaded by this call. */
  loadDemo(): Promise<boolean>
  /** Creates the users of the demo, once; returns those that it has made, with their passwords. */
  createDemoUsers(): Promise<DemoUser[]>
  invitations: {
    /** A link that makes the first administrator; undefined where there are users. */
    createFirst(): Promise<Invitation | undefined>
    /** A link for this address; makes the user an administrator where there is none. */
    createFor(email: string): Promise<Invitation>
  }
}

export function buildApp(parts: AppParts): BuiltApp {
  const { config, log, clock, tracing } = parts
  const app = createServer({
    log,
    trustProxy: config.trustProxy,
    isPublicHttps: config.publicUrl?.startsWith('https:') ?? false,
  })
  const services = createServices({ ...parts, endedRequests: () => app.inFlight.ended() })
  const { allUsers, audit, browser, clients, companies, constraints, feedWatch, importWorker } = services
  const { invitations, keys, now, recorders, sessions, bus, signIn, tokens, unlimited } = services
  const demoUsers = { users: allUsers, signIn, dataDir: config.dataDir }
  // Serialized, so that an older result never overwrites a newer one.
  const refreshRestricted = serialize(async () =>
    tokens.setRestrictedClients(await listRestricted(unlimited.sql)),
  )
  // A failure is logged and repeated by the job that does the same every five seconds.
  bus.subscribe('clients', () => void refreshRestricted().catch(() => {}))
  const refreshRestrictedEverywhere = async () => {
    await refreshRestricted()
    bus.publish('clients')
  }
  let sharedJobs: SharedJobs | undefined
  bus.subscribe('imports', () => sharedJobs && importWorker.wake())
  // The process with the jobs runs all imports.
  const wakeImports = () => {
    if (sharedJobs) importWorker.wake()
    else bus.publish('imports')
  }

  tracing?.install(app)
  const authenticator = {
    verify: tokens.verify,
    verifyApiKey: clients.verifyApiKey,
    stillHas: (clientId: string, grant: Grant) =>
      unlimited.lookup(sql => clients.stillHas(sql, clientId, grant)),
  }
  const routes = collectRoutes(app)
  const metrics = installMetrics(app)
  const document = () => openApiDocument(routes, { ...API_INFO, securedErrors: [issuerUnavailable] })
  installProblems(app, constraints)
  installAudit(app, audit.record)
  installAuthorization(app, {
    authenticator,
    people: { sessions, browser },
    now,
    rateLimit: config.rateLimit,
    bus,
  })
  installLostAccess(app)

  registerRoutes(app, {
    services,
    config,
    metrics,
    document,
    wakeImports,
    refreshRestricted: refreshRestrictedEverywhere,
  })

  const startAllSharedJobs = () => {
    sharedJobs ??= startSharedJobs(app, services)
  }

  return {
    app,
    metrics,
    document,
    loadDemo: () =>
      runUnlimited(() =>
        loadDemo({
          ...services,
          clock,
          async createColleagues(run, companyIds) {
            const companyIdOf = async (code: string) => companyIds.get(code)
            return (await createDemoUsers({ ...demoUsers, run, companyIdOf })).colleagues
          },
        }),
      ),
    createDemoUsers: () =>
      runUnlimited(async () => {
        const actor = systemActor('demo', 'demo')
        const run: RunUnit = work =>
          unlimited.transaction(tx => runUnitOfWork({ tx, actor, now: clock.now(), recorders, work }))
        const companyIdOf = (code: string) => companies.findId(code)
        return (await createDemoUsers({ ...demoUsers, run, companyIdOf })).credentials
      }),
    invitations: createServerInvitations({ db: unlimited, clock, recorders, users: allUsers, invitations }),
    async start({ withSharedJobs = true } = {}) {
      await keys.rotate()
      await services.cursorSecret.load()
      await refreshRestricted()
      startOwnJobs(app, { ...services, refreshRestricted })
      app.addHook('onClose', async () => sharedJobs?.stop())
      if (withSharedJobs) startAllSharedJobs()
    },
    startSharedJobs: startAllSharedJobs,
    async prepareToClose() {
      feedWatch.stop()
      await sharedJobs?.stop()
    },
  }
}
