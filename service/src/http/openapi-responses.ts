// Responses of the OpenAPI document, successful ones and errors, with their headers and examples.
import { STATUS_CODES } from 'node:http'
import { databaseUnavailable, storageFull } from '../db/sqlstate.ts'
import type { TSchema } from '../lib/json-schema.ts'
import { tooManyRequests } from '../lib/limiter.ts'
import { type DeclaredProblem, invalidRequest } from '../lib/problem.ts'
import type { Operation } from './app-types.ts'
import {
  apiKeyRequired,
  insufficientScope,
  invalidToken,
  sessionRequired,
  tokenRequired,
} from './authorization.ts'
import { crossOrigin } from './browser.ts'
import { versionMismatch } from './etags.ts'
import { keyInProgress, keyReused } from './idempotency.ts'
import { type Components, type Json, pascalCase } from './openapi-components.ts'
import {
  internalError,
  overloaded,
  payloadTooLarge,
  requestTimeout,
  unsupportedMediaType,
} from './problems.ts'
import { tooBusy } from './shedding.ts'

interface Route {
  operation: Operation
  method: string
  scope: string
  apiKey: boolean
  /** Errors of every operation that needs a token, beyond those of http/ itself. */
  securedErrors: DeclaredProblem[]
}

export function responsesOf(route: Route, components: Components): Json {
  const { operation, method } = route
  return {
    ...successes(operation, components),
    ...(operation.conditional && method === 'get' && { 304: notModified(components) }),
    ...(operation.oauthErrors ? oauthFailures(components) : failures(errorsOf(route), components)),
  }
}

const text = (description: string): Json => ({ description, schema: { type: 'string' } })
const HEADERS = {
  'X-Request-Id': text('Identifies the request: the one that was sent in X-Request-Id, or a new one.'),
  ETag: text('Version of the record, for If-Match and If-None-Match.'),
  Location: text('Path of the new record.'),
  Link: text('Paths of the next and previous page, with `rel` next and prev, where they exist (RFC 8288).'),
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: { type: 'integer', minimum: 0 } },
}

const headers = (names: (keyof typeof HEADERS)[], components: Components): Json =>
  Object.fromEntries(names.map(name => [name, components.share('headers', pascalCase(name), HEADERS[name])]))

const notModified = (components: Components) =>
  components.share('responses', 'NotModified', {
    description: 'The record still has the ETag of If-None-Match.',
    headers: headers(['X-Request-Id', 'ETag'], components),
  })

const STATUS_TEXT: Record<string, string> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted; processed in the background.',
  204: 'Success, without content.',
}

function successes(
  { response, produces, alsoProduces = {}, conditional, querystring, identifiers, eventStream }: Operation,
  components: Components,
): Json {
  const paged = Object.hasOwn((querystring as Json | undefined)?.['properties'] ?? {}, 'nextCursor')
  return Object.fromEntries(
    Object.entries(response).map(([status, schema]) => {
      const { description = STATUS_TEXT[status] ?? 'Success.', type } = schema as Json
      const names: (keyof typeof HEADERS)[] = [
        'X-Request-Id',
        ...(conditional ? (['ETag'] as const) : []),
        ...(status === '201' ? (['Location'] as const) : []),
        ...(paged ? (['Link'] as const) : []),
      ]
      const content = {
        [produces ?? 'application/json']: { schema: components.schema(withIdentifiers(schema, identifiers)) },
        ...Object.fromEntries(
          Object.entries(alsoProduces).map(([type, other]) => [type, { schema: components.schema(other) }]),
        ),
        ...(eventStream && { 'text/event-stream': { schema: components.schema(eventStream) } }),
      }
      return [
        status,
        { description, headers: headers(names, components), ...(type !== 'null' && { content }) },
      ]
    }),
  )
}

/** DocumentWithETagResponse, ApplicantListResponse, SavedApplicantWithETagCreated; undefined for one without a named schema. */
export function nameOfSuccess(response: Json, status: string): string | undefined {
  const { content, headers: sent } = response as { content?: Json; headers: Json }
  if (!content) return 'NoContent'
  const { schema } = Object.values(content)[0] as { schema: { $ref?: string; items?: { $ref?: string } } }
  const name = (schema.$ref ?? schema.items?.$ref)?.split('/').at(-1)
  const suffixes = [
    schema.$ref ? '' : 'List',
    'ETag' in sent ? 'WithETag' : '',
    status === '200' ? 'Response' : pascalCase(STATUS_CODES[status] ?? status),
  ]
  return name && `${name}${suffixes.join('')}`
}

export function errorsOf({ operation, method, scope, apiKey, securedErrors }: Route): DeclaredProblem[] {
  const secured = scope !== 'public'
  const byToken = secured && scope !== 'session'
  // A person has no API key.
  const byCookie = secured && !apiKey
  return [
    // Also for a head that is ambiguous, which any operation rejects.
    invalidRequest,
    // Also where it takes no body: one that is sent all the same is read and checked.
    ...(method === 'get' ? [] : [requestTimeout, payloadTooLarge, unsupportedMediaType]),
    ...(byToken ? [tokenRequired, invalidToken] : []),
    ...(byCookie ? [sessionRequired] : []),
    ...(byCookie && method !== 'get' ? [crossOrigin] : []),
    ...(byToken && scope !== 'any' ? [insufficientScope] : []),
    ...(secured ? [tooManyRequests, databaseUnavailable] : []),
    ...(byToken ? securedErrors : []),
    ...(secured && method !== 'get' ? [storageFull] : []),
    ...(apiKey ? [apiKeyRequired] : []),
    ...(operation.idempotent ? [keyReused, keyInProgress] : []),
    ...(operation.conditional && method !== 'get' ? [versionMismatch] : []),
    ...(operation.errors ?? []),
    tooBusy,
    overloaded,
    internalError,
  ]
}

/** The record, or its identifiers for a caller that may not read it. */
function withIdentifiers(record: TSchema, identifiers: Operation['identifiers']): object {
  const { title } = record as Json
  if (!identifiers || identifiers.schema === record) return record
  return {
    type: 'object',
    title: `${title}OrIdentifiers`,
    description: `The record, or only its identifiers for a caller without the scope \`${identifiers.readScope}\`.`,
    anyOf: [record, identifiers.schema],
  }
}

/** One response for each status and set of codes: InsufficientScope, TokenRequiredOrInvalidToken. */
function failures(errors: DeclaredProblem[], components: Components): Json {
  const byStatus = Map.groupBy(errors, ({ kind }) => kind.status)
  return Object.fromEntries(
    [...byStatus].map(([status, declared]) => {
      const kinds = new Map(declared.map(({ kind }) => [kind.code, kind]))
      const codes = [...kinds.keys()]
      const examples = [...kinds.values()].map(kind => [
        kind.code,
        components.share('examples', kind.code, { value: problemExample(kind) }),
      ])
      const content = { schema: problemOf(codes), examples: Object.fromEntries(examples) }
      const response = {
        description: codes.map(code => `\`${code}\``).join(', '),
        headers: headers(withRetryAfter(status, codes), components),
        content: { 'application/problem+json': content },
      }
      return [status, components.share('responses', codes.map(pascalCase).join('Or'), response)]
    }),
  )
}

const withRetryAfter = (status: number, codes: string[]): (keyof typeof HEADERS)[] =>
  [429, 503].includes(status) || codes.includes(keyInProgress.kind.code)
    ? ['X-Request-Id', 'Retry-After']
    : ['X-Request-Id']

/** A problem document with one of these codes. */
function problemOf(codes: string[]): Json {
  return {
    allOf: [
      { $ref: '#/components/schemas/Problem' },
      { type: 'object', properties: { code: { type: 'string', enum: codes } } },
    ],
  }
}

function problemExample({ code, status, title }: DeclaredProblem['kind']): Json {
  const requestId = '8f14e45f-ceea-467f-9575-6d5f3a0c2b1e'
  return {
    type: `/docs#error-${code}`,
    title,
    status,
    detail: title,
    instance: `urn:caseport:request:${requestId}`,
    code,
    requestId,
  }
}

const OAUTH_FAILURES: Record<number, string> = {
  400: '`invalid_request`, `unsupported_grant_type`, `invalid_scope`',
  401: '`invalid_client`',
  408: '`invalid_request`: the request did not arrive in time.',
  413: '`invalid_request`: the form is too large.',
  415: '`invalid_request`: the form must be in UTF-8 and not compressed.',
  429: '`too_many_requests`: wait for the seconds in Retry-After.',
  503: '`temporarily_unavailable`: wait for the seconds in Retry-After.',
}

function oauthFailures(components: Components): Json {
  return Object.fromEntries(
    Object.entries(OAUTH_FAILURES).map(([status, description]) => [
      status,
      {
        description,
        headers: headers(withRetryAfter(Number(status), []), components),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/OAuthError' } } },
      },
    ]),
  )
}
