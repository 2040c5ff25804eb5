// Serves the sign-in page. It loads nothing from another origin and has no inline script or style.
import { readFileSync } from 'node:fs'
import type { App, Operation } from '../http/app-types.ts'
import type { Browser } from '../http/browser.ts'
import { Type } from '../lib/json-schema.ts'
import type { Invitations } from '../users/invitations.service.ts'
import type { Users } from '../users/users.service.ts'
import { type PageState, renderPage } from './page.ts'
import type { Passkeys } from './passkeys.service.ts'
import type { Sessions } from './sessions.service.ts'
import type { SignIn } from './sign-in.service.ts'
import type { Totp } from './totp.service.ts'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
const ASSETS = { 'sign-in.css': 'text/css', 'sign-in.js': 'text/javascript' }

const getSignInPage = {
  operationId: 'getSignInPage',
  tags: ['Sign-in'],
  summary: 'Open the sign-in page',
  description:
    'Returns a web page on which people sign in, accept an invitation (`?invitation=`), and set up authenticator codes and passkeys. It needs no token, and loads nothing from other origins.',
  produces: 'text/html',
  response: { 200: Type.String() },
} satisfies Operation

interface Options {
  browser: Browser
  users: Users
  invitations: Invitations
  sessions: Sessions
  signIn: SignIn
  totp: Totp
  passkeys: Passkeys
  now: () => number
}

const read = (name: string) => readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8')

export function signInPageRoutes(
  app: App,
  { browser, users, invitations, sessions, signIn, totp, passkeys, now }: Options,
): void {
  const personOf = async (token: string | undefined): Promise<PageState['person']> => {
    const principal = token === undefined ? undefined : await sessions.verify(token)
    const user = principal?.user && (await users.find(principal.user.userId))
    if (!user) return undefined
    const [hasTotp, keys] = await Promise.all([totp.isEnrolled(user.userId), passkeys.list(user.userId)])
    return { name: user.name, email: user.email, roles: user.roles, totp: hasTotp, passkeys: keys }
  }
  const invitationOf = async (token: string | undefined): Promise<PageState['invitation']> => {
    if (token === undefined) return undefined
    const found = await invitations.find(token, new Date(now()))
    if (!found) return 'invalid'
    return found === 'first'
      ? { token, email: undefined, name: undefined }
      : { token, email: found.email, name: found.name }
  }

  app.get('/sign-in', { schema: getSignInPage, scope: 'public' }, async (req, reply) => {
    const query = req.query as Record<string, unknown>
    const text = (name: string) => (typeof query[name] === 'string' ? query[name] : undefined)
    const invitation = await invitationOf(text('invitation'))
    const page = renderPage({
      methods: signIn.methods(),
      // A link for another person is shown to one who is signed in, too.
      person: invitation && invitation !== 'invalid' ? undefined : await personOf(browser.read(req)),
      invitation,
      error: text('error'),
    })
    return reply
      .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY })
      .send(page as never)
  })

  for (const [name, type] of Object.entries(ASSETS)) {
    const content = read(name)
    app.get(`/sign-in/${name}`, { scope: 'public' }, async (_req, reply) =>
      reply.headers({ 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-cache' }).send(content),
    )
  }
}
