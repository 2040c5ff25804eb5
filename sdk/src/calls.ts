// What the methods of all resources share: the typed client, options of a call, entity tags, lists.
import createClient, { type Client } from 'openapi-fetch'
import { KEYED_POSTS, type operations, type paths } from './api-types.ts'
import { CaseportError, invalidArgument } from './errors.ts'
import { type Page, Pages } from './pages.ts'
import type { Transport } from './transport.ts'

export interface CallOptions {
  signal?: AbortSignal
  /** Milliseconds for the whole call, retries included; 0 is no limit. */
  deadline?: number
  /** How often a failed attempt is repeated. */
  retries?: number
}

/** A record that the SDK returned, or its ETag. */
export type Version = string | object

export interface WriteOptions extends CallOptions {
  /** Writes only over this version, or fails with `version-mismatch`. */
  ifMatch?: Version
}

export interface PostOptions extends CallOptions {
  /** Random by default. The same key with the same body has its effect once. */
  idempotencyKey?: string
}

export interface ReadOptions<T extends object> extends CallOptions {
  /** A record that was read before: the same object is returned if it has not changed. */
  ifNoneMatch?: T
}

/** The query of a list, which is read forwards. */
export type Query<Name extends keyof operations> = Omit<
  NonNullable<operations[Name]['parameters']['query']>,
  'prevCursor'
>

type AllOptions = WriteOptions & PostOptions & { ifNoneMatch?: object; apiKey?: string | undefined }

interface Result<T> {
  data?: T | undefined
  response: Response
}

/**
 * A write returns the record, or only its identifiers to a client without the scope that reads it. Most clients have both
 * scopes, so that methods have the type of the whole record.
 */
export type Whole<T> = Extract<T, { updatedAt: string } | { primaryApplicant: { updatedAt: string } }>

export type Api = Client<paths>
export type Calls = ReturnType<typeof createCalls>

export function createCalls({ transport, baseUrl }: { transport: Transport; baseUrl: string }) {
  const etags = new WeakMap<object, string>()
  const api: Api = createClient<paths>({ baseUrl, fetch: request => transport.exchange(request) })
  api.use({
    onRequest({ request, schemaPath, params }) {
      checkPath(params.path)
      if (request.method !== 'POST') return
      // The other POSTs ignore a key, so that they must not be repeated as if they had one.
      if (!KEYED_POSTS.includes(schemaPath)) request.headers.delete('idempotency-key')
      else if (!request.headers.has('idempotency-key')) request.headers.set('idempotency-key', randomText())
    },
  })

  const remember = (value: unknown, response: Response) => {
    const etag = response.headers.get('etag')
    if (etag === null || typeof value !== 'object' || value === null) return
    etags.set(value, etag)
    // The ETag of a family is that of its primary applicant.
    const { primaryApplicant } = value as { primaryApplicant?: object }
    if (primaryApplicant) etags.set(primaryApplicant, etag)
  }

  const etagOf = (version: Version): string => {
    const etag = typeof version === 'string' ? version : etags.get(version)
    if (etag === undefined)
      throw invalidArgument('ifMatch', 'This object has no ETag: pass a record as the SDK returned it.')
    return etag
  }

  const calls = {
    api,
    transport,

    /** The ETag of a record that this client returned. */
    etagOf,

    /** Options of a call, as the typed client takes them. */
    init({ signal, ifMatch, ifNoneMatch, idempotencyKey, apiKey, ...limits }: AllOptions = {}) {
      const headers: Record<string, string> = {
        ...(ifMatch !== undefined && { 'if-match': etagOf(ifMatch) }),
        ...(ifNoneMatch !== undefined && { 'if-none-match': etagOf(ifNoneMatch) }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      }
      const fetch = (request: Request) => transport.exchange(request, limits)
      return { headers, fetch, ...(signal && { signal }) }
    },

    /** The body of a response. */
    async result<T>(call: Promise<Result<T>>): Promise<NonNullable<T>> {
      const { data, response } = await parsed(call)
      remember(data, response)
      return data as NonNullable<T>
    },

    /** The record that a write returns. */
    saved: <T>(call: Promise<Result<T>>): Promise<Whole<T>> => calls.result(call) as Promise<Whole<T>>,

    /** The body of a response, or `known` if it has not changed. */
    async record<T extends object>(call: Promise<Result<T>>, known: T | undefined): Promise<T> {
      const { data, response } = await parsed(call)
      if (response.status === 304 && known) return known
      remember(data, response)
      return data as T
    },

    async done(call: Promise<unknown>): Promise<void> {
      await call
    },

    list: <T, P extends Page<T>>(
      read: (cursor: { nextCursor?: string }) => Promise<Result<P>>,
    ): Pages<P['records'][number], P> =>
      new Pages(nextCursor => calls.result(read(nextCursor === undefined ? {} : { nextCursor }))),
  }
  return calls
}

/** A body that is no JSON, although the status is a success, comes from something else than the service. */
async function parsed<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    const detail =
      'The response is no JSON. Check baseUrl, and whether a proxy responds in place of the service.'
    throw new CaseportError('invalid-response', { detail, cause })
  }
}

/** An empty segment, or one of dots, would make the path of another operation. */
export function checkPath(path: Record<string, unknown> = {}): void {
  for (const [name, value] of Object.entries(path))
    if (/^\.{0,2}$/.test(String(value ?? ''))) throw invalidArgument(name, 'Must not be empty, "." or "..".')
}

/** 128 random bits. `crypto.randomUUID` does not exist on pages without TLS. */
export const randomText = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')
