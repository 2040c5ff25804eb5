// Registers the routes of all features.
import type { Registry } from 'prom-client'
import { applicantNotFound } from './applicants/applicants.errors.ts'
import { applicantRoutes } from './applicants/applicants.routes.ts'
import { duplicateRoutes } from './applicants/duplicates.routes.ts'
import { mergeRoutes } from './applicants/merges.routes.ts'
import { applicantSearchRoutes } from './applicants/search.routes.ts'
import { auditRoutes } from './audit/audit.routes.ts'
import { blockedCallerRoutes } from './auth/blocked-callers.routes.ts'
import { clientRoutes } from './auth/clients.routes.ts'
import { oauthRoutes } from './auth/oauth.routes.ts'
import { calendarRoutes } from './calendar/calendars.routes.ts'
import { caseListRoutes } from './cases/case-list.routes.ts'
import { caseRoutes } from './cases/cases.routes.ts'
import { caseNotFound } from './cases/cases.service.ts'
import { checklistRoutes } from './cases/checklists.routes.ts'
import { companyRoutes } from './companies/companies.routes.ts'
import type { Config } from './config.ts'
import { consoleRoutes } from './console/console.routes.ts'
import { deskRoutes } from './desk/desk.routes.ts'
import { viewRoutes } from './desk/views.routes.ts'
import { deskDocumentRoutes } from './documents/desk-documents.routes.ts'
import { documentListRoutes } from './documents/document-list.routes.ts'
import { documentRoutes } from './documents/documents.routes.ts'
import { uploadRoutes } from './documents/upload.routes.ts'
import { changesRoutes } from './events/changes.routes.ts'
import { webhookRoutes } from './events/webhooks.routes.ts'
import { exportRoutes } from './exports/exports.routes.ts'
import type { App } from './http/app-types.ts'
import { docsRoutes } from './http/docs.routes.ts'
import { healthRoutes } from './http/health.routes.ts'
import { importRoutes } from './imports/imports.routes.ts'
import { processChecklistRoutes } from './processes/process-checklists.routes.ts'
import { processRoutes } from './processes/processes.routes.ts'
import { notificationRoutes } from './reminders/notifications.routes.ts'
import type { Services } from './services.ts'
import { signInPageRoutes } from './sign-in/page.routes.ts'
import { signInRoutes } from './sign-in/sign-in.routes.ts'
import { timelineRoutes } from './timeline/timeline.routes.ts'
import { userRoutes } from './users/users.routes.ts'

interface RouteParts {
  services: Services
  config: Config
  metrics: Registry
  document: () => object
  wakeImports: () => void
  /** Reads which clients are disabled or limited, in all processes. */
  refreshRestricted: () => Promise<void>
}

export function registerRoutes(
  app: App,
  { services, config, metrics, document, wakeImports, refreshRestricted }: RouteParts,
): void {
  const { allUsers, audit, browser, clients, db, feedWatch, repositories, sessions, bus } = services
  healthRoutes(app, {
    checks: { database: db.ping, repositories: repositories.check },
    metrics: { contentType: metrics.contentType, metrics: bus.metrics ?? (() => metrics.metrics()) },
  })
  docsRoutes(app, { document })
  applicantRoutes(app, services)
  importRoutes(app, { ...services, worker: { wake: wakeImports }, maxBytes: config.maxImportBytes })
  caseRoutes(app, services)
  documentRoutes(app, services)
  uploadRoutes(app, {
    ...services,
    caseNotFound,
    applicantNotFound,
    maxBytes: config.maxUploadBytes,
    spoolFolder: `${config.dataDir}/spool`,
  })
  checklistRoutes(app, services)
  processChecklistRoutes(app, services)
  deskDocumentRoutes(app, services)
  timelineRoutes(app, services)
  applicantSearchRoutes(app, services)
  caseListRoutes(app, services)
  documentListRoutes(app, services)
  deskRoutes(app, services)
  viewRoutes(app, services)
  duplicateRoutes(app, services)
  mergeRoutes(app, services)
  oauthRoutes(app, { ...services, externalIssuer: config.oidc?.issuer })
  companyRoutes(app, services)
  processRoutes(app, services)
  webhookRoutes(app, services)
  changesRoutes(app, { ...services, record: audit.record })
  exportRoutes(app, services)
  // Before the server waits for its requests to end.
  app.addHook('preClose', async () => feedWatch.stop())
  notificationRoutes(app, { ...services, sql: db.sql })
  auditRoutes(app, services)
  clientRoutes(app, { ...services, refreshRestricted })
  blockedCallerRoutes(app, { ...services, refreshDisabled: refreshRestricted })
  const nameOfClient = async (clientId: string) => (await clients.find(clientId))?.name ?? clientId
  userRoutes(app, { ...services, forgetSessions: sessions.forget, nameOfClient })
  calendarRoutes(app, services)
  // A sign-in comes before there is a caller.
  signInRoutes(app, { ...services, users: allUsers })
  signInPageRoutes(app, { ...services, users: allUsers })
  consoleRoutes(app, {
    folder: config.consoleDir,
    publicBase: browser.publicBase,
    async findScopes(request) {
      const token = browser.read(request)
      return token === undefined ? undefined : (await sessions.verify(token))?.scopes
    },
  })
}
