// Builds valid requests from openapi.json, as parts that can be mutated one by one.

import type { Dataset } from './dataset.ts'
import type { Random } from './random.ts'
import { type Json, resolve, sample } from './samples.ts'
import { CLIENT } from './service.ts'
import type { Target } from './target.ts'

export interface Request {
  method: string
  /** The template of openapi.json. */
  template: string
  /** As sent: percent-encoded, unless a mutation left it raw. */
  path: string
  query: [string, string][]
  headers: [string, string][]
  body: Buffer
  json: Json
  version: string
  /** How the request declares the length of its body; `none`, `short` and `bad-chunk` are wrong on purpose. */
  framing: 'length' | 'chunked' | 'none' | 'short' | 'bad-chunk'
  /** Names of the mutations applied so far, for the report. */
  mutations: string[]
}

/** Changes a request in place. */
export type Mutation = (request: Request, random: Random) => void

export function setHeader(request: Request, name: string, value: string): void {
  request.headers = request.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase())
  request.headers.push([name, value])
}

export interface Operation {
  operationId: string
  method: string
  template: string
  parameters: Json[]
  media: string | undefined
  schema: Json
  example: Json
  secured: boolean
}

export function operationsOf(document: Json): Operation[] {
  return Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods as Record<string, Json>).map(([method, operation]) => {
      const [media, body] = Object.entries<Json>(operation.requestBody?.content ?? {})[0] ?? []
      return {
        operationId: operation.operationId,
        method: method.toUpperCase(),
        template,
        parameters: (operation.parameters ?? []).map((parameter: Json) => resolve(document, parameter)),
        media,
        schema: body && resolve(document, body.schema),
        example: body?.example,
        secured: operation.security.length > 0,
      }
    }),
  )
}

export function validRequest(
  { method, template, parameters, media, schema, example, secured }: Operation,
  { target, dataset, random }: { target: Target; dataset: Dataset; random: Random },
): Request {
  const sampling = { document: target.document, random }
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(dataset[name] ?? 'unknown'),
  )
  const query = parameters
    .filter(parameter => parameter.in === 'query' && (parameter.required || random.chance(0.3)))
    .filter(parameter => !/Cursor$/.test(parameter.name))
    .map(({ name, schema: own }): [string, string] => [
      name,
      encodeURIComponent(String(sample(sampling, own, name))),
    ])
  const request: Request = {
    method,
    template,
    path,
    query,
    headers: [['Host', '127.0.0.1']],
    body: Buffer.alloc(0),
    json: undefined,
    version: 'HTTP/1.1',
    framing: 'length',
    mutations: [],
  }
  if (secured) request.headers.push(['Authorization', `Bearer ${target.token}`], ['X-API-Key', CLIENT.apiKey])
  if (media === 'application/json') {
    request.json = random.chance(0.5) ? structuredClone(example) : sample(sampling, schema)
    // Webhooks stay inactive: with deliveries of every event the run would mostly test those.
    if (template.startsWith('/admin/v1/webhooks')) request.json = { ...request.json, ...inactive(schema) }
    request.body = Buffer.from(JSON.stringify(request.json))
  } else if (media === 'multipart/form-data') {
    request.body = multipart([
      ['caseId', dataset['caseId'] ?? ''],
      ['countryCode', 'DE'],
      ['document', '%PDF-1.7 a permit', 'permit.pdf'],
    ])
  } else if (media) request.body = Buffer.from('grant_type=client_credentials')
  if (media)
    request.headers.push([
      'Content-Type',
      media === 'multipart/form-data' ? `${media}; boundary=${BOUNDARY}` : media,
    ])
  return request
}

function inactive({ properties }: Json): Json {
  return properties.active ? { active: false } : {}
}

export const BOUNDARY = 'boundary-of-the-attack'

export function multipart(parts: [name: string, value: string, fileName?: string][]): Buffer {
  const text = parts.map(([name, value, fileName]) => {
    const file = fileName === undefined ? '' : `; filename="${fileName}"\r\nContent-Type: application/pdf`
    return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`
  })
  return Buffer.from(`${text.join('')}--${BOUNDARY}--\r\n`, 'latin1')
}

/** The bytes on the wire. All text is Latin-1 here, because it was encoded as UTF-8 bytes before. */
export function render({ method, path, query, headers, body, version, framing }: Request): Buffer {
  const target =
    query.length === 0 ? path : `${path}?${query.map(([name, value]) => `${name}=${value}`).join('&')}`
  const lines = [`${method} ${target} ${version}`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  const hasBody = body.length > 0 || headers.some(([name]) => /^content-type$/i.test(name))
  if (framing === 'chunked' || framing === 'bad-chunk') lines.push('Transfer-Encoding: chunked')
  else if (framing === 'short') lines.push(`Content-Length: ${body.length + 7}`)
  else if (framing === 'length' && hasBody) lines.push(`Content-Length: ${body.length}`)
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  if (framing === 'bad-chunk') return Buffer.concat([head, Buffer.from('xyz\r\n'), body])
  if (framing !== 'chunked') return Buffer.concat([head, body])
  const size = body.length > 0 ? Buffer.from(`${body.length.toString(16)}\r\n`) : Buffer.alloc(0)
  return Buffer.concat([head, size, body, Buffer.from(body.length > 0 ? '\r\n0\r\n\r\n' : '0\r\n\r\n')])
}
