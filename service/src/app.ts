// The map of the service: what it is made of and in which order. One line a feature.

import type { FastifyBaseLogger } from 'fastify'
import packageJson from '../package.json' with { type: 'json' }
import { applicantConstraints, applicantNotFound } from './applicants/applicants.errors.ts'
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
import { clientRoutes } from './auth/clients.routes.ts'
import { clientConstraints, createClients } from './auth/clients.service.ts'
import { listDisabled } from './auth/clients.store.ts'
import { oauthRoutes } from './auth/oauth.routes.ts'
import { createOutsideIssuer, issuerUnavailable } from './auth/outside-issuer.ts'
import { createSigningKeys } from './auth/signing-keys.service.ts'
import { createTokenEndpoint } from './auth/token-endpoint.ts'
import { createTokens } from './auth/tokens.service.ts'
import type { BlobStore } from './blobs/blob-store.ts'
import { caseRoutes } from './cases/cases.routes.ts'
import { caseNotFound, createCases, touchCasesOf } from './cases/cases.service.ts'
import { createNotes } from './cases/notes.service.ts'
import { createSteps } from './cases/steps.service.ts'
import { companyRoutes } from './companies/companies.routes.ts'
import { companyConstraints, createCompanies } from './companies/companies.service.ts'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import { createSecret } from './db/secret.ts'
import { loadDemo } from './demo/demo.ts'
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
import { createAnswers } from './http/answers.ts'
import type { App } from './http/app-types.ts'
import { installAuthorization } from './http/authorization.ts'
import { docsRoutes } from './http/docs.routes.ts'
import { healthRoutes } from './http/health.routes.ts'
import { installMetrics } from './http/metrics.ts'
import { collectRoutes, openApiDocument } from './http/openapi.ts'
import { createPagination } from './http/pagination.ts'
import { installProblems, invalid } from './http/problems.ts'
import { createServer } from './http/server.ts'
import type { Clock } from './lib/clock.ts'
import type { CountryCode } from './lib/country-codes.ts'
import { every } from './lib/every.ts'
import { inTurn } from './lib/in-turn.ts'
import { processRoutes } from './processes/processes.routes.ts'
import { createProcesses } from './processes/processes.service.ts'
import { notificationRoutes } from './reminders/notifications.routes.ts'
import { createMailer } from './reminders/notifications.worker.ts'
import { createRenewals } from './reminders/renewals.worker.ts'

export interface AppParts {
  config: Config
  db: Database
  /** Where the files of each country lie. */
  blobs: Record<CountryCode, BlobStore>
  log: FastifyBaseLogger
  clock: Clock
  /** How much memory files on their way may take. */
  transfers?: Transfers
}

export interface BuiltApp {
  app: App
  /** Reads what must be known before the first request, and begins the work that goes on beside requests. */
  start(): Promise<void>
  document(): object
  /** A believable world for a newcomer, loaded once; answers whether it was loaded now. */
  loadDemo(): Promise<boolean>
}

const DESCRIPTION = `
Caseport keeps immigration cases: applicants and their dependents, passports and documents, cases with their steps and notes.

Get a token from \`POST /oauth/token\`, send it as \`Authorization: Bearer …\`, and branch on the \`code\` of a problem document when something is refused.`.trim()

const TAGS = [
  { name: 'Applicants', description: 'Primary applicants and their dependents.' },
  { name: 'Cases', description: 'Immigration cases, their steps and notes.' },
  { name: 'Documents', description: 'Document records and their files.' },
  { name: 'Authentication', description: 'Access tokens and what describes them.' },
  {
    name: 'Operator: applicants',
    description: 'Searching for people, and bringing archived dependents back.',
  },
  { name: 'Operator: cases', description: 'Moving cases along: status, steps and notes.' },
  { name: 'Operator: companies', description: 'The companies that cases may name.' },
  { name: 'Operator: processes', description: 'Templates of steps for new cases.' },
  { name: 'Operator: clients', description: 'Who may call the service: clients, secrets and API keys.' },
  { name: 'Operator: webhooks', description: 'Who is told of what happens, and what was sent to them.' },
  { name: 'Operator: notifications', description: 'Who was reminded of which renewal.' },
  { name: 'Operator: audit', description: 'Who read or changed which record.' },
  { name: 'Service', description: 'Health, metrics and this reference.' },
]

export function buildApp({
  config,
  db,
  blobs,
  log,
  clock,
  transfers = createTransfers(),
}: AppParts): BuiltApp {
  const clients = createClients({ db, clock })
  const issuer = { configured: config.publicUrl, fallback: `http://${config.host}:${config.port}` }
  const keys = createSigningKeys({ db, clock, issuer })
  const outside = config.oidc && createOutsideIssuer({ ...config.oidc, clock })
  const tokens = createTokens({ keys, outside, clock, ttl: config.tokenTtl })
  const endpoint = createTokenEndpoint({ clients, tokens, clock })
  const constraints = { ...clientConstraints, ...applicantConstraints, ...companyConstraints }
  const audit = createAudit({ sql: db.sql, clock })
  const recorders = { audit: audit.append, emit: appendEvents }
  const answers = createAnswers({ db, clock, recorders, auditRead: audit.read, constraints })
  const now = () => clock.now().getTime()
  const applicants = createApplicants(db.lookup)
  const touchReferences = createTouchReferences({ touchCases: touchCasesOf })
  const families = createFamilies({ sql: db.sql, invalid, touchReferences })
  const companies = createCompanies(db.sql)
  const processes = createProcesses(db.sql)
  const links = createLinks({ now })
  const cases = createCases({ lookup: db.lookup, families, links, companies, processes, applicantNotFound })
  const steps = createSteps({ sql: db.sql, invalid })
  const notes = createNotes(db.sql)
  const numbers = createNumbers({ invalid, now, touchReferences })
  const cursorSecret = createSecret({ db, name: 'cursors' })
  const pagination = createPagination(cursorSecret.value)
  const repositories = createRepositories(blobs)
  const scanner = config.clamdUrl ? createScanner(config.clamdUrl) : undefined
  const documents = createDocuments({ sql: db.sql, lookup: db.lookup, clock, families })
  const uploads = createUploads({ db, clock, repositories, scanner, log })
  const files = createFiles({ sql: db.sql, repositories, exists: documents.get })
  const search = createSearch({ sql: db.sql, touchReferences })
  const searchKeys = createKeyRefresh({ db, log })
  const allowPrivate = config.webhookAllowPrivate
  const webhooks = createWebhooks({ sql: db.sql, allowPrivate, invalid })
  const deliveries = createDeliveries({ db, clock, log, allowPrivate })
  const { mail, reminderDays: defaultDays } = config
  const renewals = createRenewals({ db, clock, recorders, defaultDays, mail })
  const mailer = mail && createMailer({ db, clock, log, mail })
  // One after the other, so that an older answer never comes out on top.
  const refreshDisabled = inTurn(async () => tokens.refuseClients(await listDisabled(db.sql)))

  const app = createServer({ log, trustProxy: config.trustProxy })
  const authenticator = { verify: tokens.verify, verifyApiKey: clients.verifyApiKey }
  const routes = collectRoutes(app)
  const metrics = installMetrics(app)
  const document = () =>
    openApiDocument(routes, {
      version: packageJson.version,
      description: DESCRIPTION,
      tags: TAGS,
      securedErrors: [issuerUnavailable],
    })
  installProblems(app, constraints)
  installAuthorization(app, { authenticator, now, rateLimit: config.rateLimit })

  healthRoutes(app, {
    checks: { database: db.ping, repositories: repositories.check },
    metrics,
  })
  docsRoutes(app, { document })
  applicantRoutes(app, { answers, applicants, families, numbers })
  caseRoutes(app, { answers, pagination, cases, steps, notes })
  documentRoutes(app, { answers, pagination, documents, files, transfers })
  uploadRoutes(app, {
    answers,
    documents,
    uploads,
    caseNotFound,
    maxBytes: config.maxUploadBytes,
    spoolFolder: `${config.dataDir}/spool`,
    transfers,
  })
  applicantSearchRoutes(app, { answers, pagination, search })
  oauthRoutes(app, { endpoint, keys, outsideIssuer: config.oidc?.issuer })
  companyRoutes(app, { answers, companies })
  processRoutes(app, { answers, processes })
  webhookRoutes(app, { answers, pagination, webhooks })
  notificationRoutes(app, { sql: db.sql, pagination })
  auditRoutes(app, { audit, pagination })
  clientRoutes(app, { answers, clients, refreshDisabled })

  const auditReads = async () => {
    await audit.flush()
    const reads = audit.takeDropped()
    if (reads > 0) log.warn({ reads }, 'reads are missing from the audit: the database was away for too long')
  }
  const failed = (task: string) => (error: unknown) =>
    app.log.warn(
      { task, code: (error as { code?: string }).code },
      'background work failed; it is tried again',
    )

  return {
    app,
    document,
    loadDemo: () => loadDemo({ db, clock, recorders, companies, families, cases, steps, notes, uploads }),
    async start() {
      await keys.rotate()
      await cursorSecret.load()
      await refreshDisabled()
      const stops = [
        every(300, auditReads, failed('audit of reads')),
        every(5_000, refreshDisabled, failed('disabled clients')),
        every(60_000, () => uploads.sweep(), failed('interrupted uploads')),
        every(3_600_000, repositories.sweep, failed('leftovers of repositories')),
        every(500, deliveries.dispatch, failed('dispatch of events')),
        every(500, deliveries.send, failed('webhook deliveries')),
        every(600_000, deliveries.forget, failed('old events')),
        every(60_000, renewals.find, failed('renewals')),
        ...(mailer ? [every(5_000, mailer.send, failed('reminders by e-mail'))] : []),
        every(60_000, searchKeys.run, failed('search keys')),
        every(600_000, () => answers.forgetOldKeys(), failed('idempotency keys')),
        every(3_600_000, () => keys.rotate(), failed('signing keys')),
      ]
      void renewals.find().catch(failed('renewals'))
      void searchKeys.run().catch(failed('search keys'))
      app.addHook('onClose', async () => {
        for (const stop of stops) stop()
        await Promise.all([deliveries.stop(), mailer?.stop(), searchKeys.stop()])
        await audit.flush().catch(failed('audit of reads'))
      })
    },
  }
}
