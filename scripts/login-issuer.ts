// A real OpenID Connect issuer for tests of sign-in: oidc-provider, with its own login form. Any login works: the part after
// `#` is the list of roles, the part before it the e-mail address.
import type { Server } from 'node:http'
import { freePort } from './free-port.ts'

export interface TestIssuer {
  url: string
  /** Settings of the service that people sign in to. */
  settings: Record<string, string>
  /** Gives the person of this login other roles than those of the login. */
  setRoles(login: string, roles: string[]): void
  stop(): Promise<void>
}

const CLIENT = { id: 'caseport-login', secret: 'a secret of the login client' }
const ROLES_CLAIM = 'caseport_roles'

/** `addresses` are those of the service, as browsers open it. With `jwks` it publishes these keys instead of its own. */
export async function startIssuer(
  addresses: string[],
  { port: given, jwks }: { port?: number; jwks?: object } = {},
): Promise<TestIssuer> {
  const port = given ?? (await freePort())
  const url = `http://localhost:${port}`
  const changed = new Map<string, string[]>()
  // Without types of its own.
  const { default: Provider } = await import('oidc-provider' as string)
  const provider = new Provider(url, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: addresses.map(address => `${address}/auth/v1/oidc/callback`),
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', ROLES_CLAIM] },
    findAccount: (_context: unknown, login: string) => ({
      accountId: login,
      claims: () => ({
        ...claimsOf(login),
        ...(changed.has(login) && { [ROLES_CLAIM]: changed.get(login) }),
      }),
    }),
    pkce: { required: () => true },
    cookies: { keys: ['only for tests'] },
  })
  if (jwks)
    provider.use(async (context: { path: string; body: unknown }, next: () => Promise<void>) => {
      await next()
      if (context.path === '/jwks') context.body = jwks
    })
  const server: Server = await new Promise(resolve => {
    const listening = provider.listen(port, () => resolve(listening))
  })
  return {
    url,
    settings: {
      LOGIN_OIDC_ISSUER: url,
      LOGIN_OIDC_CLIENT_ID: CLIENT.id,
      LOGIN_OIDC_CLIENT_SECRET: CLIENT.secret,
      LOGIN_OIDC_ROLES_CLAIM: ROLES_CLAIM,
    },
    setRoles: (login, roles) => void changed.set(login, roles),
    async stop() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

function claimsOf(login: string) {
  const [email = '', roles = ''] = login.split('#')
  return {
    sub: login,
    ...(email.includes('@') && { email, email_verified: !email.startsWith('unverified') }),
    name: `${email.split('@')[0]} of the issuer`,
    [ROLES_CLAIM]: roles.split(',').filter(Boolean),
  }
}

/** Does what a browser does between the two redirects: logs in, consents, and returns the address of the callback. */
export async function walkThrough(
  start: string,
  login: string,
  callback = '/auth/v1/oidc/callback',
): Promise<string> {
  const cookies = new Map<string, string>()
  let url = start
  let body: URLSearchParams | undefined
  for (let hop = 0; hop < 20; hop++) {
    const response: Response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(body && { method: 'POST', body }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location) {
      url = new URL(location, url).href
      body = undefined
      if (new URL(url).pathname === callback) return url
      continue
    }
    const page = await response.text()
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
    if (!prompt) throw new Error(`The issuer responded with ${response.status}: ${page.slice(0, 500)}`)
    url = new URL(/action="([^"]+)"/.exec(page)?.[1] ?? '', url).href
    body = new URLSearchParams({ prompt, ...(prompt === 'login' && { login, password: 'any' }) })
  }
  throw new Error('The issuer redirects for ever.')
}
