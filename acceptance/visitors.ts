// People who sign in: a browser that keeps cookies, and users who have accepted their invitations.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { baseUrl, type Call, call, type TestResponse } from './client.ts'
import { expectOk, post } from './people.ts'

export const PASSWORD = 'a bakery in the fog'
export const USERS = '/admin/v1/users'

/** What a browser sends with a request of a page of the service. */
export const sameOrigin = { origin: new URL(baseUrl).origin }

/** The cookie of a session that never was, by both of its names. */
export const endedCookie = { cookie: 'caseport=nothing; __Host-caseport=nothing' }

export const newEmail = () => `person-${randomBytes(8).toString('hex')}@example.com`
export const userAt = (userId: string) => `${USERS}/${encodeURIComponent(userId)}`

export function createVisitor() {
  const cookies = new Map<string, string>()
  const headers = () => ({
    ...sameOrigin,
    ...(cookies.size > 0 && { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
  })
  const send = async (request: Call): Promise<TestResponse> => {
    const response = await call({ ...request, scopes: null, headers: { ...headers(), ...request.headers } })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value) cookies.set(name, value)
      else cookies.delete(name)
    }
    return response
  }
  return {
    cookies,
    headers,
    send,
    get: (path: string) => send({ path }),
    post: (path: string, body?: unknown) =>
      send({ method: 'POST', path, ...(body !== undefined && { body }) }),
    delete: (path: string) => send({ method: 'DELETE', path }),
    signIn: (email: string, password = PASSWORD) =>
      send({ method: 'POST', path: '/auth/v1/session', body: { email, password } }),
  }
}

export type Visitor = ReturnType<typeof createVisitor>

export const tokenIn = (invitation: { url: string }) =>
  new URL(invitation.url).searchParams.get('invitation') ?? ''

export async function inviteUser(fields: object = {}) {
  const body = { email: newEmail(), name: 'Ruth Okafor', roles: ['viewer'], ...fields }
  const { invitation, ...user } = await expectOk(post(USERS, body))
  return { user: user as { userId: string; email: string; name: string }, token: tokenIn(invitation) }
}

/** A user who has accepted the invitation and is signed in. */
export async function createPerson(fields: object = {}) {
  const { user, token } = await inviteUser(fields)
  const visitor = createVisitor()
  const accepted = await visitor.post('/auth/v1/invitation', { token, password: PASSWORD })
  assert.equal(accepted.status, 201, JSON.stringify(accepted.body))
  return { user, ...visitor }
}
