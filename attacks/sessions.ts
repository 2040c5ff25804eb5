// Sessions that must not open what they may not: every operation with the cookie of every role, from pages of other origins,
// after the end of the session; users who try to become more than they are; guesses.
import type { Attack } from './attack.ts'
import { createDataset, type Dataset } from './support/dataset.ts'
import { createRandom } from './support/random.ts'
import { type Operation, operationsOf, validRequest } from './support/requests.ts'
import type { Json } from './support/samples.ts'
import { startTarget, type Target } from './support/target.ts'

const ROLES = ['viewer', 'case-manager', 'auditor', 'admin']
/** Written down here, so that a change of the service is noticed. */
const READS = ['applicants:read', 'cases:read', 'documents:read', 'desk:read']
const WRITES = ['applicants:write', 'cases:write', 'documents:write', 'desk:write']
const SCOPES: Record<string, string[]> = {
  viewer: READS,
  'case-manager': [...READS, ...WRITES],
  auditor: [...READS, 'audit:read'],
}
const PASSWORD = 'a bakery in the fog'
const NAMES = /Anna|Okafor|A note\.|permit\.pdf/

interface Fixture {
  target: Target
  dataset: Dataset
  findings: string[]
  tried: { roles: number; origins: number; ended: number; grants: number; guesses: number }
}

interface Person {
  userId: string
  email: string
  cookie: string
}

export const sessions: Attack = {
  name: 'sessions',
  title: 'every operation × every role by cookie',
  must: '0 leaks, 0 changes',
  breaks: ['same-origin', 'session-end', 'user-grants', 'password-check', 'guess-limit'],

  async run(context) {
    const target = await startTarget(context)
    const tried = { roles: 0, origins: 0, ended: 0, grants: 0, guesses: 0 }
    const fixture: Fixture = { target, dataset: await createDataset(target, '-S'), findings: [], tried }
    const parts = [everyRole, otherOrigins, endedSessions, grants, guesses]
    for (const [index, part] of parts.entries()) {
      context.progress(index, parts.length)
      await part(fixture)
    }
    return {
      figures: `${tried.roles} calls by cookie of a role, ${tried.origins} from other origins, ${tried.ended} with an ended session, ${tried.grants} attempts to become more, ${tried.guesses} guesses; ${fixture.findings.length} leaks`,
      findings: fixture.findings.slice(0, 50),
    }
  },
}

async function send(
  { target }: Fixture,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
) {
  const response = await fetch(target.service.url + path, {
    method,
    headers: { origin: target.service.url, ...headers },
    redirect: 'manual',
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  const json = /json/.test(response.headers.get('content-type') ?? '') && text ? JSON.parse(text) : {}
  return { status: response.status, text, body: json as Json, cookies: response.headers.getSetCookie() }
}

const postJson = (fixture: Fixture, path: string, body: object, headers: Record<string, string> = {}) =>
  send(fixture, 'POST', path, { 'content-type': 'application/json', ...headers }, JSON.stringify(body))

let made = 0

async function createPerson(fixture: Fixture, role: string): Promise<Person> {
  made += 1
  const email = `attacker-${made}@example.com`
  const { body: user } = await fixture.target.call('POST', '/admin/v1/users', {
    email,
    name: 'Eve',
    roles: [role],
  })
  const token = new URL(user.invitation.url).searchParams.get('invitation')
  const { cookies, text } = await postJson(fixture, '/auth/v1/invitation', { token, password: PASSWORD })
  const cookie = cookies[0]?.split(';')[0]
  if (!cookie) throw new Error(`No session: ${text}`)
  return { userId: user.userId, email, cookie }
}

const scopeOf = ({ target }: Fixture, { template, method }: Operation): string | undefined =>
  target.document.paths[template][method.toLowerCase()].security[0]?.oauth2?.[0]

/** Operations that need a scope and no API key. */
const scoped = (fixture: Fixture) =>
  operationsOf(fixture.target.document).filter(operation => {
    const [first] = fixture.target.document.paths[operation.template][operation.method.toLowerCase()].security
    return first?.oauth2?.length > 0 && first.apiKey === undefined
  })

function requestOf({ target, dataset }: Fixture, operation: Operation) {
  const request = validRequest(operation, { target, dataset, random: createRandom(1) })
  const search = request.query.map(([name, value]) => `${name}=${value}`).join('&')
  const type = request.headers.find(([name]) => name === 'Content-Type')
  return {
    path: `${request.path}${search ? `?${search}` : ''}`,
    headers: type ? { 'content-type': type[1] } : ({} as Record<string, string>),
    ...(type && { body: request.body.toString('latin1') }),
  }
}

async function everyRole(fixture: Fixture): Promise<void> {
  const { findings, tried } = fixture
  for (const role of ROLES) {
    const { cookie } = await createPerson(fixture, role)
    for (const operation of scoped(fixture)) {
      const needed = scopeOf(fixture, operation) ?? ''
      if (role === 'admin' || SCOPES[role]?.includes(needed)) continue
      tried.roles += 1
      const { path, headers, body } = requestOf(fixture, operation)
      const response = await send(fixture, operation.method, path, { ...headers, cookie }, body)
      if (response.status !== 403 || response.body.code !== 'insufficient-scope')
        findings.push(`${operation.operationId} as ${role}: ${response.status} ${response.body.code}`)
      if (NAMES.test(response.text)) findings.push(`${operation.operationId} as ${role}: personal data`)
    }
  }
}

async function otherOrigins(fixture: Fixture): Promise<void> {
  const { findings, tried } = fixture
  const { cookie } = await createPerson(fixture, 'admin')
  const foreign = ['https://evil.example', 'null', 'http://localhost', 'http://127.0.0.1:1']
  for (const operation of operationsOf(fixture.target.document).filter(({ method }) => method !== 'GET')) {
    const [first, second] =
      fixture.target.document.paths[operation.template][operation.method.toLowerCase()].security
    if (!first?.session && !second?.session) continue
    const { path, headers, body } = requestOf(fixture, operation)
    for (const origin of foreign) {
      tried.origins += 1
      const response = await send(fixture, operation.method, path, { ...headers, cookie, origin }, body)
      if (response.status !== 403 || response.body.code !== 'cross-origin')
        findings.push(`${operation.operationId} from ${origin}: ${response.status} ${response.body.code}`)
    }
  }
}

async function endedSessions(fixture: Fixture): Promise<void> {
  const { target, findings, tried } = fixture
  const signedOut = await createPerson(fixture, 'admin')
  await send(fixture, 'DELETE', '/auth/v1/session', { cookie: signedOut.cookie })
  const ended = await createPerson(fixture, 'admin')
  await target.call('DELETE', `/admin/v1/users/${ended.userId}/sessions`)
  const disabled = await createPerson(fixture, 'admin')
  await target.call('PATCH', `/admin/v1/users/${disabled.userId}`, { active: false })
  for (const [what, { cookie }] of Object.entries({ signedOut, ended, disabled }))
    for (const operation of scoped(fixture)) {
      tried.ended += 1
      const { path, headers, body } = requestOf(fixture, operation)
      const response = await send(fixture, operation.method, path, { ...headers, cookie }, body)
      if (response.status !== 401 || response.body.code !== 'session-required')
        findings.push(`${operation.operationId} ${what}: ${response.status} ${response.body.code}`)
    }
}

/** A caller that may change users, and has no other scope: it tries to make itself an administrator. */
async function grants(fixture: Fixture): Promise<void> {
  const { target, findings, tried } = fixture
  const victim = await createPerson(fixture, 'admin')
  const { body: client } = await target.call('POST', '/admin/v1/clients', {
    name: 'Poor',
    scopes: ['access:write'],
  })
  const response = await fetch(`${target.service.url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  const token = ((await response.json()) as Json).access_token as string
  const at = `/admin/v1/users/${victim.userId}`
  const attempts: [string, string, object?][] = [
    ...ROLES.map((role): [string, string, object] => [
      'POST',
      '/admin/v1/users',
      { email: `grant-${role}@example.com`, name: 'Eve', roles: [role] },
    ]),
    ['PATCH', at, { roles: ['viewer'] }],
    ['PATCH', at, { active: false }],
    ['PATCH', at, { name: 'Eve' }],
    ['POST', `${at}/invite`],
    ['POST', `${at}/reset`],
    ['DELETE', `${at}/sessions`],
  ]
  for (const [method, path, body] of attempts) {
    tried.grants += 1
    const result = await target.call(method, path, body, token)
    if (result.status !== 403 || result.body.code !== 'cannot-grant')
      findings.push(`${method} ${path} without its scopes: ${result.status} ${result.body.code}`)
  }
}

/** Wrong passwords, and what the responses say of accounts that exist. */
async function guesses(fixture: Fixture): Promise<void> {
  const { findings, tried } = fixture
  const { target } = fixture
  const { body: user } = await target.call('POST', '/admin/v1/users', {
    email: 'guessed@example.com',
    name: 'Victim',
    roles: ['viewer'],
  })
  const token = new URL(user.invitation.url).searchParams.get('invitation')
  await postJson(fixture, '/auth/v1/invitation', { token, password: PASSWORD })
  const statuses = new Map<string, number[]>()
  for (const email of ['guessed@example.com', 'nobody@example.com'])
    for (let count = 0; count < 12; count++) {
      tried.guesses += 1
      const { status, cookies } = await postJson(fixture, '/auth/v1/session', {
        email,
        password: `guess number ${count}`,
      })
      if (cookies.length > 0) findings.push(`${email}: a wrong password got a cookie`)
      statuses.set(email, [...(statuses.get(email) ?? []), status])
    }
  const expected = [...Array(10).fill(401), 429, 429].join()
  for (const [email, found] of statuses)
    if (found.join() !== expected) findings.push(`${email}: ${found.join()} instead of ${expected}`)
}
