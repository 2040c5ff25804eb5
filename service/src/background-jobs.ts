// Starts the background jobs, each with its interval.

import type { KeyRefresh } from './applicants/search-keys.worker.ts'
import type { Audit } from './audit/audit.service.ts'
import type { SigningKeys } from './auth/signing-keys.service.ts'
import { runUnlimited } from './db/caller.ts'
import type { Repositories } from './documents/repositories.ts'
import type { Uploads } from './documents/uploads.service.ts'
import type { Deliveries } from './events/deliveries.worker.ts'
import type { App } from './http/app-types.ts'
import type { Responses } from './http/responses.ts'
import { runPeriodically } from './lib/async.ts'
import type { Mailer } from './reminders/notifications.worker.ts'
import type { Renewals } from './reminders/renewals.worker.ts'
import type { SignIn } from './sign-in/sign-in.service.ts'

interface Jobs {
  audit: Audit
  deliveries: Deliveries
  keys: SigningKeys
  /** Undefined where no SMTP server is configured. */
  mailer: Mailer | undefined
  refreshRestricted: () => Promise<void>
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

/** Starts the jobs; they stop when the app closes. They work for all companies. */
export function startBackgroundJobs(app: App, jobs: Jobs): void {
  runUnlimited(() => startJobs(app, jobs))
}

function startJobs(app: App, jobs: Jobs): void {
  const {
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
  } = jobs

  const logFailure = (task: string) => (error: unknown) =>
    app.log.warn(
      { task, code: (error as { code?: string }).code },
      'background work failed; it is tried again',
    )

  const stops = [
    runPeriodically(SECOND, audit.chain, logFailure('chain of the audit')),
    runPeriodically(500, deliveries.dispatch, logFailure('dispatch of events')),
    runPeriodically(500, deliveries.send, logFailure('webhook deliveries')),
    runPeriodically(5 * SECOND, refreshRestricted, logFailure('disabled and limited clients')),
    ...(mailer ? [runPeriodically(5 * SECOND, mailer.send, logFailure('reminders by e-mail'))] : []),
    runPeriodically(30 * SECOND, repositories.check, logFailure('check of repositories')),
    runPeriodically(MINUTE, () => uploads.sweep(), logFailure('interrupted uploads')),
    runPeriodically(MINUTE, renewals.find, logFailure('renewals')),
    runPeriodically(MINUTE, searchKeys.run, logFailure('search keys')),
    runPeriodically(10 * MINUTE, deliveries.deleteOld, logFailure('old events')),
    runPeriodically(10 * MINUTE, () => responses.deleteExpiredKeys(), logFailure('idempotency keys')),
    runPeriodically(10 * MINUTE, signIn.deleteExpired, logFailure('old sessions and invitations')),
    runPeriodically(HOUR, repositories.sweep, logFailure('orphans of repositories')),
    runPeriodically(HOUR, () => keys.rotate(), logFailure('signing keys')),
  ]
  // The first run does not wait for its interval.
  void renewals.find().catch(logFailure('renewals'))
  void searchKeys.run().catch(logFailure('search keys'))
  app.addHook('onClose', async () => {
    for (const stop of stops) stop()
    await Promise.all([deliveries.stop(), mailer?.stop(), searchKeys.stop()])
  })
}
