// Owns the OpenAPI document. It is made from what the routes declare, so it cannot say anything else than they do.
import type { RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import { databaseUnavailable, storageFull } from '../db/sqlstate.ts'
import { tooManyRequests } from '../lib/limiter.ts'
import type { DeclaredProblem } from '../lib/problem.ts'
import { invalidRequest } from '../lib/problem.ts'
import { SCOPES } from '../lib/scopes.ts'
import type { App, Operation } from './app-types.ts'
import { apiKeyRequired, insufficientScope, invalidToken, tokenRequired } from './authorization.ts'
import { versionMismatch } from './etags.ts'
import { KEY_PATTERN, keyInProgress, keyReused } from './idempotency.ts'
import { eventSchemas, webhookOperations } from './openapi-webhooks.ts'
import {
  internalError,
  methodNotAllowed,
  overloaded,
  payloadTooLarge,
  requestTimeout,
  routeNotFound,
  unsupportedMediaType,
} from './problems.ts'
import { tooBusy } from './shedding.ts'

type Json = { [key: string]: unknown }

export interface DocumentedRoute {
  method: string
  path: string
  operation: Operation
  scope: string
  apiKey: boolean
}

/** Collects every route as it is declared; must be installed before the first one. */
export function collectRoutes(app: App): DocumentedRoute[] {
  const routes: DocumentedRoute[] = []
  app.addHook('onRoute', (route: RouteOptions & { scope?: string; apiKey?: true }) => {
    const operation = route.schema as Operation | undefined
    for (const method of [route.method].flat()) {
      if (method === 'HEAD' || !operation?.operationId) continue
      routes.push({
        method: method.toLowerCase(),
        path: route.url.replace(/:(\w+)/g, '{$1}'),
        operation,
        scope: route.scope ?? 'public',
        apiKey: route.apiKey === true,
      })
    }
  })
  return routes
}

export interface DocumentInfo {
  version: string
  description: string
  tags: { name: string; description: string }[]
  /** Errors of every operation that needs a token, beyond those of http/ itself. */
  securedErrors: DeclaredProblem[]
}

const WEBHOOK_TAG = 'Operator: webhooks'

/** Answers outside every operation. */
const ELSEWHERE = [routeNotFound, methodNotAllowed]

export function openApiDocument(
  routes: DocumentedRoute[],
  { version, description, tags, securedErrors }: DocumentInfo,
): Json {
  const schemas: Json = { Problem: PROBLEM, OAuthError: OAUTH_ERROR, ...eventSchemas() }
  const errors = new Map<string, Json>()
  const responses: Json = {}
  const paths: Record<string, Json> = {}
  for (const { kind } of ELSEWHERE) errors.set(kind.code, { ...kind })
  for (const route of [...routes].sort(byPath)) {
    paths[route.path] ??= {}
    const operation = describe(route, { schemas, responses, errors, securedErrors })
    Object.assign(paths[route.path] as Json, { [route.method]: operation })
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Caseport', version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    tags,
    paths,
    webhooks: webhookOperations(WEBHOOK_TAG),
    components: { schemas: sorted(schemas), responses: sorted(responses), securitySchemes: SECURITY_SCHEMES },
    'x-errors': [...errors.values()].sort((a, b) => String(a['code']).localeCompare(String(b['code']))),
  }
}

interface Collected {
  securedErrors: DeclaredProblem[]
  schemas: Json
  /** Error responses, which many operations share: their name is the status and the codes. */
  responses: Json
  errors: Map<string, Json>
}

function describe({ method, operation, scope, apiKey }: DocumentedRoute, collected: Collected): Json {
  const { operationId, tags, summary, description, consumes = 'application/json', example } = operation
  const body = operation.body ?? operation.form
  const secured = scope !== 'public'
  return {
    operationId,
    tags,
    summary,
    ...(description && { description }),
    parameters: [
      ...parameters('path', operation.params, collected.schemas),
      ...parameters('query', operation.querystring, collected.schemas),
      ...headerParameters(operation, method),
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: {
          [consumes]: { schema: hoist(body, collected.schemas), ...(example !== undefined && { example }) },
        },
      },
    }),
    responses: {
      ...successes(operation, collected.schemas),
      ...(operation.conditional &&
        method === 'get' && { 304: { description: 'The caller has this very state of it.' } }),
      ...(operation.oauthErrors
        ? OAUTH_RESPONSES
        : failures(operation, { method, scope, apiKey }, collected)),
    },
    security: secured ? [{ oauth2: [scope], ...(apiKey && { apiKey: [] }) }] : [],
  }
}

function parameters(place: 'path' | 'query', schema: TSchema | undefined, schemas: Json): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => {
    const { description, example, ...rest } = property
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description !== undefined && { description }),
      ...(example !== undefined && { example }),
      schema: hoist(rest, schemas),
    }
  })
}

function headerParameters({ idempotent, conditional }: Operation, method: string): Json[] {
  const header = (name: string, description: string, limits: Json = {}) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', ...limits },
  })
  return [
    ...(idempotent
      ? [
          header(
            'Idempotency-Key',
            'Makes the request safe to repeat: the first answer is given again for 24 hours. Printable ASCII without spaces.',
            { minLength: 1, maxLength: 255, pattern: KEY_PATTERN },
          ),
        ]
      : []),
    ...(conditional && method !== 'get'
      ? [header('If-Match', 'An ETag: write only if the record is still in that state.')]
      : []),
    ...(conditional
      ? [
          header(
            'If-None-Match',
            method === 'get'
              ? 'An ETag: answer 304 if the record is still in that state.'
              : '`*`: write only if there is no such record yet.',
          ),
        ]
      : []),
  ]
}

function successes({ response, produces, conditional }: Operation, schemas: Json): Json {
  return Object.fromEntries(
    Object.entries(response).map(([status, schema]) => {
      const { description = STATUS_TEXT[status] ?? 'Success.', type } = schema as {
        description?: string
        type?: string
      }
      const content =
        type === 'null'
          ? {}
          : { content: { [produces ?? 'application/json']: { schema: hoist(schema, schemas) } } }
      return [status, { description, headers: headersOf(status, conditional), ...content }]
    }),
  )
}

function headersOf(status: string, conditional: true | undefined): Json {
  const text = { schema: { type: 'string' } }
  return {
    'X-Request-Id': text,
    ...(conditional && { ETag: text }),
    ...(status === '201' && { Location: text }),
  }
}

const STATUS_TEXT: Record<string, string> = {
  200: 'Done.',
  201: 'Created.',
  202: 'It will be done.',
  204: 'Done; no content.',
}

function failures(
  operation: Operation,
  { method, scope, apiKey }: { method: string; scope: string; apiKey: boolean },
  { responses, errors, securedErrors }: Collected,
): Json {
  const secured = scope !== 'public'
  const declared: DeclaredProblem[] = [
    ...(secured || operation.body ? [invalidRequest] : []),
    // Also where it takes no body: one that is sent all the same is read and looked at.
    ...(method === 'get' ? [] : [requestTimeout, payloadTooLarge, unsupportedMediaType]),
    ...(secured
      ? [tokenRequired, invalidToken, insufficientScope, tooManyRequests, databaseUnavailable]
      : []),
    ...(secured ? securedErrors : []),
    ...(secured && method !== 'get' ? [storageFull] : []),
    ...(apiKey ? [apiKeyRequired] : []),
    ...(operation.idempotent ? [keyReused, keyInProgress] : []),
    ...(operation.conditional && method !== 'get' ? [versionMismatch] : []),
    ...(operation.errors ?? []),
    tooBusy,
    overloaded,
    internalError,
  ]
  const byStatus: Record<string, Json> = {}
  for (const { kind } of declared) {
    errors.set(kind.code, { ...kind })
    byStatus[kind.status] ??= {
      description: '',
      content: {
        'application/problem+json': { schema: {}, examples: {} },
      },
    }
    const response = byStatus[kind.status] as {
      description: string
      content: Record<string, { schema: Json; examples: Json }>
    }
    const media = response.content['application/problem+json']
    if (!media || Object.hasOwn(media.examples, kind.code)) continue
    media.examples[kind.code] = { summary: kind.title, value: problemExample(kind) }
    media.schema = problemOf(Object.keys(media.examples))
    response.description = Object.keys(media.examples)
      .map(code => `\`${code}\``)
      .join(', ')
  }
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, response]) => {
      const { content } = response as { content: Record<string, { examples: Json }> }
      const codes = Object.keys(content['application/problem+json']?.examples ?? {})
      const name = [status, ...codes].join('.')
      responses[name] = response
      return [status, { $ref: `#/components/responses/${name}` }]
    }),
  )
}

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

/** Schemas with a title become components, and `expects`, which is for people, becomes part of the description. */
function hoist(schema: unknown, schemas: Json): unknown {
  if (Array.isArray(schema)) return schema.map(item => hoist(item, schemas))
  if (typeof schema !== 'object' || schema === null) return schema
  const { expects, example, title, documentedAs, ...rest } = schema as Json
  if (documentedAs) return documentedAs
  const plain = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, hoist(value, schemas)]))
  if (expects) plain['description'] = [rest['description'], `Takes ${expects}.`].filter(Boolean).join(' ')
  if (example !== undefined) plain['examples'] = [example]
  if (typeof title !== 'string' || typeof rest['type'] === 'undefined')
    return title === undefined ? plain : { title, ...plain }
  const known = schemas[title]
  if (known && JSON.stringify(known) !== JSON.stringify(plain))
    throw new Error(`Two schemas are called ${title}.`)
  schemas[title] = plain
  return { $ref: `#/components/schemas/${title}` }
}

function byPath(a: DocumentedRoute, b: DocumentedRoute): number {
  return a.path.localeCompare(b.path) || a.method.localeCompare(b.method)
}

function sorted(object: Json): Json {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => a.localeCompare(b)))
}

const PROBLEM = {
  type: 'object',
  description: 'What went wrong (RFC 9457). Branch on `code`: it never changes.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', description: 'Leads to the description of the code.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string' },
    code: { type: 'string' },
    requestId: { type: 'string', description: 'The same as in the X-Request-Id header.' },
    errors: {
      type: 'array',
      description: 'Every fault of the request at once.',
      items: {
        type: 'object',
        required: ['pointer', 'detail'],
        properties: {
          pointer: {
            type: 'string',
            description: 'JSON pointer to the member, or /name of the query parameter.',
          },
          detail: { type: 'string' },
        },
      },
    },
  },
}

const OAUTH_ERROR = {
  type: 'object',
  description: 'What went wrong (RFC 6749, section 5.2).',
  required: ['error', 'error_description'],
  properties: { error: { type: 'string' }, error_description: { type: 'string' } },
}

const oauthResponse = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/OAuthError' } } },
})

const OAUTH_RESPONSES = {
  400: oauthResponse('`invalid_request`, `unsupported_grant_type`, `invalid_scope`'),
  401: oauthResponse('`invalid_client`'),
  408: oauthResponse('`invalid_request`'),
  413: oauthResponse('`invalid_request`'),
  415: oauthResponse('`invalid_request`: the form must be in UTF-8 and not compressed.'),
  429: oauthResponse('`too_many_requests`: wait for the seconds that Retry-After names.'),
  503: oauthResponse('`temporarily_unavailable`: wait for the seconds that Retry-After names.'),
}

const SECURITY_SCHEMES = {
  oauth2: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes: SCOPES } } },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
}
