// Creates the services of all features, in the order in which they depend on each other.
import { applicantConstraints } from './applicants/applicants.errors.ts'
import { createApplicants, everyFamily } from './applicants/applicants.service.ts'
import { createDuplicates } from './applicants/duplicates.service.ts'
import { createDuplicateFinder } from './applicants/duplicates.worker.ts'
import { createFamilies } from './applicants/families.service.ts'
import { createFamilyBatches } from './applicants/family-batches.ts'
import { createLinks } from './applicants/links.service.ts'
import { createMerges } from './applicants/merges.service.ts'
import { createNumbers } from './applicants/numbers.service.ts'
import { createTouchReferences } from './applicants/references.service.ts'
import { createSearch } from './applicants/search.service.ts'
import { createKeyRefresh } from './applicants/search-keys.worker.ts'
import { createSummaries } from './applicants/summaries.service.ts'
import { createAudit } from './audit/audit.service.ts'
import { createBlockedCallers } from './auth/blocked-callers.service.ts'
import { clientConstraints, createClients } from './auth/clients.service.ts'
import { findState } from './auth/clients.store.ts'
import { createExternalIssuer } from './auth/external-issuer.ts'
import { createSigningKeys } from './auth/signing-keys.service.ts'
import { createTokenEndpoint } from './auth/token-endpoint.ts'
import { createTokens } from './auth/tokens.service.ts'
import type { BlobStore } from './blobs/blob-store.ts'
import { createCalendars } from './calendar/calendars.service.ts'
import { createCaseKeyRefresh } from './cases/case-keys.worker.ts'
import { createCaseList } from './cases/case-list.service.ts'
import { createCases, everyCase, mergedCases, touchCasesOf } from './cases/cases.service.ts'
import { createChecklists } from './cases/checklists.service.ts'
import { createNotes } from './cases/notes.service.ts'
import { createSteps } from './cases/steps.service.ts'
import { companyConstraints, createCompanies } from './companies/companies.service.ts'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import { limitByCaller } from './db/limited-access.ts'
import { createSharedSecret } from './db/shared-secret.ts'
import { createDesk } from './desk/desk.service.ts'
import { createViews, viewConstraints } from './desk/views.service.ts'
import { createDeskDocuments } from './documents/desk-documents.service.ts'
import { createDocumentList } from './documents/document-list.service.ts'
import { createDocuments } from './documents/documents.service.ts'
import { createFiles } from './documents/files.service.ts'
import { createRepositories } from './documents/repositories.ts'
import { createScanner } from './documents/scanner.ts'
import { createTransfers, type Transfers } from './documents/transfers.ts'
import { createUploads } from './documents/uploads.service.ts'
import { createChanges } from './events/changes.service.ts'
import { createDeliveries } from './events/deliveries.worker.ts'
import { createFeedWatch } from './events/feed-watch.ts'
import { appendEvents } from './events/outbox.store.ts'
import { createWebhooks } from './events/webhooks.service.ts'
import { createExports } from './exports/exports.service.ts'
import { createBrowser } from './http/browser.ts'
import { createPagination } from './http/pagination.ts'
import { createResponses } from './http/responses.ts'
import { createImports, type IsAllowed } from './imports/imports.service.ts'
import { createImportWorker } from './imports/imports.worker.ts'
import type { Clock } from './lib/clock.ts'
import type { CountryCode } from './lib/countries.ts'
import { externalPrefixOf } from './lib/external-caller.ts'
import type { Log } from './lib/log.ts'
import type { Sealer } from './lib/sealing.ts'
import { ONE_PROCESS, type WorkerBus } from './lib/worker-bus.ts'
import { createProcessChecklists } from './processes/process-checklists.service.ts'
import { createProcesses } from './processes/processes.service.ts'
import { createMailer } from './reminders/notifications.worker.ts'
import { createPassportReminders } from './reminders/passports.worker.ts'
import { createReminders, mergedReminders } from './reminders/reminders.service.ts'
import { createRenewals } from './reminders/renewals.worker.ts'
import { createChallenges } from './sign-in/challenges.ts'
import { createExternalLogin } from './sign-in/external-login.ts'
import { createGuessLimits } from './sign-in/guess-limits.ts'
import { createPasskeys } from './sign-in/passkeys.service.ts'
import { createPasswords } from './sign-in/passwords.ts'
import { createSessions } from './sign-in/sessions.service.ts'
import { createSignIn } from './sign-in/sign-in.service.ts'
import { createTotp } from './sign-in/totp.service.ts'
import { createTimeline } from './timeline/timeline.service.ts'
import type { Tracing } from './tracing.ts'
import { createInvitations } from './users/invitations.service.ts'
import { userConstraints } from './users/users.errors.ts'
import { createUsers } from './users/users.service.ts'

export interface ServiceParts {
  config: Config
  db: Database
  /** Seals the secrets that are stored in the database. */
  sealer: Sealer
  /** The file repository of each country. */
  blobs: Record<CountryCode, BlobStore>
  log: Log
  clock: Clock
  /** The memory budget of uploads and downloads. */
  transfers?: Transfers
  /** Undefined where no collector of traces is configured. */
  tracing?: Tracing | undefined
  /** The other processes of this service. */
  bus?: WorkerBus
  /** How many requests have ended since the start. */
  endedRequests: () => number
}

export type Services = ReturnType<typeof createServices>

/** Creates the services of each feature. What they share, such as the database, is passed down from here. */
export function createServices({
  config,
  db: untraced,
  sealer,
  blobs,
  log,
  clock,
  transfers = createTransfers(),
  tracing,
  bus = ONE_PROCESS,
  endedRequests,
}: ServiceParts) {
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
  const endpoint = createTokenEndpoint({ clients, tokens, clock, bus })
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
    const grant = { scopes: ['applicants:write'], companies }
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
    families: familyBatches,
    isAllowed: mayStillImport,
    endedRequests: endedRequests,
  })
  const companies = createCompanies(db.sql)
  const processes = createProcesses(db.sql)
  const links = createLinks({ now, bus })
  const cases = createCases({ lookup: db.lookup, families, links, companies, processes })
  const steps = createSteps(db.sql)
  const notes = createNotes(db.sql)
  const numbers = createNumbers({ now, bus, touchReferences })
  const cursorSecret = createSharedSecret({ db: unlimited, sealer, name: 'cursors' })
  const pagination = createPagination(cursorSecret.value)
  const repositories = createRepositories(blobs, log)
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
  const timeline = createTimeline({ applicants, merges, audit, cases, steps, notes, documents, reminders })
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
  const webhooks = createWebhooks({ sql: db.sql, sealer, clock, allowPrivate, bus })
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
  const sessions = createSessions({ db: unlimited, clock, log, bus })
  const calendars = createCalendars({ sql: db.sql, unlimited: sql, clock, bus })
  const passwords = createPasswords({ processes: bus.processes })
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
    limits: createGuessLimits({ now, bus }),
    external: config.loginIssuer && createExternalLogin(config.loginIssuer),
    passwordEnabled: config.loginPassword,
  })

  return {
    unlimited,
    db,
    clients,
    blockedCallers,
    keys,
    externalIssuer,
    tokens,
    endpoint,
    constraints,
    audit,
    recorders,
    responses,
    now,
    applicants,
    families,
    imports,
    importWorker,
    companies,
    processes,
    cases,
    steps,
    notes,
    numbers,
    cursorSecret,
    pagination,
    repositories,
    documents,
    deskDocuments,
    processChecklists,
    checklists,
    uploads,
    files,
    search,
    duplicates,
    duplicateFinder,
    merges,
    timeline,
    searchKeys,
    caseKeys,
    caseList,
    documentList,
    summaries,
    views,
    webhooks,
    desk,
    deliveries,
    feedWatch,
    changes,
    exports,
    renewals,
    passportReminders,
    mailer,
    browser,
    sessions,
    calendars,
    totp,
    passkeys,
    invitations,
    users,
    allUsers,
    signIn,
    bus,
    transfers,
  }
}
