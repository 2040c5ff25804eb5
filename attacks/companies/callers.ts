// Callers who are limited to one company: each role as a person with a session, and as a client with the same scopes.
import type { Target } from '../support/target.ts'
import type { Exchange } from './exchange.ts'

/** Written down here, so that a change of the service is noticed. */
const READS = ['applicants:read', 'cases:read', 'documents:read', 'desk:read']
const WRITES = ['applicants:write', 'cases:write', 'documents:write', 'desk:write']
const REST = ['setup:write', 'webhooks:write', 'access:write', 'audit:read', 'admin']
export const ROLES: Record<string, string[]> = {
  viewer: READS,
  'case-manager': [...READS, ...WRITES],
  auditor: [...READS, 'audit:read'],
  admin: [...READS, ...WRITES, ...REST],
}
export const PASSWORD = 'a bakery in the fog'

export interface Caller {
  /** Such as `viewer by cookie`. */
  name: string
  role: string
  kind: 'person' | 'client' | 'nobody'
  scopes: string[]
  /** As the audit names it. */
  clientId: string
  /** The id of the client or the user itself. */
  ownId: string
  headers: Record<string, string>
}

export interface Person extends Caller {
  email: string
}

export const NOBODY: Caller = {
  name: 'without credentials',
  role: 'nobody',
  kind: 'nobody',
  scopes: [],
  clientId: '',
  ownId: '',
  headers: {},
}

interface Grant {
  role: string
  companies: string[] | null
  /** Part of every name and address. */
  mark: string
}

let made = 0

export async function createClientOf(
  { call, service }: Target,
  { role, companies, mark }: Grant,
): Promise<Caller> {
  const scopes = ROLES[role] ?? []
  const { status, body } = await call('POST', '/admin/v1/clients', {
    name: `${mark} ${role}`,
    scopes,
    companies,
  })
  if (status !== 201) throw new Error(`No client: ${status} ${JSON.stringify(body)}`)
  const { clientId, clientSecret } = body
  const { body: key } = await call('POST', `/admin/v1/clients/${clientId}/api-keys`, { name: `${mark} key` })
  const token = await tokenOf(service.url, clientId, clientSecret)
  return {
    name: `${role} by token`,
    role,
    kind: 'client',
    scopes,
    clientId,
    ownId: clientId,
    headers: { authorization: `Bearer ${token}`, 'x-api-key': key.apiKey },
  }
}

export async function tokenOf(
  url: string,
  clientId: string,
  clientSecret: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const response = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`, ...headers },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  return ((await response.json()) as { access_token?: string }).access_token ?? ''
}

export async function createPersonOf(
  { call, service }: Target,
  { role, companies, mark }: Grant,
): Promise<Person> {
  made += 1
  const email = `${mark}-${made}@example.com`
  const { status, body } = await call('POST', '/admin/v1/users', {
    email,
    name: `${mark} ${role}`,
    roles: [role],
    companies,
  })
  if (status !== 201) throw new Error(`No user: ${status} ${JSON.stringify(body)}`)
  const token = new URL(body.invitation.url).searchParams.get('invitation')
  const response = await fetch(`${service.url}/auth/v1/invitation`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: service.url },
    body: JSON.stringify({ token, password: PASSWORD }),
  })
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0]
  if (!cookie) throw new Error(`No session: ${response.status} ${await response.text()}`)
  return {
    name: `${role} by cookie`,
    role,
    kind: 'person',
    scopes: ROLES[role] ?? [],
    clientId: `user:${body.userId}`,
    ownId: body.userId,
    headers: { cookie, origin: service.url },
    email,
  }
}

/** A new session for the person. */
export async function signIn(
  exchange: Exchange,
  person: Caller,
  headers: Record<string, string> = {},
): Promise<void> {
  const { email } = person as Person
  const { cookie: _cookie, ...rest } = person.headers
  const response = await exchange({
    method: 'POST',
    path: '/auth/v1/session',
    headers: { ...rest, ...headers, 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ email, password: PASSWORD })),
  })
  const set = response.headers.find(([name]) => name === 'set-cookie')?.[1].split(';')[0]
  if (!set) throw new Error(`No session: ${response.status} ${response.text}`)
  person.headers['cookie'] = set
}

/** Every role, as a person and as a client. */
export async function createCallers(target: Target, companyId: string, mark: string): Promise<Caller[]> {
  const grants = Object.keys(ROLES).map(role => ({ role, companies: [companyId], mark }))
  return Promise.all(grants.flatMap(grant => [createClientOf(target, grant), createPersonOf(target, grant)]))
}
