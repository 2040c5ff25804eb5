// Responses of writes by callers that may not read the record: they contain its identifiers and no personal data.
import type { FastifyRequest } from 'fastify'
import { type TSchema, Type } from '../lib/json-schema.ts'
import type { Scope } from '../lib/scopes.ts'
import type { Operation } from './app-types.ts'
import type { WriteResponse } from './idempotency.ts'

interface Shape {
  properties?: Record<string, Shape>
  items?: Shape
}

/** The scopes whose writes return records of people. */
const PERSONAL: ReadonlySet<string> = new Set<Scope>([
  'applicants:write',
  'cases:write',
  'documents:write',
  'desk:write',
])

/** Whether a route must declare `identifiers` and does not. The service does not start with such a route. */
export function lacksIdentifiers(route: {
  method: string | string[]
  scope?: string
  schema?: unknown
}): boolean {
  const isRead = [route.method].flat().every(method => method === 'GET' || method === 'HEAD')
  const operation = route.schema as Partial<Operation> | undefined
  return !isRead && PERSONAL.has(route.scope ?? '') && !operation?.identifiers
}

/** The response as the caller may see it. Also applied to the stored response of a repeated Idempotency-Key. */
export function visibleTo(
  { principal, routeOptions }: FastifyRequest,
  response: WriteResponse,
): WriteResponse {
  const { identifiers } = (routeOptions.schema ?? {}) as Partial<Operation>
  if (!identifiers || response.status >= 300 || principal?.scopes.has(identifiers.readScope)) return response
  return { ...response, json: JSON.stringify(pick(JSON.parse(response.json), identifiers.schema as Shape)) }
}

const ID = { type: 'string', description: 'Encoded id.' }

/** The schema of an object that has these ids and nothing else. */
export function identifiersSchema(
  title: string,
  ids: readonly string[],
  parts: Record<string, object> = {},
): TSchema {
  const properties = { ...Object.fromEntries(ids.map(name => [name, ID])), ...parts }
  const required = Object.keys(properties)
  return Type.Unsafe<unknown>({ type: 'object', title, properties, required, additionalProperties: false })
}

export const arrayOf = (items: object) => ({ type: 'array', items })

/** Keeps only what the schema names, so that a field that is added to a record later is left out. */
function pick(value: unknown, { properties = {}, items = {} }: Shape): unknown {
  if (Array.isArray(value)) return value.map(one => pick(one, items))
  if (typeof value !== 'object' || value === null) return value
  const record = value as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => Object.hasOwn(record, name))
      .map(([name, shape]) => [name, pick(record[name], shape)]),
  )
}
