// Guards that can be broken on purpose. The product has no switch for it: the source of one file is changed while Node
// loads it, in the process under attack alone.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

interface Mutation {
  /** Below service/src. */
  file: string
  from: string
  to: string
}

export const GUARDS: Record<string, Mutation> = {
  'scope-check': {
    file: 'http/authorization.ts',
    from: '!principal.scopes.has(scope)',
    to: 'false',
  },
  'key-owner': {
    file: 'http/idempotency.ts',
    from: 'return { clientId, key, fingerprint }',
    to: "return { clientId: 'anybody', key, fingerprint }",
  },
  'token-signature': {
    file: 'auth/tokens.service.ts',
    from: 'const { payload } = await jwtVerify(token, key.publicKey, {',
    to: 'const payload = decodeJwt(token); void ({',
  },
  'body-check': {
    file: 'http/validation.ts',
    from: '? strict.compile(schema as object)',
    to: '? () => true',
  },
  'file-kinds': {
    file: 'documents/file-kind.ts',
    from: 'ACTIVE_MARKUP.test(text)',
    to: 'false',
  },
  'header-time': {
    file: 'http/server.ts',
    from: 'headersTimeout: HEADERS_TIMEOUT_MS',
    to: 'headersTimeout: 0',
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

/** What starts a service with this guard broken; nothing where it is not one of ours. */
export function breaking(guard: string | undefined): Record<string, string> {
  if (!guard || !GUARDS[guard]) return {}
  const hook = pathToFileURL(join(import.meta.dirname, 'guard-hook.ts')).href
  return { NODE_OPTIONS: `--import=${hook}`, BROKEN_GUARD: guard }
}
