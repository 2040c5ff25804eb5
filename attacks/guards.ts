// Guards that can be broken on purpose, and times that can be shortened. The service has no switch for this: guard-hook.ts
// changes the source of files while Node loads them, in the attacked process only. `npm run check:guards` fails when a change
// of the source makes one of these texts disappear.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

interface Mutation {
  /** Below service/src. */
  file: string
  /** Must occur exactly once in the file. */
  from: string
  to: string
}

export const GUARDS: Record<string, Mutation> = {
  'scope-check': {
    file: 'http/authorization.ts',
    from: '!principal.scopes.has(scope)',
    to: 'false',
  },
  'company-boundary': {
    file: 'http/authorization.ts',
    from: 'runAs(principal.companies, done)',
    to: 'runAs(null, done)',
  },
  'role-scopes': {
    file: 'lib/roles.ts',
    from: 'viewer: [...VIEWER],',
    to: 'viewer: ALL_SCOPES,',
  },
  'applicants-view': {
    file: 'db/limited-schema.ts',
    from: "applicants: belonging('applicants'),",
    to: "applicants: shared('applicants'),",
  },
  'cases-view': {
    file: 'db/limited-schema.ts',
    from: "cases: belonging('cases'),",
    to: "cases: shared('cases'),",
  },
  'documents-view': {
    file: 'db/limited-schema.ts',
    from: "documents: belonging('documents'),",
    to: "documents: shared('documents'),",
  },
  'audit-view': {
    file: 'db/limited-schema.ts',
    from: 'or a.record_ids is null and (',
    to: 'or true or a.record_ids is null and (',
  },
  'cache-bypass': {
    file: 'db/etag-cache.ts',
    from: 'if (bypass()) return',
    to: 'const hits = keys.filter(key => cache.get(key)); if (bypass() && hits.length > 0) return new Map(hits.map(key => [key, cache.get(key)])); if (bypass()) return',
  },
  'even-times': {
    file: 'db/limited-schema.ts',
    from: "applicants: belonging('applicants'),",
    to: "applicants: belonging('applicants').replace(' with local', ' or pg_sleep(0.004) is null with local'),",
  },
  'webhook-companies': {
    file: 'events/webhooks.store.ts',
    from: '  w.companies is null and not exists (',
    to: '  true or w.companies is null and not exists (',
  },
  // Numbers are then those of the inserts, not of the commits.
  'feed-order': {
    file: 'events/queue.store.ts',
    from: 'number = feed.first + t.position',
    to: 'number = t.seq',
  },
  'replay-companies': {
    file: 'http/idempotency.ts',
    from: '!includesAll(key.companies, stored.companies)',
    to: 'false',
  },
  'taken-id': {
    file: 'applicants/families.service.ts',
    from: 'throw isTaken ? new RetryTransaction(errors.applicantNotFound()) : error',
    to: 'throw error',
  },
  'key-owner': {
    file: 'http/idempotency.ts',
    from: 'return { clientId, key, fingerprint: fingerprint.digest(), companies, isSealed',
    to: "return { clientId: 'anybody', key, fingerprint: fingerprint.digest(), companies, isSealed",
  },
  identifiers: {
    file: 'http/identifiers.ts',
    from: 'principal?.scopes.has(identifiers.readScope)',
    to: 'true',
  },
  'grant-check': {
    file: 'lib/grants.ts',
    from: 'isScope(scope) && !caller.has(scope)',
    to: 'false && isScope(scope) && !caller.has(scope)',
  },
  'webhook-owner': {
    file: 'events/webhooks.service.ts',
    from: "scopes.has('admin') ? null : clientId)",
    to: "scopes.has('admin') ? null : clientId && null)",
  },
  'same-origin': {
    file: 'http/browser.ts',
    from: '!SAFE.has(request.method) && !isSameOrigin(request)',
    to: 'false && !SAFE.has(request.method) && !isSameOrigin(request)',
  },
  'session-end': {
    file: 'sign-in/sessions.store.ts',
    from: 's.ended_at is null and s.created_at',
    to: 's.created_at',
  },
  'user-grants': {
    file: 'users/users.service.ts',
    from: '!granter.scopes.has(scope)',
    to: 'false',
  },
  'password-check': {
    file: 'sign-in/sign-in.service.ts',
    from: '!user?.active || !right || !stored',
    to: '!user?.active || !stored',
  },
  'guess-limit': {
    file: 'sign-in/guess-limits.ts',
    from: 'const PER_ACCOUNT = 10',
    to: 'const PER_ACCOUNT = 10_000',
  },
  'token-signature': {
    file: 'auth/tokens.service.ts',
    from: 'const { payload } = await jwtVerify(token, key.publicKey, {',
    to: 'const payload = decodeJwt(token); void ({',
  },
  'audit-before-response': {
    file: 'http/audit.ts',
    from: 'const recorded = record(entryOf(request, reply))',
    to: 'const entry = entryOf(request, reply); const recorded = Promise.resolve(); setTimeout(() => record(entry).catch(() => {}), 100)',
  },
  'audit-chain': {
    file: 'audit/chain-verification.ts',
    from: 'if (whole.digest().equals(block.hash) && block.entries === rows.length) return []',
    to: 'if (whole.digest()) return []',
  },
  'import-results': {
    file: 'imports/import-batches.ts',
    from: 'await stored.updateResults(tx, one.importId, differing)',
    to: 'void differing',
  },
  'body-check': {
    file: 'http/validation.ts',
    from: '() => strict.compile(schema as object)',
    to: '() => () => true',
  },
  'error-limit': {
    file: 'lib/problem.ts',
    from: 'const MAX_ERRORS = 100',
    to: 'const MAX_ERRORS = Infinity',
  },
  'file-kinds': {
    file: 'documents/file-kind.ts',
    from: 'ACTIVE_MARKUP.test(text)',
    to: 'false',
  },
  'office-macros': {
    file: 'documents/office-file.ts',
    from: 'ACTIVE_TYPES.test(contentTypes) || names.some(isActive)',
    to: 'false',
  },
  'external-token-type': {
    file: 'auth/external-issuer.ts',
    from: '!isAccessToken(protectedHeader.typ, payload)',
    to: 'false',
  },
  'external-token-lifetime': {
    file: 'auth/external-issuer.ts',
    from: '!isShortLived(payload, now)',
    to: 'false',
  },
  'highest-timeline': {
    file: 'db/probe.ts',
    from: "{ role: 'primary', timeline: row.timeline }",
    to: "{ role: 'primary', timeline: 0 }",
  },
  // Bytes are removed first. On a former primary, the change of their rows is then never committed.
  'sweep-order': {
    file: 'documents/uploads.service.ts',
    from: 'await db.transaction(async tx => {',
    to: "const stale = await db.sql`select * from pending_uploads where alive_at < now() - interval '12 s'`; for (const { blob_key, country_code } of stale) { await repositories.of(country_code).delete(blob_key, { quarantine: true }); void store.deletePending(db.sql, blob_key).catch(() => {}); } if (stale) return stale.length; await db.transaction(async tx => {",
  },
  'read-share': {
    file: 'db/database.ts',
    from: 'isRead(statement) ? read(',
    // The migrations run with two connections; they check that reads are read-only.
    to: 'isRead(statement) && poolSize === 2 ? read(',
  },
  'second-connection': {
    file: 'db/hedged.ts',
    from: 'withTimeout(hedgeAfterMs, first.result)',
    to: 'withTimeout(timeoutMs, first.result)',
  },
  'header-time': {
    file: 'http/server.ts',
    from: 'headersTimeout: HEADERS_TIMEOUT_MS',
    to: 'headersTimeout: 0',
  },
  'unread-responses': {
    file: 'http/in-flight.ts',
    from: 'if (reply.raw.writableFinished) return',
    to: 'if (reply.raw.writableEnded) return',
  },
  'load-shedding': {
    file: 'http/shedding.ts',
    from: 'let slots = min',
    to: 'let slots = Infinity; min = Infinity',
  },
  'silent-log': {
    file: 'http/server.ts',
    from: 'traceId: request.traceId,',
    to: 'traceId: request.traceId, body: request.body, url: request.url,',
  },
}

/** Interrupted uploads are removed after seconds, not minutes, so that it happens during an attack. */
const QUICK_SWEEPS: Mutation[] = [
  {
    file: 'documents/uploads.service.ts',
    from: 'const HEARTBEAT_MS = 20_000',
    to: 'const HEARTBEAT_MS = 500',
  },
  { file: 'documents/uploads.service.ts', from: 'const STALE_MS = 150_000', to: 'const STALE_MS = 12_000' },
  { file: 'documents/uploads.service.ts', from: 'const DOOMED_MS = 120_000', to: 'const DOOMED_MS = 2_000' },
  {
    file: 'background-jobs.ts',
    from: 'runPeriodically(MINUTE, () => uploads.sweep()',
    to: 'runPeriodically(SECOND, () => uploads.sweep()',
  },
]

/** The file whose timers support/fake-clock-preload.ts speeds up, and the text that sets them. */
export const PERIODIC_TIMERS = { file: 'lib/async.ts', from: 'timer = setTimeout(' }

const SOURCE = join(import.meta.dirname, '..', 'service', 'src')

/**
 * The source with the guard broken. Throws if the text is missing or ambiguous, because the guard would silently stay
 * intact.
 */
export function mutate(source: string, { file, from, to }: Mutation): string {
  const found = source.split(from).length - 1
  if (found !== 1)
    throw new Error(
      `service/src/${file} contains the text ${found} times, not once: ${from} (attacks/guards.ts)`,
    )
  return source.replace(from, () => to)
}

/** Looks for the text of every guard in the source as it is; returns the errors. */
export function guardErrors(): string[] {
  const guards = Object.entries(GUARDS).map(([name, guard]) => [`Guard ${name}`, guard] as const)
  const sweeps = QUICK_SWEEPS.map(one => ['Quick sweeps', one] as const)
  const clock = ['Fake clock', { ...PERIODIC_TIMERS, to: '' }] as const
  return [...guards, ...sweeps, clock].flatMap(([name, mutation]) => {
    try {
      mutate(readFileSync(join(SOURCE, mutation.file), 'utf8'), mutation)
      return []
    } catch (error) {
      return [`${name}: ${(error as Error).message}`]
    }
  })
}

/** What guard-hook.ts changes in this process. */
export function mutationsIn(env: NodeJS.ProcessEnv): Mutation[] {
  const broken = GUARDS[env['BROKEN_GUARD'] ?? '']
  return [...(broken ? [broken] : []), ...(env['QUICK_SWEEPS'] ? QUICK_SWEEPS : [])]
}

const hook = { NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'guard-hook.ts')).href}` }

/** The environment that starts a service with this guard broken. Empty for guards that an attack breaks itself. */
export function envForBrokenGuard(guard: string | undefined): Record<string, string> {
  return guard && GUARDS[guard] ? { ...hook, BROKEN_GUARD: guard } : {}
}

/** The environment that starts a service that removes interrupted uploads after seconds. */
export const envForQuickSweeps: Record<string, string> = { ...hook, QUICK_SWEEPS: '1' }
