// Generates the OpenAPI document from what the routes declare, so that the two cannot disagree.
import type { RouteOptions } from 'fastify'
import type { TSchema } from '../lib/json-schema.ts'
import type { DeclaredProblem } from '../lib/problem.ts'
import { SCOPES } from '../lib/scopes.ts'
import type { App, Operation } from './app-types.ts'
import { type Components, createComponents, type Json, pascalCase } from './openapi-components.ts'
import { parametersOf } from './openapi-parameters.ts'
import { errorsOf, nameOfSuccess, responsesOf } from './openapi-responses.ts'
import { eventSchemas, webhookOperations } from './openapi-webhooks.ts'
import { methodNotAllowed, routeNotFound } from './problems.ts'

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

export function openApiDocument(
  routes: DocumentedRoute[],
  { version, description, tags, securedErrors }: DocumentInfo,
): Json {
  const components = createComponents()
  for (const [name, schema] of Object.entries({
    Problem: PROBLEM,
    OAuthError: OAUTH_ERROR,
    ...eventSchemas(),
  }))
    components.share('schemas', name, schema)
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of [...routes].sort(byPath)) {
    paths[route.path] ??= {}
    Object.assign(paths[route.path] as Json, { [route.method]: describe(route, components, securedErrors) })
  }
  const operations = Object.values(paths).flatMap(methods => Object.values(methods))
  components.shareRepeated(
    'parameters',
    operations.map(({ parameters = [] }) => parameters as Json),
    nameOfParameter,
  )
  components.shareRepeated(
    'responses',
    operations.map(({ responses }) => responses as Json),
    nameOfSuccess,
  )
  const webhooks = webhookOperations(WEBHOOK_TAG, components)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Caseport',
      version,
      description,
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      {
        url: '/',
        description:
          'The service that returns this document. A generated client needs its address as base URL.',
      },
    ],
    tags,
    paths,
    webhooks,
    components: { ...components.sections(), securitySchemes: SECURITY_SCHEMES },
    'x-errors': allErrors(routes, securedErrors),
  }
}

function describe(
  { method, operation, scope, apiKey }: DocumentedRoute,
  components: Components,
  securedErrors: DeclaredProblem[],
): Json {
  const { operationId, tags, summary, description, consumes = 'application/json', example } = operation
  const body = operation.body ?? operation.form
  const parameters = parametersOf(operation, method, components)
  // Of several media types, each has an example of its own.
  const exampleOf = (type: string) =>
    Array.isArray(consumes) ? (example as Record<string, unknown> | undefined)?.[type] : example
  const contentOf = (type: string) => ({
    schema: components.schema(body as TSchema),
    ...(exampleOf(type) !== undefined && { example: exampleOf(type) }),
  })
  return {
    operationId,
    tags,
    summary,
    description,
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: !operation.optionalBody,
        content: Object.fromEntries([consumes].flat().map(type => [type, contentOf(type)])),
      },
    }),
    responses: responsesOf({ operation, method, scope, apiKey, securedErrors }, components),
    security: securityOf(scope, apiKey),
  }
}

/** Alternatives: an access token, or the cookie of a session. A person has no API key. */
function securityOf(scope: string, apiKey: boolean): Json[] {
  if (scope === 'public') return []
  if (scope === 'session') return [{ session: [] }]
  if (apiKey) return [{ oauth2: [scope], apiKey: [] }]
  return [{ oauth2: scope === 'any' ? [] : [scope] }, { session: [] }]
}

/** Every error by its code, those included that belong to no operation. */
function allErrors(routes: DocumentedRoute[], securedErrors: DeclaredProblem[]): Json[] {
  const declared = routes
    .filter(({ operation }) => !operation.oauthErrors)
    .flatMap(route => errorsOf({ ...route, securedErrors }))
  const kinds = new Map([routeNotFound, methodNotAllowed, ...declared].map(({ kind }) => [kind.code, kind]))
  return [...kinds.values()].map(kind => ({ ...kind })).sort((a, b) => a.code.localeCompare(b.code))
}

const nameOfParameter = ({ name }: Json) => pascalCase(String(name))

function byPath(a: DocumentedRoute, b: DocumentedRoute): number {
  return a.path.localeCompare(b.path) || a.method.localeCompare(b.method)
}

const PROBLEM = {
  type: 'object',
  description: 'An error (RFC 9457). Branch on `code`: it never changes.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', description: 'Address of the description of the code.' },
    title: { type: 'string', description: 'What the code means, the same in every response.' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What happened in this request.' },
    instance: { type: 'string' },
    code: { type: 'string' },
    requestId: { type: 'string', description: 'The same as in the X-Request-Id header.' },
    errors: {
      type: 'array',
      description: 'Every invalid field of the request.',
      items: {
        type: 'object',
        required: ['pointer', 'detail'],
        properties: {
          pointer: {
            type: 'string',
            description: 'JSON pointer to the field, or `/name` of the path or query parameter.',
          },
          detail: { type: 'string', description: 'What was expected.' },
        },
      },
    },
    mergedInto: {
      type: 'string',
      description:
        'Where the record was merged into another one: the id of that record, if the caller sees it.',
    },
  },
}

const OAUTH_ERROR = {
  type: 'object',
  description: 'An error of the token endpoint (RFC 6749, section 5.2).',
  required: ['error', 'error_description'],
  properties: { error: { type: 'string' }, error_description: { type: 'string' } },
}

const SECURITY_SCHEMES = {
  oauth2: {
    type: 'oauth2',
    description: 'An access token, sent as `Authorization: Bearer <token>`.',
    flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes: SCOPES } },
  },
  apiKey: {
    type: 'apiKey',
    description: 'An API key of the client that the access token belongs to.',
    in: 'header',
    name: 'X-API-Key',
  },
  session: {
    type: 'apiKey',
    description:
      'The cookie of a person who is signed in (`POST /auth/v1/session`). Over plain HTTP its name is `caseport`. Methods other than GET also need an `Origin` header with the address of the service, as browsers send it.',
    in: 'cookie',
    name: '__Host-caseport',
  },
}
