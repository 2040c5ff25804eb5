// Wires the service together: creates the services of each feature and registers their routes.

import type { FastifyBaseLogger } from 'fastify'
import { API_INFO } from './api-info.ts'
import { applicantConstraints } from './applicants/applicants.errors.ts'
import { applicantRoutes } from './applicants/applicants.routes.ts'
import { createApplicants } from './applicants/applicants.service.ts'
import { createFamilies } from './applicants/families.service.ts'
import { createLinks } from './applicants/links.service.ts'
import { createNumbers } from './applicants/numbers.service.ts'
import { createTouchReferences } from './applicants/references.service.ts'
import { applicantSearchRoutes } from './applicants/search.routes.ts'
import { createSearch } from './applicants/search.service.ts'
import { createKeyRefresh } from './applicants/search-keys.worker.ts'
import { auditRoutes } from './audit/audit.routes.ts'
import { createAudit } from './audit/audit.service.ts'
import { blockedCallerRoutes } from './auth/blocked-callers.routes.ts'
import { createBlockedCallers } from './auth/blocked-callers.service.ts'
import { clientRoutes } from './auth/clients.routes.ts'
import { clientConstraints, createClients } from './auth/clients.service.ts'
import { findState, listRestricted } from './auth/clients.store.ts'
import { createExternalIssuer, issuerUnavailable } from './auth/external-issuer.ts'
import { oauthRoutes } from './auth/oauth.routes.ts'
import { createSigningKeys } from './auth/signing-keys.service.ts'
import { createTokenEndpoint } from './auth/token-endpoint.ts'
import { createTokens } from './auth/tokens.service.ts'
import { startBackgroundJobs } from './background-jobs.ts'
import type { BlobStore } from './blobs/blob-store.ts'
import { caseRoutes } from './cases/cases.routes.ts'
import { caseNotFound, createCases, touchCasesOf } from './cases/cases.service.ts'
import { createNotes } from './cases/notes.service.ts'
import { createSteps } from './cases/steps.service.ts'
import { companyRoutes } from './companies/companies.routes.ts'
import { companyConstraints, createCompanies } from './companies/companies.service.ts'
import type { Config } from './config.ts'
import { runUnlimited } from './db/caller.ts'
import type { Database } from './db/database.ts'
import { limitByCaller } from './db/limited-access.ts'
import { createSharedSecret } from './db/shared-secret.ts'
import { loadDemo } from './demo/demo.ts'
import { createDemoUsers, type DemoUser } from './demo/demo-users.ts'
import { documentRoutes } from './documents/documents.routes.ts'
import { createDocuments } from './documents/documents.service.ts'
import { createFiles } from './documents/files.service.ts'
import { createRepositories } from './documents/repositories.ts'
import { createScanner } from './documents/scanner.ts'
import { createTransfers, type Transfers } from './documents/transfers.ts'
import { uploadRoutes } from './documents/upload.routes.ts'
import { createUploads } from './documents/uploads.service.ts'
import { createDeliveries } from './events/deliveries.worker.ts'
import { appendEvents } from './events/outbox.store.ts'
import { webhookRoutes } from './events/webhooks.routes.ts'
import { createWebhooks } from './events/webhooks.service.ts'
import type { App } from './http/app-types.ts'
import { installAudit } from './http/audit.ts'
import { installAuthorization } from './http/authorization.ts'
import { createBrowser } from './http/browser.ts'
import { docsRoutes } from './http/docs.routes.ts'
import { healthRoutes } from './http/health.routes.ts'
import { installMetrics } from './http/metrics.ts'
import { collectRoutes, openApiDocument } from './http/openapi.ts'
import { createPagination } from './http/pagination.ts'
import { installProblems } from './http/problems.ts'
import { createResponses } from './http/responses.ts'
import { createServer } from './http/server.ts'
import { serialize } from './lib/async.ts'
import type { Clock } from './lib/clock.ts'
import type { CountryCode } from './lib/countries.ts'
import { externalPrefixOf } from './lib/external-caller.ts'
import type { Sealer } from './lib/sealing.ts'
import { createInvitations, type Invitation } from './people/invitations.service.ts'
import { createServerInvitations } from './people/server-invitations.ts'
import { userConstraints } from './people/users.errors.ts'
import { userRoutes } from './people/users.routes.ts'
import { createUsers } from './people/users.service.ts'
import { processRoutes } from './processes/processes.routes.ts'
import { createProcesses } from './processes/processes.service.ts'
import { notificationRoutes } from './reminders/notifications.routes.ts'
import { createMailer } from './reminders/notifications.worker.ts'
import { createRenewals } from './reminders/renewals.worker.ts'
import { createChallenges } from './sign-in/challenges.ts'
import { createExternalLogin } from './sign-in/external-login.ts'
import { createGuessLimits } from './sign-in/guess-limits.ts'
import { signInPageRoutes } from './sign-in/page.routes.ts'
import { createPasskeys } from './sign-in/passkeys.service.ts'
import { createPasswords } from './sign-in/passwords.ts'
import { createSessions } from './sign-in/sessions.service.ts'
import { signInRoutes } from './sign-in/sign-in.routes.ts'
import { createSignIn } from './sign-in/sign-in.service.ts'
import { createTotp } from './sign-in/totp.service.ts'

export interface AppParts {
  config: Config
  db: Database
  /** Seals the secrets that are stored in the database. */
  sealer: Sealer
  /** The file repository of each country. */
  blobs: Record<CountryCode, BlobStore>
  log: FastifyBaseLogger
  clock: Clock
  /** The memory budget of uploads and downloads. */
  transfers?: Transfers
}

export interface BuiltApp {
  app: App
  /** Loads keys, secrets and disabled clients, and starts the background jobs. */
  start(): Promise<void>
  document(): object
  /** Loads demo data once; returns whether it was loaded by this call. */
  loadDemo(): Promise<boolean>
  /** Creates a user for each role, once; returns all of them, with their passwords. */
  createDemoUsers(): Promise<DemoUser[]>
  invitations: {
    /** A link that makes the first administrator; undefined where there are users. */
    createFirst(): Promise<Invitation | undefined>
    /** A link for this address; makes the user an administrator where there is none. */
    createFor(email: string): Promise<Invitation>
  }
}

export function buildApp({
  config,
  db: unlimited,
  sealer,
  blobs,
  log,
  clock,
  transfers = createTransfers(),
}: AppParts): BuiltApp {
  // What serves requests gets `db`, which sees what the caller may see. Only authentication, which comes before there is a
  // caller, and work of the service itself get all of the database.
  const db = limitByCaller(unlimited)
  const externalPrefix = config.oidc && externalPrefixOf(config.oidc.issuer)
  const clients = createClients({ db, unlimited, clock, externalPrefix })
  const blockedCallers = createBlockedCallers({ db, externalPrefix })
  const issuer = { configured: config.publicUrl, fallback: `http://${config.host}:${config.port}` }
  const keys = createSigningKeys({ db: unlimited, sealer, clock, issuer })
  const externalIssuer = config.oidc && createExternalIssuer({ ...config.oidc, clock })
  const findClient = (clientId: string) => findState(unlimited.sql, clientId)
  const tokens = createTokens({ keys, externalIssuer, clock, ttl: config.tokenTtl, findClient })
  const endpoint = createTokenEndpoint({ clients, tokens, clock })
  const constraints = {
    ...clientConstraints,
    ...applicantConstraints,
    ...companyConstraints,
    ...userConstraints,
  }
  const audit = createAudit({ sql: db.sql, append: unlimited.append, clock })
  const recorders = { audit: audit.append, emit: appendEvents }
  const responses = createResponses({ db, clock, recorders, constraints })
  const now = () => clock.now().getTime()
  const applicants = createApplicants(db.lookup)
  const touchReferences = createTouchReferences({ touchCases: touchCasesOf })
  const families = createFamilies({ sql: db.sql, touchReferences })
  const companies = createCompanies(db.sql)
  const processes = createProcesses(db.sql)
  const links = createLinks({ now })
  const cases = createCases({ lookup: db.lookup, families, links, companies, processes })
  const steps = createSteps(db.sql)
  const notes = createNotes(db.sql)
  const numbers = createNumbers({ now, touchReferences })
  const cursorSecret = createSharedSecret({ db: unlimited, sealer, name: 'cursors' })
  const pagination = createPagination(cursorSecret.value)
  const repositories = createRepositories(blobs)
  const scanner = config.clamdUrl ? createScanner(config.clamdUrl) : undefined
  const documents = createDocuments({ sql: db.sql, lookup: db.lookup, clock, families })
  const quotaBytes = config.uploadQuotaBytes
  const uploads = createUploads({ db, clock, repositories, scanner, log, quotaBytes })
  const files = createFiles({ sql: db.sql, repositories, exists: documents.get })
  const search = createSearch({ sql: db.sql, touchReferences })
  const searchKeys = createKeyRefresh({ db: unlimited, log })
  const allowPrivate = config.webhookAllowPrivate
  const webhooks = createWebhooks({ sql: db.sql, sealer, clock, allowPrivate })
  const deliveries = createDeliveries({ db: unlimited, sealer, clock, log, allowPrivate })
  const { mail, reminderDays: defaultDays } = config
  const renewals = createRenewals({ db: unlimited, clock, recorders, defaultDays, mail })
  const mailer = mail && createMailer({ db: unlimited, clock, log, mail })
  // A sign-in comes before there is a caller, so it gets all of the database. What an administrator does to users is limited.
  const { sql } = unlimited
  const browser = createBrowser(config.publicUrl)
  const sessions = createSessions({ db: unlimited, clock })
  const passwords = createPasswords()
  const challenges = createChallenges({ sql, clock })
  const totp = createTotp({ sql, sealer })
  const passkeys = createPasskeys({ sql, challenges })
  const invitations = createInvitations(sql)
  const usersOf = ({ sql }: Pick<Database, 'sql'>) =>
    createUsers({
      sql,
      invitations,
      endSessions: sessions.endAll,
      deleteCredentials: (unit, userId) => signIn.deleteCredentials(unit, userId),
    })
  const users = usersOf(db)
  const allUsers = usersOf(unlimited)
  const signIn = createSignIn({
    db: unlimited,
    clock,
    recorders,
    users: allUsers,
    invitations,
    sessions,
    passwords,
    totp,
    passkeys,
    challenges,
    limits: createGuessLimits({ now }),
    external: config.loginIssuer && createExternalLogin(config.loginIssuer),
    passwordEnabled: config.loginPassword,
  })
  // Serialized, so that an older result never overwrites a newer one.
  const refreshRestricted = serialize(async () =>
    tokens.setRestrictedClients(await listRestricted(unlimited.sql)),
  )

  const app = createServer({
    log,
    trustProxy: config.trustProxy,
    isPublicHttps: config.publicUrl?.startsWith('https:') ?? false,
  })
  const authenticator = { verify: tokens.verify, verifyApiKey: clients.verifyApiKey }
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
  })

  healthRoutes(app, {
    checks: { database: db.ping, repositories: repositories.check },
    metrics,
  })
  docsRoutes(app, { document })
  applicantRoutes(app, { responses, applicants, families, numbers })
  caseRoutes(app, { responses, pagination, cases, steps, notes })
  documentRoutes(app, { responses, pagination, documents, files, transfers })
  uploadRoutes(app, {
    responses,
    documents,
    uploads,
    caseNotFound,
    maxBytes: config.maxUploadBytes,
    spoolFolder: `${config.dataDir}/spool`,
    transfers,
  })
  applicantSearchRoutes(app, { responses, pagination, search })
  oauthRoutes(app, { endpoint, keys, externalIssuer: config.oidc?.issuer })
  companyRoutes(app, { responses, companies })
  processRoutes(app, { responses, processes })
  webhookRoutes(app, { responses, pagination, webhooks })
  notificationRoutes(app, { sql: db.sql, pagination })
  auditRoutes(app, { audit, pagination })
  clientRoutes(app, { responses, clients, refreshRestricted })
  blockedCallerRoutes(app, { responses, blockedCallers, refreshDisabled: refreshRestricted })
  const nameOfClient = async (clientId: string) => (await clients.find(clientId))?.name ?? clientId
  userRoutes(app, { responses, users, browser, forgetSessions: sessions.forget, nameOfClient })
  signInRoutes(app, { browser, responses, users: allUsers, sessions, signIn, totp, passkeys, now })
  signInPageRoutes(app, { browser, users: allUsers, invitations, sessions, signIn, totp, passkeys, now })

  return {
    app,
    document,
    loadDemo: () =>
      runUnlimited(() =>
        loadDemo({ db, clock, recorders, companies, families, cases, steps, notes, uploads }),
      ),
    createDemoUsers: () =>
      createDemoUsers({ db: unlimited, clock, recorders, users: allUsers, signIn, dataDir: config.dataDir }),
    invitations: createServerInvitations({ db: unlimited, clock, recorders, users: allUsers, invitations }),
    async start() {
      await keys.rotate()
      await cursorSecret.load()
      await refreshRestricted()
      startBackgroundJobs(app, {
        audit,
        deliveries,
        keys,
        mailer,
        refreshRestricted,
        renewals,
        repositories,
        responses,
        searchKeys,
        signIn,
        uploads,
      })
    },
  }
}
