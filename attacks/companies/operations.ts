// The operations of openapi.json with their entries, the requests that are made of them, and what authorization decides.
import { BOUNDARY, multipart, type Operation, operationsOf } from '../support/requests.ts'
import type { Json } from '../support/samples.ts'
import type { Caller } from './callers.ts'
import { ENTRIES, type Entry } from './entries.ts'
import type { Sent } from './exchange.ts'
import type { Ids } from './records.ts'

export interface Attacked {
  operation: Operation
  entry: Entry
  /** The scope that it needs; undefined for any valid credentials. */
  scope: string | undefined
  needsKey: boolean
  /** Only the session of a person opens it. */
  sessionOnly: boolean
  /** The ids that its path names. */
  names: string[]
}

/** All operations of the document with their entries, and what is missing on either side. */
export function attackedOperations(document: Json): { attacked: Attacked[]; missing: string[] } {
  const operations = operationsOf(document)
  const known = new Set(operations.map(({ operationId }) => operationId))
  const missing = [
    ...operations
      .filter(({ operationId }) => !ENTRIES[operationId])
      .map(({ operationId }) => `${operationId} has no entry: add one to attacks/companies/entries.ts`),
    ...Object.keys(ENTRIES)
      .filter(operationId => !known.has(operationId))
      .map(operationId => `${operationId} is no operation: remove it from attacks/companies/entries.ts`),
  ]
  const attacked = operations.flatMap((operation): Attacked[] => {
    const entry = ENTRIES[operation.operationId]
    if (!entry) return []
    const [first] = document.paths[operation.template][operation.method.toLowerCase()].security
    return [
      {
        operation,
        entry,
        scope: first?.oauth2?.[0],
        needsKey: first?.apiKey !== undefined,
        sessionOnly: first !== undefined && first.oauth2 === undefined,
        names: [...operation.template.matchAll(/\{(\w+)\}/g)]
          .map(([, name]) => entry.parameters?.[name as string] ?? (name as string))
          .filter(name => !['newEmployeeNumber', 'name', 'fileVersion', 'row'].includes(name)),
      },
    ]
  })
  return { attacked, missing }
}

interface Details {
  query?: Record<string, string>
  method?: string
  headers?: Record<string, string>
  as: Caller
}

export function requestOf(
  { operation, entry }: Attacked,
  ids: Ids,
  { query = entry.queries?.(ids)[0] ?? {}, method = operation.method, headers = {}, as }: Details,
): Sent {
  const path = operation.template.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'newEmployeeNumber') return `new-${ids['employeeNumber']}`
    if (name === 'name') return 'process-of-the-attack'
    if (name === 'fileVersion' || name === 'row') return '1'
    const id = ids[entry.parameters?.[name] ?? name]
    if (id === undefined) throw new Error(`${operation.operationId}: no id for {${name}}`)
    return encodeURIComponent(id)
  })
  const search = new URLSearchParams(query).toString()
  const { type, body } = contentOf(entry, ids)
  return {
    method,
    path: `${path}${search ? `?${search}` : ''}`,
    headers: { ...as.headers, ...headers, ...(type && { 'content-type': type }) },
    ...(body && { body }),
  }
}

function contentOf(entry: Entry, ids: Ids): { type?: string; body?: Buffer } {
  if (entry.body) return { type: 'application/json', body: Buffer.from(JSON.stringify(entry.body(ids))) }
  if (entry.form)
    return { type: 'application/x-www-form-urlencoded', body: Buffer.from(entry.form(ids).toString()) }
  if (entry.multipart)
    return { type: `multipart/form-data; boundary=${BOUNDARY}`, body: multipart(entry.multipart(ids)) }
  if (entry.text) {
    const { type, content } = entry.text(ids)
    return { type, body: Buffer.from(content) }
  }
  return {}
}

/** What authentication and scope decide before anything is looked up; undefined where the caller gets through. */
export function refusalOf(
  { scope, needsKey, sessionOnly, entry }: Attacked,
  caller: Caller,
): { status: number; code: string } | undefined {
  if (entry.kind === 'public') return undefined
  if (sessionOnly) return caller.kind === 'person' ? undefined : { status: 401, code: 'session-required' }
  if (caller.kind === 'nobody' || (needsKey && caller.kind === 'person'))
    return { status: 401, code: 'token-required' }
  if (scope !== undefined && !caller.scopes.includes(scope))
    return { status: 403, code: 'insufficient-scope' }
  return undefined
}
