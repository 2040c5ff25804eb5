// The types of a route's declaration: schema, scope, errors. Validation, authorization and the OpenAPI document read it.
import type {
  ContextConfigDefault,
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  FastifyTypeProvider,
  FastifyTypeProviderDefault,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerBase,
  RawServerDefault,
  RouteGenericInterface,
} from 'fastify'
import type { Static, TSchema } from '../lib/json-schema.ts'
import type { Principal } from '../lib/principal.ts'
import type { DeclaredProblem } from '../lib/problem.ts'
import type { Scope } from '../lib/scopes.ts'
import type { Span } from '../lib/spans.ts'

/** Derives the types of body, query and parameters from the TypeBox schemas of a route. */
interface SchemaTypes extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown
  serializer: this['schema'] extends TSchema ? Static<this['schema']> : unknown
}

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  SchemaTypes
>

/** One operation of the API. Each feature declares its own in its schema file. */
export interface Operation extends FastifySchema {
  operationId: string
  tags: [string]
  summary: string
  description?: string
  params?: TSchema
  querystring?: TSchema
  body?: TSchema
  response: Record<number, TSchema>
  /**
   * What a caller without `readScope` gets instead of the record that a write returns. Every write that returns data of
   * people declares it; `schema` is that of the response itself where the response has nothing else.
   */
  identifiers?: { readScope: Scope; schema: TSchema }
  /** Errors of this operation; the OpenAPI document adds those that every route can have. */
  errors?: DeclaredProblem[]
  /** An example of a request body; one for each media type, by its name, where there are several. */
  example?: unknown
  /** A body that the route reads itself, as a stream: documented, not checked by schema. */
  form?: TSchema
  /** Media type of the request body, or several, where it is not JSON. */
  consumes?: string | string[]
  /** Media type of a successful response where it is not JSON. */
  produces?: string
  /** Media types of the response beside JSON, for clients that ask for them with Accept. */
  alsoProduces?: Record<string, TSchema>
  /** Accepts `Prefer: wait=…` (RFC 7240). */
  waits?: true
  /** What each line of the same response has as server-sent events, where the caller accepts them. */
  eventStream?: TSchema
  /** All members of the body are optional, and so is the body. */
  optionalBody?: true
  /** Accepts an Idempotency-Key. The response is then stored: `sealed` where it has a secret. */
  idempotent?: true | 'sealed'
  /** Has an ETag: a read accepts If-None-Match, a write If-Match and If-None-Match. */
  conditional?: true
  /** Errors follow RFC 6749 instead of RFC 9457. */
  oauthErrors?: true
}

/** `any`: every valid token or session. `session`: a person, by the cookie of the session only. */
export type RouteScope = Scope | 'public' | 'any' | 'session'
export type Audited = 'always' | 'refusals' | 'never'

/** What a handler knows about its request, for the audit. */
interface AuditNote {
  /** `noun.verb`. */
  action: string
  recordIds: readonly string[]
  /** The caller, where the request has no token. */
  clientId?: string
  /** For a rejection whose response is no error, such as a redirect. */
  outcome?: 'refused'
}

/** A request that has begun and not ended. */
export interface InFlightRequest {
  request: FastifyRequest
  reply: FastifyReply
  /** The last second in which it may end. */
  deadline: number
  /** Its index in the list of all requests in flight. */
  index: number
  /** The declaration of its route. Kept because Fastify builds `routeOptions` anew on each access. */
  route: FastifyContextConfig & { url?: string }
}

declare module 'fastify' {
  interface RouteShorthandOptions<
    RawServer extends RawServerBase = RawServerDefault,
    RawRequest extends RawRequestDefaultExpression<RawServer> = RawRequestDefaultExpression<RawServer>,
    RawReply extends RawReplyDefaultExpression<RawServer> = RawReplyDefaultExpression<RawServer>,
    RouteGeneric extends RouteGenericInterface = RouteGenericInterface,
    ContextConfig = ContextConfigDefault,
    SchemaCompiler extends FastifySchema = FastifySchema,
    TypeProvider extends FastifyTypeProvider = FastifyTypeProviderDefault,
    Logger extends FastifyBaseLogger = FastifyBaseLogger,
  > {
    /** The scope that the caller needs. The service does not start with a route that declares none. */
    scope?: RouteScope
    /** The client must also send its API key. */
    apiKey?: true
    /** Seconds that a request may take, where that is more than the default. */
    timeLimit?: number
    /** The body may be compressed with gzip. */
    gzip?: true
    /** Which responses have an audit entry: all by default, none of a public route. */
    audit?: Audited
  }
  interface FastifyContextConfig {
    scope?: RouteScope
    apiKey?: true
    timeLimit?: number
    gzip?: true
    audit?: Audited
    operationId?: string
    oauthErrors?: true
  }
  interface FastifyInstance {
    /** Requests in progress, and those that have ended since the start. */
    inFlight: {
      count(): number
      ended(): number
      /** Lets each connection end with the response that it waits for. */
      closeConnections(): void
      /** Requests of the routes that declare a time limit. */
      long(): InFlightRequest[]
    }
    /** Whether the credentials of a request that lasts are still valid, with the same scopes and companies. */
    isStillAllowed(request: FastifyRequest): Promise<boolean>
    /**
     * Whether the caller of a request that lasts is enabled, and still has what it had when the request began. An access
     * token may have expired since.
     */
    keepsAccess(request: FastifyRequest): Promise<boolean>
  }
  interface FastifyRequest {
    /** Undefined for a path that the router cannot parse. */
    inFlight: InFlightRequest | undefined
    /** Whether it holds one of the slots of shedding.ts. */
    admitted: boolean
    /** The promise that its handler returned. It settles when the handler's work has ended. */
    handlerResult: Promise<unknown> | undefined
    principal: Principal | undefined
    /** For the audit entry of a read. */
    auditNote: AuditNote | undefined
    /** Whether its audit entries were committed with its change. */
    isAudited: boolean
    /** The code of the problem in its response. */
    problemCode: string | undefined
    /** The trace id of a valid `traceparent` header, or of the span. */
    traceId: string | undefined
    /** Undefined where the request is not traced. */
    span: Span | undefined
  }
}
