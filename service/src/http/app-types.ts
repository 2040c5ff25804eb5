// Owns what a route declares about itself: its schema, its scope, its errors. Everything that validates, authorizes
// and documents a route reads it from here.
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
import type { Static, TSchema } from 'typebox'
import type { DeclaredProblem } from '../lib/problem.ts'
import type { Scope } from '../lib/scopes.ts'

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

/** One operation as integrators see it. Each feature's schema file holds its own. */
export interface Operation extends FastifySchema {
  operationId: string
  tags: [string]
  summary: string
  description?: string
  params?: TSchema
  querystring?: TSchema
  body?: TSchema
  response: Record<number, TSchema>
  /** Errors of this operation alone; those that every route can give are added by the document. */
  errors?: DeclaredProblem[]
  /** An example of a request body. */
  example?: unknown
  /** A body that the route reads itself, as a stream: documented, not checked by schema. */
  form?: TSchema
  /** Media type of the request body where it is not JSON. */
  consumes?: string
  /** Media type of a successful answer where it is not JSON. */
  produces?: string
  /** Takes an Idempotency-Key; the answer is then kept, so it must hold no secret. */
  idempotent?: true
  /** Has an ETag: a read takes If-None-Match, a write If-Match and If-None-Match. */
  conditional?: true
  /** Errors follow RFC 6749 instead of RFC 9457. */
  oauthErrors?: true
}

/** Who is calling. */
export interface Principal {
  clientId: string
  scopes: ReadonlySet<string>
  /** Seconds since the epoch. */
  expiresAt: number
}

/** A request that has begun and not ended. */
export interface UnderWay {
  request: FastifyRequest
  reply: FastifyReply
  /** The last second in which it may end. */
  until: number
  /** Where it stands in the list of all. */
  at: number
  /** What its route declares; Fastify would put it together anew for everyone who asks. */
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
    /** The scope a caller needs. A route that declares none keeps the service from starting. */
    scope?: Scope | 'public'
    /** The caller must also send its API key. */
    apiKey?: true
    /** Seconds that a request may take, where it may take longer than others. */
    timeLimit?: number
  }
  interface FastifyContextConfig {
    scope?: Scope | 'public'
    apiKey?: true
    timeLimit?: number
  }
  interface FastifyInstance {
    /** The requests under way. */
    inFlight: { count(): number }
  }
  interface FastifyRequest {
    /** Its place among the requests under way; a path that cannot be read has none. */
    underWay: UnderWay | undefined
    /** Whether it has taken one of the places that there are. */
    atWork: boolean
    /** What its handler returned: it settles when the handler's work has ended. */
    handling: Promise<unknown> | undefined
    principal: Principal | undefined
    /** The trace this request belongs to, from a valid `traceparent`. */
    traceId: string | undefined
  }
}
