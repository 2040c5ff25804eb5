// HTTP client of the tests. Checks every response against the OpenAPI document of the service: an undocumented status or
// body fails the test that caused it.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { Contract, type Seen } from './contract.ts'

export const baseUrl = process.env['BASE_URL'] ?? ''
export const credentials = {
  clientId: process.env['CLIENT_ID'] ?? '',
  clientSecret: process.env['CLIENT_SECRET'] ?? '',
  apiKey: process.env['API_KEY'] ?? '',
}

export const contract = await Contract.load(baseUrl)

export interface TestResponse {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at any response.
  body: any
  bytes: Buffer
}

export interface Call {
  method?: string
  path: string
  /** JSON, unless it is a FormData, a URLSearchParams, text or bytes. */
  body?: unknown
  headers?: Record<string, string>
  /** The scopes of the token; every scope when left out, no token at all when null. */
  scopes?: string[] | null
  token?: string
  apiKey?: string
}

const tokens = new Map<string, Promise<string>>()

export function tokenFor(scopes: string[] = []): Promise<string> {
  const scope = scopes.join(' ')
  const known = tokens.get(scope) ?? requestToken(scope)
  tokens.set(scope, known)
  return known
}

async function requestToken(scope: string): Promise<string> {
  const basic = Buffer.from(`${credentials.clientId}:${credentials.clientSecret}`).toString('base64')
  const response = await fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) }),
  })
  if (!response.ok) throw new Error(`No token: ${response.status} ${await response.text()}`)
  return ((await response.json()) as { access_token: string }).access_token
}

export async function call({
  method = 'GET',
  path,
  body,
  headers = {},
  scopes,
  token,
  apiKey,
}: Call): Promise<TestResponse> {
  const bearer = token ?? (scopes === null ? undefined : await tokenFor(scopes))
  const plain =
    body instanceof FormData ||
    body instanceof URLSearchParams ||
    typeof body === 'string' ||
    body instanceof Buffer
  const response = await fetch(baseUrl + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(bearer && { authorization: `Bearer ${bearer}` }),
      ...(apiKey && { 'x-api-key': apiKey }),
      ...(body !== undefined && !plain && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: plain ? (body as string) : JSON.stringify(body) }),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const json = /[/+]json/.test(response.headers.get('content-type') ?? '')
  const result = {
    status: response.status,
    headers: response.headers,
    body: json && bytes.length ? JSON.parse(bytes.toString()) : undefined,
    bytes,
  }
  recordSeen(contract.check({ method, path, ...result }))
  return result
}

/** Checks a response that did not come through `call`. */
export function observe(response: {
  method: string
  path: string
  status: number
  headers: Headers
  body: unknown
}): void {
  recordSeen(contract.check(response))
}

function recordSeen(seen: Seen | undefined): void {
  const folder = process.env['SEEN_DIR']
  if (seen && folder) appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify(seen)}\n`)
}
