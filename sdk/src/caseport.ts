// The client: one object with a property for each kind of record.
import { createApplicants } from './applicants.ts'
import { type Auth, createAuthenticator } from './auth.ts'
import { createCalls } from './calls.ts'
import { createCases } from './cases.ts'
import { type Connection, connections } from './connections.ts'
import { createDesk } from './desk.ts'
import { createDocuments } from './documents.ts'
import { invalidArgument } from './errors.ts'
import { createOperators } from './operators.ts'
import { createTransport } from './transport.ts'
import { createUsers } from './users.ts'

export interface CaseportOptions {
  /** Address of the service. A page of the service may leave it out. */
  baseUrl?: string | undefined
  auth: Auth
  /** Milliseconds for a call, retries included; 60,000 by default, 0 is no limit. Transfers of files have none. */
  deadline?: number | undefined
  /** How often a failed attempt is repeated; 4 by default. */
  retries?: number | undefined
  /** Needed to change employee numbers. */
  apiKey?: string | undefined
  /** Takes the place of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
}

export type Caseport = ReturnType<typeof createCaseport>

const DEFAULT_DEADLINE_MS = 60_000
const DEFAULT_RETRIES = 4

export function createCaseport(options: CaseportOptions) {
  const { auth, deadline = DEFAULT_DEADLINE_MS, retries = DEFAULT_RETRIES, apiKey } = options
  const baseUrl = checkedUrl(options.baseUrl ?? globalThis.location?.origin)
  // Called without its object, the fetch of browsers fails.
  const fetch: typeof globalThis.fetch = options.fetch ?? ((...call) => globalThis.fetch(...call))
  const transport = createTransport({
    fetch,
    auth: createAuthenticator(auth, { url: `${baseUrl}/oauth/token`, fetch }),
    defaults: { deadline, retries },
  })
  const calls = createCalls({ transport, baseUrl })
  const connection: Connection = { calls, baseUrl, ownFetch: options.fetch !== undefined }
  const client = {
    applicants: createApplicants(calls, apiKey),
    cases: createCases(calls),
    documents: createDocuments(calls, connection),
    ...createDesk(calls),
    ...createUsers(calls),
    ...createOperators(calls, connection),

    /** Every operation by its path, with the same authentication, retries and errors: `api.GET('/v2/…', …)`. */
    api: calls.api,

    /** The ETag of a record that this client returned. */
    etagOf: calls.etagOf,
  }
  connections.set(client, connection)
  return client
}

function checkedUrl(given = ''): string {
  // The address is not part of the message: it may have a password, and errors are logged.
  if (!URL.canParse(given) || !/^https?:[^?#@]+$/.test(given))
    throw invalidArgument('baseUrl', 'Expected an http or https URL without user, query or fragment.')
  return given.replace(/\/+$/, '')
}
