// Path, query and header parameters of the OpenAPI document.
import type { TSchema } from '../lib/json-schema.ts'
import type { Operation } from './app-types.ts'
import { KEY_PATTERN } from './idempotency.ts'
import { type Components, describe, type Json } from './openapi-components.ts'

export function parametersOf(operation: Operation, method: string, components: Components): Json[] {
  return [
    ...fromSchema('path', operation.params, components),
    ...fromSchema('query', operation.querystring, components),
    ...headers(operation, method, components),
  ]
}

function fromSchema(location: 'path' | 'query', schema: TSchema | undefined, components: Components): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, expects, example, ...rest }]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    description: describe(description, expects),
    ...(example !== undefined && { example }),
    schema: components.schema(rest),
  }))
}

function headers(
  { idempotent, conditional, waits, eventStream, response }: Operation,
  method: string,
  components: Components,
): Json[] {
  const share = (name: string, parameter: Json) => components.share('parameters', name, parameter)
  const read = method === 'get'
  return [
    ...(eventStream ? [share('LastEventId', LAST_EVENT_ID)] : []),
    ...(idempotent ? [share('IdempotencyKey', IDEMPOTENCY_KEY)] : []),
    ...(waits ? [share('Prefer', PREFER)] : []),
    ...(conditional && !read ? [share('IfMatch', IF_MATCH)] : []),
    ...(conditional && read ? [share('IfNoneMatch', IF_NONE_MATCH)] : []),
    ...(conditional && !read ? [share('IfNoneMatchAny', IF_NONE_MATCH_ANY)] : []),
    ...(response[206] ? [share('Range', RANGE), share('IfRange', IF_RANGE)] : []),
  ]
}

const header = (name: string, description: string, limits: Json = {}): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', ...limits },
})

const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  'Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces.',
  { minLength: 1, maxLength: 255, pattern: KEY_PATTERN },
)
const PREFER = header(
  'Prefer',
  '`wait=20` waits up to 20 seconds for the end of the work, at most 60 (RFC 7240). The response has `Preference-Applied`.',
)
const LAST_EVENT_ID = header(
  'Last-Event-ID',
  'The `id` of the last server-sent event, as browsers send it when they reconnect. It overrides the cursor of the query.',
  { maxLength: 2_000 },
)
const IF_MATCH = header('If-Match', 'An ETag. The write is rejected (412) if the record has another one.')
const IF_NONE_MATCH = header(
  'If-None-Match',
  'An ETag. The response is 304 without a body if the record still has it.',
)
const IF_NONE_MATCH_ANY = header(
  'If-None-Match',
  '`*`: the write is rejected (412) if the record already exists.',
)
const RANGE = header(
  'Range',
  'One range of bytes, such as `bytes=1048576-`, to resume a download. The response is 206 with `Content-Range`.',
)
const IF_RANGE = header(
  'If-Range',
  'The ETag of the part that is there already: if the file has another one, the response is the whole file.',
)
