// Wires the service together: creates the services of each feature and registers their routes.

import type { FastifyBaseLogger } from 'fastify'
import type { Registry } from 'prom-client'
import { API_INFO } from './api-info.ts'
import { applicantConstraints, applicantNotFound } from './applicants/applicants.errors.ts'
import { applicantRoutes } from './applicants/applicants.routes.ts'
import { createApplicants, everyFamily } from './applicants/applicants.service.ts'
import { duplicateRoutes } from './applicants/duplicates.routes.ts'
import { createDuplicates } from './applicants/duplicates.service.ts'
import { createDuplicateFinder } from './applicants/duplicates.worker.ts'
import { createFamilies } from './applicants/families.service.ts'
import { createFamilyBatches } from './applicants/family-batches.ts'
import { createLinks } from './applicants/links.service.ts'
import { mergeRoutes } from './applicants/merges.routes.ts'
import { createMerges } from './applicants/merges.service.ts'
import { createNumbers } from './applicants/numbers.service.ts'
import { createTouchReferences } from './applicants/references.service.ts'
import { applicantSearchRoutes } from './applicants/search.routes.ts'
import { createSearch } from './applicants/search.service.ts'
import { createKeyRefresh } from './applicants/search-keys.worker.ts'
import { createSummaries } from './applicants/summaries.service.ts'
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
import { type SharedJobs, startOwnJobs, startSharedJobs } from './background-jobs.ts'
import type { BlobStore } from './blobs/blob-store.ts'
import { calendarRoutes } from './calendar/calendars.routes.ts'
import { createCalendars } from './calendar/calendars.service.ts'
import { createCaseKeyRefresh } from './cases/case-keys.worker.ts'
import { caseListRoutes } from './cases/case-list.routes.ts'
import { createCaseList } from './cases/case-list.service.ts'
import { caseRoutes } from './cases/cases.routes.ts'
import { caseNotFound, createCases, everyCase, mergedCases, touchCasesOf } from './cases/cases.service.ts'
import { checklistRoutes } from './cases/checklists.routes.ts'
import { createChecklists } from './cases/checklists.service.ts'
import { createNotes } from './cases/notes.service.ts'
import { createSteps } from './cases/steps.service.ts'
import { companyRoutes } from './companies/companies.routes.ts'
import { companyConstraints, createCompanies } from './companies/companies.service.ts'
import type { Config } from './config.ts'
import { consoleRoutes } from './console/console.routes.ts'
import { runUnlimited } from './db/caller.ts'
import type { Database } from './db/database.ts'
import { limitByCaller } from './db/limited-access.ts'
import { createSharedSecret } from './db/shared-secret.ts'
import { runUnitOfWork, systemActor } from './db/unit-of-work.ts'
import { loadDemo } from './demo/demo.ts'
import { createDemoUsers, type DemoUser, type RunUnit } from './demo/demo-users.ts'
import { deskRoutes } from './desk/desk.routes.ts'
import { createDesk } from './desk/desk.service.ts'
import { viewRoutes } from './desk/views.routes.ts'
import { createViews, viewConstraints } from './desk/views.service.ts'
import { deskDocumentRoutes } from './documents/desk-documents.routes.ts'
import { createDeskDocuments } from './documents/desk-documents.service.ts'
import { documentListRoutes } from './documents/document-list.routes.ts'
import { createDocumentList } from './documents/document-list.service.ts'
import { documentRoutes } from './documents/documents.routes.ts'
import { createDocuments } from './documents/documents.service.ts'
import { createFiles } from './documents/files.service.ts'
import { createRepositories } from './documents/repositories.ts'
import { createScanner } from './documents/scanner.ts'
import { createTransfers, type Transfers } from './documents/transfers.ts'
import { uploadRoutes } from './documents/upload.routes.ts'
import { createUploads } from './documents/uploads.service.ts'
import { changesRoutes } from './events/changes.routes.ts'
import { createChanges } from './events/changes.service.ts'
import { createDeliveries } from './events/deliveries.worker.ts'
import { createFeedWatch } from './events/feed-watch.ts'
import { appendEvents } from './events/outbox.store.ts'
import { webhookRoutes } from './events/webhooks.routes.ts'
import { createWebhooks } from './events/webhooks.service.ts'
import { exportRoutes } from './exports/exports.routes.ts'
import { createExports } from './exports/exports.service.ts'
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
import { importRoutes } from './imports/imports.routes.ts'
import { createImports, type IsAllowed } from './imports/imports.service.ts'
import { createImportWorker } from './imports/imports.worker.ts'
import { serialize } from './lib/async.ts'
import type { Clock } from './lib/clock.ts'
import type { CountryCode } from './lib/countries.ts'
import { externalPrefixOf } from './lib/external-caller.ts'
import type { Sealer } from './lib/sealing.ts'
import { NO_SIBLINGS, type Siblings } from './lib/siblings.ts'
import { createInvitations, type Invitation } from './people/invitations.service.ts'
import { createServerInvitations } from './people/server-invitations.ts'
import { userConstraints } from './people/users.errors.ts'
import { userRoutes } from './people/users.routes.ts'
import { createUsers } from './people/users.service.ts'
import { processChecklistRoutes } from './processes/process-checklists.routes.ts'
import { createProcessChecklists } from './processes/process-checklists.service.ts'
import { processRoutes } from './processes/processes.routes.ts'
import { createProcesses } from './processes/processes.service.ts'
import { notificationRoutes } from './reminders/notifications.routes.ts'
import { createMailer } from './reminders/notifications.worker.ts'
import { createPassportReminders } from './reminders/passports.worker.ts'
import { createReminders, mergedReminders } from './reminders/reminders.service.ts'
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
import { timelineRoutes } from './timeline/timeline.routes.ts'
import { createTimeline } from './timeline/timeline.service.ts'
import type { Tracing } from './tracing.ts'

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
  /** Undefined where no collector of traces is configured. */
  tracing?: Tracing | undefined
  /** The other processes of this service. */
  siblings?: Siblings
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

export function buildApp({
  config,
  db: untraced,
  sealer,
  blobs,
  log,
  clock,
  transfers = createTransfers(),
  tracing,
  siblings = NO_SIBLINGS,
}: AppParts): BuiltApp {
  const unlimited = tracing?.database(untraced) ?? untraced
  // What serves requests gets `db`, which sees what the caller may see. Only authentication, which comes before there is a
  // caller, and work of the service itself get all of the database.
  const db = limitByCaller(unlimited)
  const externalPrefix = config.oidc && externalPrefixOf(config.oidc.issuer)
  const clients = createClients({
    db,
    unlimited,
    clock,
    externalPrefix,
    async limitBelongings(unit, clientId, companies) {
      await webhooks.limitOf(unit, clientId, companies)
      await views.limitOf(unit, clientId, companies)
    },
  })
  const blockedCallers = createBlockedCallers({ db, externalPrefix })
  const issuer = { configured: config.publicUrl, fallback: `http://${config.host}:${config.port}` }
  const keys = createSigningKeys({ db: unlimited, sealer, clock, issuer })
  const externalIssuer = config.oidc && createExternalIssuer({ ...config.oidc, clock })
  const findClient = (clientId: string) => findState(unlimited.sql, clientId)
  const tokens = createTokens({ keys, externalIssuer, clock, ttl: config.tokenTtl, findClient })
  const endpoint = createTokenEndpoint({ clients, tokens, clock, siblings })
  const constraints = {
    ...clientConstraints,
    ...applicantConstraints,
    ...companyConstraints,
    ...userConstraints,
    ...viewConstraints,
  }
  const audit = createAudit({ sql: db.sql, append: unlimited.append, clock })
  const recorders = { audit: audit.append, emit: appendEvents }
  const responses = createResponses({ db, clock, recorders, constraints, sealer })
  const now = () => clock.now().getTime()
  const applicants = createApplicants(db.lookup)
  const touchReferences = createTouchReferences({ touchCases: touchCasesOf })
  const families = createFamilies({ sql: db.sql, touchReferences })
  const familyBatches = createFamilyBatches({ families, touchReferences })
  const mayStillImport: IsAllowed = ({ clientId, userId, companies }) => {
    const grant = { scope: 'applicants:write', companies } as const
    return unlimited.lookup(sql =>
      userId === null ? clients.stillHas(sql, clientId, grant) : allUsers.stillHas(sql, userId, grant),
    )
  }
  const imports = createImports({ sql: db.sql, clock, isAllowed: mayStillImport })
  const importWorker = createImportWorker({
    db,
    unlimited,
    clock,
    log,
    recorders,
    constraints,
    batches: familyBatches,
    isAllowed: mayStillImport,
    endedRequests: () => app.inFlight.ended(),
  })
  const companies = createCompanies(db.sql)
  const processes = createProcesses(db.sql)
  const links = createLinks({ now, siblings })
  const cases = createCases({ lookup: db.lookup, families, links, companies, processes })
  const steps = createSteps(db.sql)
  const notes = createNotes(db.sql)
  const numbers = createNumbers({ now, siblings, touchReferences })
  const cursorSecret = createSharedSecret({ db: unlimited, sealer, name: 'cursors' })
  const pagination = createPagination(cursorSecret.value)
  const repositories = createRepositories(blobs)
  const scanner = config.clamdUrl ? createScanner(config.clamdUrl) : undefined
  const documents = createDocuments({ sql: db.sql, lookup: db.lookup, clock, families })
  const deskDocuments = createDeskDocuments({ sql: db.sql, clock, families })
  const processChecklists = createProcessChecklists(db.sql)
  const checklists = createChecklists({ sql: db.sql, clock, processChecklists, documents: deskDocuments })
  const quotaBytes = config.uploadQuotaBytes
  const uploads = createUploads({ db, clock, repositories, scanner, log, quotaBytes })
  const files = createFiles({ sql: db.sql, repositories, exists: documents.get })
  const reminders = createReminders(db.sql)
  const search = createSearch({ sql: db.sql, companies, touchReferences })
  const duplicates = createDuplicates({ sql: db.sql })
  const duplicateFinder = createDuplicateFinder({
    db: unlimited,
    clock,
    log,
    isPostponed: importWorker.isRunning,
  })
  const merges = createMerges({
    sql: db.sql,
    touchReferences,
    cases: mergedCases,
    reminders: mergedReminders,
  })
  const timeline = createTimeline({ applicants, merges, audit, cases, notes, documents, reminders })
  const searchKeys = createKeyRefresh({ db: unlimited, log })
  const caseKeys = createCaseKeyRefresh({ db: unlimited, log })
  const caseList = createCaseList({ sql: db.sql, clock, companies })
  const documentList = createDocumentList({ sql: db.sql, clock, documents, companies })
  const summaries = createSummaries({
    sql: db.sql,
    nextExpiries: documentList.nextExpiries,
    openCases: caseList.countActiveOf,
  })
  const views = createViews(db.sql)
  const allowPrivate = config.webhookAllowPrivate
  const webhooks = createWebhooks({ sql: db.sql, sealer, clock, allowPrivate, siblings })
  const desk = createDesk({ caseList, documentList, applicantSearch: search, companies, webhooks, imports })
  const deliveries = createDeliveries({ db: unlimited, sealer, clock, log, allowPrivate })
  const feedWatch = createFeedWatch({ sql: unlimited.sql, dispatch: deliveries.dispatch, log })
  const changes = createChanges({ sql: db.sql, watch: feedWatch })
  const exports = createExports({
    db,
    changes,
    sources: { applicants: everyFamily, cases: everyCase, documents: documents.everyDocument },
  })
  const { mail, reminderDays: defaultDays } = config
  const renewals = createRenewals({ db: unlimited, clock, recorders, defaultDays, mail })
  const passportReminders = createPassportReminders({
    db: unlimited,
    clock,
    recorders,
    days: config.passportReminderDays,
    mail,
  })
  const mailer = mail && createMailer({ db: unlimited, clock, log, mail })
  // A sign-in comes before there is a caller, so it gets all of the database. What an administrator does to users is limited.
  const { sql } = unlimited
  const browser = createBrowser(config.publicUrl)
  const sessions = createSessions({ db: unlimited, clock, siblings })
  const calendars = createCalendars({ sql: db.sql, unlimited: sql, clock, siblings })
  const passwords = createPasswords({ processes: siblings.processes })
  const challenges = createChallenges({ sql, clock })
  const totp = createTotp({ sql, sealer })
  const passkeys = createPasskeys({ sql, challenges })
  const invitations = createInvitations(sql)
  const usersOf = ({ sql }: Pick<Database, 'sql'>) =>
    createUsers({
      sql,
      invitations,
      endSessions: sessions.endAll,
      async deleteCredentials(unit, userId) {
        await calendars.removeOf(unit, userId)
        await signIn.deleteCredentials(unit, userId)
      },
      limitViews: (unit, userId, companies) => views.limitOf(unit, `user:${userId}`, companies),
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
    limits: createGuessLimits({ now, siblings }),
    external: config.loginIssuer && createExternalLogin(config.loginIssuer),
    passwordEnabled: config.loginPassword,
  })
  const demoUsers = { users: allUsers, signIn, dataDir: config.dataDir }
  // Serialized, so that an older result never overwrites a newer one.
  const refreshRestricted = serialize(async () =>
    tokens.setRestrictedClients(await listRestricted(unlimited.sql)),
  )
  // A failure is logged and repeated by the job that does the same every five seconds.
  siblings.listen('clients', () => void refreshRestricted().catch(() => {}))
  const refreshRestrictedEverywhere = async () => {
    await refreshRestricted()
    siblings.tell('clients')
  }
  let sharedJobs: SharedJobs | undefined
  siblings.listen('imports', () => sharedJobs && importWorker.wake())
  // The process with the jobs runs all imports.
  const wakeImports = () => {
    if (sharedJobs) importWorker.wake()
    else siblings.tell('imports')
  }

  const app = createServer({
    log,
    trustProxy: config.trustProxy,
    isPublicHttps: config.publicUrl?.startsWith('https:') ?? false,
  })
  tracing?.install(app)
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
    siblings,
  })

  healthRoutes(app, {
    checks: { database: db.ping, repositories: repositories.check },
    metrics: { contentType: metrics.contentType, metrics: siblings.metrics ?? (() => metrics.metrics()) },
  })
  docsRoutes(app, { document })
  applicantRoutes(app, { responses, applicants, families, numbers })
  importRoutes(app, {
    responses,
    pagination,
    imports,
    worker: { wake: wakeImports },
    maxBytes: config.maxImportBytes,
  })
  caseRoutes(app, { responses, pagination, cases, steps, notes })
  documentRoutes(app, { responses, pagination, documents, files, transfers })
  uploadRoutes(app, {
    responses,
    documents,
    deskDocuments,
    uploads,
    caseNotFound,
    applicantNotFound,
    maxBytes: config.maxUploadBytes,
    spoolFolder: `${config.dataDir}/spool`,
    transfers,
  })
  checklistRoutes(app, { responses, checklists })
  processChecklistRoutes(app, { responses, processChecklists })
  deskDocumentRoutes(app, { responses, deskDocuments, files, transfers })
  timelineRoutes(app, { responses, pagination, timeline })
  applicantSearchRoutes(app, { responses, pagination, search, summaries })
  caseListRoutes(app, { responses, pagination, caseList })
  documentListRoutes(app, { responses, pagination, documentList })
  deskRoutes(app, { responses, desk })
  viewRoutes(app, { responses, views })
  duplicateRoutes(app, { responses, pagination, duplicates })
  mergeRoutes(app, { responses, pagination, merges })
  oauthRoutes(app, { endpoint, keys, externalIssuer: config.oidc?.issuer })
  companyRoutes(app, { responses, companies })
  processRoutes(app, { responses, processes })
  webhookRoutes(app, { responses, pagination, webhooks })
  changesRoutes(app, { pagination, changes, record: audit.record })
  exportRoutes(app, { pagination, exports })
  // Before the server waits for its requests to end.
  app.addHook('preClose', async () => feedWatch.stop())
  notificationRoutes(app, { sql: db.sql, pagination })
  auditRoutes(app, { audit, pagination })
  clientRoutes(app, { responses, clients, refreshRestricted: refreshRestrictedEverywhere })
  blockedCallerRoutes(app, { responses, blockedCallers, refreshDisabled: refreshRestrictedEverywhere })
  const nameOfClient = async (clientId: string) => (await clients.find(clientId))?.name ?? clientId
  userRoutes(app, { responses, users, browser, forgetSessions: sessions.forget, nameOfClient })
  calendarRoutes(app, { responses, calendars, browser })
  signInRoutes(app, { browser, responses, users: allUsers, sessions, signIn, totp, passkeys, now, siblings })
  signInPageRoutes(app, { browser, users: allUsers, invitations, sessions, signIn, totp, passkeys, now })
  consoleRoutes(app, {
    folder: config.consoleDir,
    publicBase: browser.publicBase,
    async isSignedIn(request) {
      const token = browser.read(request)
      return token !== undefined && (await sessions.verify(token)) !== undefined
    },
  })

  const startAllSharedJobs = () => {
    sharedJobs ??= startSharedJobs(app, {
      audit,
      caseKeys,
      deliveries,
      duplicateFinder,
      importWorker,
      mailer,
      passportReminders,
      renewals,
      repositories,
      responses,
      searchKeys,
      signIn,
      uploads,
    })
  }

  return {
    app,
    metrics,
    document,
    loadDemo: () =>
      runUnlimited(() =>
        loadDemo({
          db,
          clock,
          recorders,
          companies,
          processes,
          processChecklists,
          families,
          cases,
          steps,
          notes,
          checklists,
          uploads,
          views,
          webhooks,
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
      await cursorSecret.load()
      await refreshRestricted()
      startOwnJobs(app, { keys, refreshRestricted, repositories })
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
