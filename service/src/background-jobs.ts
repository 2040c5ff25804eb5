// Starts the background jobs, each with its interval.

import type { DuplicateFinder } from './applicants/duplicates.worker.ts'
import type { KeyRefresh } from './applicants/search-keys.worker.ts'
import type { Audit } from './audit/audit.service.ts'
import type { SigningKeys } from './auth/signing-keys.service.ts'
import { runUnlimited } from './db/caller.ts'
import type { Repositories } from './documents/repositories.ts'
import type { Uploads } from './documents/uploads.service.ts'
import type { Deliveries } from './events/deliveries.worker.ts'
import type { App } from './http/app-types.ts'
import type { Responses } from './http/responses.ts'
import type { ImportWorker } from './imports/imports.worker.ts'
import { runPeriodically } from './lib/async.ts'
import type { Mailer } from './reminders/notifications.worker.ts'
import type { PassportReminders } from './reminders/passports.worker.ts'
import type { Renewals } from './reminders/renewals.worker.ts'
import type { SignIn } from './sign-in/sign-in.service.ts'

/** What each process does for itself. */
interface OwnWork {
  keys: SigningKeys
  refreshRestricted: () => Promise<void>
  repositories: Repositories
}

/** What one process does for all processes of the service. */
interface SharedWork {
  audit: Audit
  caseKeys: KeyRefresh
  deliveries: Deliveries
  duplicateFinder: DuplicateFinder
  importWorker: ImportWorker
  /** Undefined where no SMTP server is configured. */
  mailer: Mailer | undefined
  passportReminders: PassportReminders
  renewals: Renewals
  repositories: Repositories
  responses: Responses
  searchKeys: KeyRefresh
  signIn: SignIn
  uploads: Uploads
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

export interface SharedJobs {
  /** Resolves when the last of them has ended. */
  stop(): Promise<void>
}

const logFailureOf = (app: App) => (task: string) => (error: unknown) =>
  app.log.warn({ task, code: (error as { code?: string }).code }, 'background work failed; it is tried again')

/** Keeps what this process caches up to date, until the app closes. */
export function startOwnJobs(app: App, { keys, refreshRestricted, repositories }: OwnWork): void {
  const logFailure = logFailureOf(app)
  const stops = runUnlimited(() => [
    runPeriodically(5 * SECOND, refreshRestricted, logFailure('disabled and limited clients')),
    runPeriodically(30 * SECOND, repositories.check, logFailure('check of repositories')),
    runPeriodically(HOUR, () => keys.rotate(), logFailure('signing keys')),
  ])
  app.addHook('onClose', async () => {
    for (const stop of stops) stop()
  })
}

/** Starts all other jobs. They work for all companies. */
export function startSharedJobs(app: App, work: SharedWork): SharedJobs {
  return runUnlimited(() => startJobs(app, work))
}

function startJobs(app: App, work: SharedWork): SharedJobs {
  const {
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
  } = work
  const logFailure = logFailureOf(app)
  const stops = [
    runPeriodically(SECOND, audit.chain, logFailure('chain of the audit')),
    runPeriodically(500, deliveries.dispatch, logFailure('dispatch of events')),
    runPeriodically(500, deliveries.send, logFailure('webhook deliveries')),
    runPeriodically(SECOND, duplicateFinder.run, logFailure('comparison of duplicates')),
    runPeriodically(SECOND, importWorker.run, logFailure('imports')),
    runPeriodically(MINUTE, importWorker.sweep, logFailure('old imports')),
    ...(mailer ? [runPeriodically(5 * SECOND, mailer.send, logFailure('reminders by e-mail'))] : []),
    runPeriodically(MINUTE, () => uploads.sweep(), logFailure('interrupted uploads')),
    runPeriodically(MINUTE, renewals.find, logFailure('renewals')),
    runPeriodically(MINUTE, passportReminders.find, logFailure('reminders of passports')),
    runPeriodically(MINUTE, searchKeys.run, logFailure('search keys')),
    runPeriodically(MINUTE, caseKeys.run, logFailure('search keys of cases')),
    runPeriodically(10 * MINUTE, deliveries.deleteOld, logFailure('old events')),
    runPeriodically(10 * MINUTE, () => responses.deleteExpiredKeys(), logFailure('idempotency keys')),
    runPeriodically(10 * MINUTE, signIn.deleteExpired, logFailure('old sessions and invitations')),
    runPeriodically(HOUR, repositories.sweep, logFailure('orphans of repositories')),
    runPeriodically(HOUR, audit.addPartitions, logFailure('partitions of the audit')),
  ]
  // The first run does not wait for its interval.
  void renewals.find().catch(logFailure('renewals'))
  void passportReminders.find().catch(logFailure('reminders of passports'))
  void searchKeys.run().catch(logFailure('search keys'))
  void caseKeys.run().catch(logFailure('search keys of cases'))
  void audit.addPartitions().catch(logFailure('partitions of the audit'))
  return {
    async stop() {
      for (const stop of stops) stop()
      await Promise.all([
        deliveries.stop(),
        mailer?.stop(),
        searchKeys.stop(),
        caseKeys.stop(),
        duplicateFinder.stop(),
        importWorker.stop(),
      ])
    },
  }
}
