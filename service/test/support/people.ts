// People for tests: users who have accepted their invitations, with the cookie of a session.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { TestApp } from './harness.ts'

export const PASSWORD = 'a bakery in the fog'
export const ORIGIN = 'http://localhost:8080'

// biome-ignore lint/suspicious/noExplicitAny: a test looks at any response.
type Response = { status: number; headers: Record<string, any>; body: any; text: string }

interface BrowserCall {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  body?: unknown
  headers?: Record<string, string>
  address?: string
}

export const newEmail = (prefix = 'person') => `${prefix}-${randomBytes(5).toString('hex')}@example.com`

/** A browser: keeps cookies, and sends the headers that browsers send. */
export function createVisitor(test: TestApp, app = test.app) {
  const cookies = new Map<string, string>()

  const call = async ({
    method = 'GET',
    url,
    body,
    headers = {},
    address,
  }: BrowserCall): Promise<Response> => {
    const response = await app.inject({
      method,
      url,
      ...(address && { remoteAddress: address }),
      headers: {
        host: 'localhost:8080',
        ...(method !== 'GET' && { origin: ORIGIN }),
        ...(cookies.size > 0 && {
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        }),
        ...headers,
      },
      ...(body !== undefined && { payload: body as object }),
    })
    for (const { name, value } of response.cookies) {
      if (value) cookies.set(name, value)
      else cookies.delete(name)
    }
    const json = String(response.headers['content-type'] ?? '').includes('json')
    return {
      status: response.statusCode,
      headers: response.headers,
      body: json && response.body ? response.json() : undefined,
      text: response.body,
    }
  }

  return {
    call,
    cookies,
    post: (url: string, body?: unknown) => call({ method: 'POST', url, body }),
    signIn: (email: string, password = PASSWORD, address?: string) =>
      call({
        method: 'POST',
        url: '/auth/v1/session',
        body: { email, password },
        ...(address && { address }),
      }),
  }
}

export type Visitor = ReturnType<typeof createVisitor>

/** Creates a user by the API; returns the user and the token of the invitation. */
export async function inviteUser(test: TestApp, fields: object = {}) {
  const body = { email: newEmail(), name: 'Ruth Okafor', roles: ['viewer'], ...fields }
  const response = await test.call({ method: 'POST', url: '/admin/v1/users', body })
  assert.equal(response.status, 201, response.text)
  const { invitation, ...user } = response.body
  const token = new URL(invitation.url).searchParams.get('invitation') ?? ''
  return { user: user as { userId: string; email: string; roles: string[] }, token }
}

/** Creates a user who has accepted the invitation and is signed in. */
export async function createPerson(test: TestApp, fields: object = {}) {
  const { user, token } = await inviteUser(test, fields)
  const visitor = createVisitor(test)
  const response = await visitor.post('/auth/v1/invitation', { token, password: PASSWORD })
  assert.equal(response.status, 201, response.text)
  return { user, visitor }
}
