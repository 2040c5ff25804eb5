// What the methods of all resources share: the typed client, options of a call, entity tags, lists.
import createClient, { type Client } from 'openapi-fetch'
import { type components, type operations, type paths, UNKEYED_POSTS } from './api-types.ts'
import { invalidArgument, invalidResponse } from './errors.ts'
import { type Page, Pages } from './pages.ts'
import { hexOf } from './sha256.ts'
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

/** The query of a list, without what moves between its pages. */
export type Query<Name extends keyof operations> = Omit<
  NonNullable<operations[Name]['parameters']['query']>,
  'prevCursor'
>

type AllOptions = WriteOptions & PostOptions & { ifNoneMatch?: object; apiKey?: string | undefined }
type Method = 'get' | 'put' | 'post' | 'patch' | 'delete'

/** The paths that have an operation with this method. */
type PathsOf<M extends Method> = {
  [P in keyof paths]: paths[P][M] extends { responses: object } ? P : never
}[keyof paths]

/** The parameters of an operation in its path. */
type InPath<P extends keyof paths, M extends Method> = paths[P][M] extends { parameters: { path: infer T } }
  ? T
  : Record<string, never>

type InQuery<P extends keyof paths> = paths[P]['get'] extends { parameters: { query?: infer T } } ? T : never

type Body<P extends keyof paths, M extends Method> = paths[P][M] extends {
  requestBody?: { content: { 'application/json': infer T } }
}
  ? T
  : undefined

type Json<T> = T extends { content: { 'application/json': infer Content } } ? Content : never

/** What an operation returns, or undefined where it returns nothing. */
type Returned<P extends keyof paths, M extends Method> = paths[P][M] extends { responses: infer R }
  ? Extract<keyof R, 200 | 201 | 202> extends never
    ? undefined
    : Json<R[Extract<keyof R, 200 | 201 | 202>]>
  : never

type Schemas = components['schemas']
type Identifiers = Schemas[Exclude<Extract<keyof Schemas, `${string}Identifiers`>, `${string}OrIdentifiers`>]
type Same<T, Of> = Of extends T ? (T extends Of ? Of : never) : never

/**
 * A write returns the record, or only its identifiers to a client without the scope that reads it. Most clients have both
 * scopes, so that methods have the type of the whole record.
 */
export type Whole<T> = T extends unknown ? ([Same<T, Identifiers>] extends [never] ? T : never) : never

interface Result {
  data?: unknown
  response: Response
}

/** Gives a POST a key if it has none. Some POSTs ignore keys, so that they must not be repeated as if they had one. */
export function setKey(headers: Headers, isKeyed: boolean): void {
  if (!isKeyed) headers.delete('idempotency-key')
  else if (!headers.has('idempotency-key')) headers.set('idempotency-key', randomText())
}

export type Api = Client<paths>
export type Calls = ReturnType<typeof createCalls>

export function createCalls({ transport, baseUrl }: { transport: Transport; baseUrl: string }) {
  const etags = new WeakMap<object, string>()
  const api: Api = createClient<paths>({ baseUrl, fetch: request => transport.exchange(request) })
  api.use({
    onRequest({ request, schemaPath, params }) {
      checkPath(params.path)
      if (request.method === 'POST') setKey(request.headers, !UNKEYED_POSTS.includes(schemaPath))
    },
  })

  /** Keeps the ETag of a record for `etagOf`. */
  const remember = (value: unknown, response: Response) => {
    const etag = response.headers.get('etag')
    const record = value as { primaryApplicant?: object } | undefined
    // The ETag of a family is that of its primary applicant.
    for (const part of [record, record?.primaryApplicant])
      if (etag && part && typeof part === 'object') etags.set(part, etag)
  }

  const etagOf = (version: Version): string => {
    const etag = typeof version === 'string' ? version : etags.get(version)
    if (etag === undefined)
      throw invalidArgument('ifMatch', 'This object has no ETag: pass a record as the SDK returned it.')
    return etag
  }

  /** Options of a call, as the typed client takes them. */
  const init = ({ signal, ifMatch, ifNoneMatch, idempotencyKey, apiKey, ...limits }: AllOptions = {}) => {
    // Headers that are undefined are not sent.
    const headers = {
      'if-match': ifMatch && etagOf(ifMatch),
      'if-none-match': ifNoneMatch && etagOf(ifNoneMatch),
      'idempotency-key': idempotencyKey,
      'x-api-key': apiKey,
    }
    const fetch = (request: Request) => transport.exchange(request, limits)
    return { headers, fetch, ...(signal && { signal }) }
  }

  /** The typed client checks paths, parameters and bodies; here they are checked by the types of the functions below. */
  const request = api.request as unknown as (method: string, path: string, init: object) => Promise<Result>

  const call = async (
    method: string,
    path: string,
    sent: { params: { path: unknown; query?: unknown }; body?: unknown },
    options?: AllOptions,
  ): Promise<unknown> => {
    const { data, response } = await parsed(request(method, path, { ...sent, ...init(options) }))
    if (response.status === 304) return options?.ifNoneMatch
    remember(data, response)
    return data
  }

  const writer =
    <M extends Method>(method: M) =>
    <P extends PathsOf<M>>(
      path: P,
      params: InPath<P, M>,
      body?: Body<P, M>,
      options?: AllOptions,
    ): Promise<Whole<Returned<P, M>>> =>
      call(method, path, { params: { path: params }, body }, options) as Promise<Whole<Returned<P, M>>>

  return {
    api,
    transport,
    etagOf,
    remember,

    /** Reads a record; the known one is returned if it has not changed. */
    read: <P extends PathsOf<'get'>>(
      path: P,
      params: InPath<P, 'get'>,
      options?: AllOptions,
      query?: InQuery<P>,
    ): Promise<Returned<P, 'get'>> =>
      call('get', path, { params: { path: params, query } }, options) as Promise<Returned<P, 'get'>>,

    list: <P extends PathsOf<'get'>>(
      path: P,
      params: InPath<P, 'get'>,
      query: InQuery<P>,
      options?: CallOptions,
    ): Pages<RowOf<Returned<P, 'get'>>, PageOf<Returned<P, 'get'>>> =>
      new Pages(
        cursor =>
          call(
            'get',
            path,
            { params: { path: params, query: { ...(query as object), ...cursor } } },
            options,
          ) as Promise<PageOf<Returned<P, 'get'>>>,
      ),

    post: writer('post'),
    put: writer('put'),
    patch: writer('patch'),
    remove: writer('delete'),
  }
}

type RowOf<T> = T extends { records: (infer Row)[] } ? Row : never
type PageOf<T> = Extract<T, Page<RowOf<T>>>

/** A body that is no JSON, although the status is a success, comes from something else than the service. */
export async function parsed<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw invalidResponse('The response is no JSON. It may come from a proxy. Check baseUrl.', { cause })
  }
}

/** An empty segment, or one of dots, would make the path of another operation. */
export function checkPath(path: Record<string, unknown> = {}): void {
  for (const [name, value] of Object.entries(path))
    if (/^\.{0,2}$/.test(String(value ?? ''))) throw invalidArgument(name, 'Must not be empty, "." or "..".')
}

/** 128 random bits. `crypto.randomUUID` does not exist on pages without TLS. */
export const randomText = (): string => hexOf(crypto.getRandomValues(new Uint8Array(16)))
