// Sign-in, sessions and credentials. Routes with the scope `session` are for the person of the cookie alone.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import type { App } from '../http/app-types.ts'
import { askToSignIn } from '../http/authorization.ts'
import type { Browser } from '../http/browser.ts'
import { actorOf, auditRead, type Responses } from '../http/responses.ts'
import { createLimiter, tooManyRequests } from '../lib/limiter.ts'
import { networkOf } from '../lib/network-address.ts'
import { type FieldError, invalid } from '../lib/problem.ts'
import { scopesOf } from '../lib/roles.ts'
import type { WorkerBus } from '../lib/worker-bus.ts'
import type { User, Users } from '../users/users.service.ts'
import type { Passkeys } from './passkeys.service.ts'
import { MAX_AGE_SECONDS, type Session, type Sessions } from './sessions.service.ts'
import * as schema from './sign-in.schema.ts'
import type { SignIn } from './sign-in.service.ts'
import type { SignInResult, Visitor } from './sign-in.ts'
import type { Totp } from './totp.service.ts'

interface Options {
  browser: Browser
  responses: Responses
  users: Users
  sessions: Sessions
  signIn: SignIn
  totp: Totp
  passkeys: Passkeys
  now: () => number
  bus: WorkerBus
}

/**
 * The largest bodies are those of passkeys: about 2 KiB, and up to 10 KiB for a registration with the certificates of an
 * authenticator. Public routes read their body before they take a slot.
 */
const BODY_LIMIT = 16 * 1024

/** Requests without any credential that store something: per minute and address. */
const STARTS_PER_MINUTE = 60

export function signInRoutes(
  app: App,
  { browser, responses, users, sessions, signIn, totp, passkeys, now, bus }: Options,
): void {
  const base = '/auth/v1'
  const shared = bus.counts('sign-ins begun')
  const starts = createLimiter({ limit: STARTS_PER_MINUTE, windowSeconds: 60, now, shared })

  const visitorOf = (req: FastifyRequest): Visitor => ({
    actor: actorOf(req),
    device: { address: req.ip, userAgent: req.headers['user-agent'] ?? '' },
    origin: browser.originOf(req),
    sessionToken: browser.read(req),
    onAudited: () => {
      req.isAudited = true
    },
    onRejected: (userId = 'unknown') => {
      req.auditNote = { action: 'session.refused', recordIds: [userId], outcome: 'refused' }
    },
  })
  const limitStarts = (req: FastifyRequest) => {
    const network = networkOf(req.ip)
    if (starts.count(network)) return
    const seconds = Math.max(1, starts.blockedFor(network))
    throw tooManyRequests(`More than ${STARTS_PER_MINUTE} sign-ins a minute were begun from this address.`, {
      headers: { 'retry-after': String(seconds) },
    })
  }
  const sameOriginOnly = async (req: FastifyRequest) => browser.rejectCrossOrigin(req)
  /** The session of the cookie, which authorization has verified, with its user. */
  const currentOf = async (req: FastifyRequest): Promise<{ session: Session; user: User }> => {
    const session = await sessions.get(browser.read(req))
    return { session, user: (await users.find(session.userId)) as User }
  }
  /** For changes of how the person signs in: a session that has ended since the request began must not make them. */
  const requireOpen = async (unit: UnitOfWork, session: Session): Promise<void> => {
    if (!(await signIn.lockOpen(unit, session))) throw askToSignIn()
  }
  // After the transaction and before the response, so that the change holds when the person reads it.
  const forgetting = async (_req: unknown, _reply: unknown, payload: unknown) => {
    sessions.forget()
    return payload
  }
  const describe = async (session: Session, user: User) => {
    const [password, hasTotp, recoveryCodes, keys] = await Promise.all([
      signIn.hasPassword(user.userId),
      totp.isEnrolled(user.userId),
      totp.countRecoveryCodes(user.userId),
      passkeys.list(user.userId),
    ])
    return {
      ...schema.sessionToWire(session, sessions.expiresAt(session)),
      user: schema.userToWire(user, scopesOf(user.roles)),
      credentials: { password, totp: hasTotp, recoveryCodes, passkeys: keys.length },
    }
  }
  const setCookie = (req: FastifyRequest, reply: FastifyReply, token: string) =>
    reply.header('set-cookie', browser.cookie(req, { value: token, seconds: MAX_AGE_SECONDS }))
  const sendResult = async (req: FastifyRequest, reply: FastifyReply, result: SignInResult) => {
    if (result.kind === 'next') {
      const { kind: _, ...step } = result
      auditRead(req, 'session.continue', [])
      return reply.code(200).send(step as never)
    }
    sessions.forget()
    setCookie(req, reply, result.token).header('location', `${base}/session`)
    return reply.code(201).send((await describe(result.session, result.user)) as never)
  }

  app.get(`${base}/methods`, { schema: schema.getMethods, scope: 'public' }, async () => signIn.methods())

  app.post(
    `${base}/session`,
    {
      schema: schema.createSession,
      bodyLimit: BODY_LIMIT,
      scope: 'public',
      audit: 'always',
      onRequest: sameOriginOnly,
    },
    async (req, reply) => sendResult(req, reply, await takeStep(signIn, visitorOf(req), req.body)),
  )
  app.post(
    `${base}/passkey/options`,
    {
      schema: schema.passkeySignInOptions,
      bodyLimit: BODY_LIMIT,
      scope: 'public',
      audit: 'always',
      onRequest: sameOriginOnly,
    },
    async req => {
      limitStarts(req)
      auditRead(req, 'session.begin', [])
      return signIn.passkeyOptions(visitorOf(req))
    },
  )
  app.post(
    `${base}/invitation`,
    {
      schema: schema.acceptInvitation,
      bodyLimit: BODY_LIMIT,
      scope: 'public',
      audit: 'always',
      onRequest: sameOriginOnly,
    },
    async (req, reply) => sendResult(req, reply, await signIn.acceptInvitation(visitorOf(req), req.body)),
  )

  app.get(
    `${base}/oidc/start`,
    { schema: schema.startExternal, scope: 'public', audit: 'always' },
    async (req, reply) => {
      limitStarts(req)
      const { url, token } = await signIn.startExternal(`${browser.publicBase(req)}${base}/oidc/callback`)
      auditRead(req, 'session.begin', [])
      reply.header('set-cookie', browser.cookie(req, { name: 'issuer', value: token, seconds: 300 }))
      return reply
        .code(303)
        .header('location', url)
        .send(undefined as never)
    },
  )
  app.get(
    `${base}/oidc/callback`,
    { schema: schema.finishExternal, scope: 'public', audit: 'always' },
    async (req, reply) => {
      const token = browser.read(req, 'issuer')
      const query = req.url.split('?')[1] ?? ''
      const result = await signIn.finishExternal(visitorOf(req), { token, query })
      reply.header('set-cookie', browser.cookie(req, { name: 'issuer' }))
      // Relative, because a proxy may serve us below another path.
      const page = '../../../sign-in'
      if (typeof result === 'string')
        return reply
          .code(303)
          .header('location', `${page}?error=${result}`)
          .send(undefined as never)
      setCookie(req, reply, result.token)
      return reply
        .code(303)
        .header('location', '../../../console')
        .send(undefined as never)
    },
  )

  app.get(`${base}/session`, { schema: schema.getSession, scope: 'session' }, async req => {
    const { session, user } = await currentOf(req)
    return describe(session, user)
  })
  app.delete(
    `${base}/session`,
    { schema: schema.endSession, scope: 'session', onSend: forgetting },
    async (req, reply) => {
      const { session } = await currentOf(req)
      return responses.write(req, reply, async unit => {
        await sessions.end(unit, session.userId, session.sessionId)
        return { status: 204, json: '', headers: { 'set-cookie': browser.cookie(req, {}) } }
      })
    },
  )
  app.get(`${base}/sessions`, { schema: schema.listSessions, scope: 'session' }, async req => {
    const { session: current } = await currentOf(req)
    return (await sessions.list(current.userId)).map(session => ({
      ...schema.sessionToWire(session, sessions.expiresAt(session)),
      current: session.sessionId === current.sessionId,
    }))
  })
  app.delete(
    `${base}/sessions/:sessionId`,
    { schema: schema.endOneSession, scope: 'session', onSend: forgetting },
    async (req, reply) => {
      const { session } = await currentOf(req)
      return responses.write(req, reply, async unit => {
        await sessions.end(unit, session.userId, req.params.sessionId)
        return { status: 204, json: '' }
      })
    },
  )

  app.post(
    `${base}/password`,
    { schema: schema.changePassword, bodyLimit: BODY_LIMIT, scope: 'session', onSend: forgetting },
    async (req, reply) => {
      const { session, user } = await currentOf(req)
      if (!(await signIn.hasPassword(user.userId))) sessions.requireRecent(session)
      const password = await signIn.prepareNewPassword(user, { ...req.body, address: req.ip })
      return responses.write(req, reply, async unit => {
        await requireOpen(unit, session)
        await signIn.changePassword(unit, session, password)
        return { status: 204, json: '' }
      })
    },
  )

  app.post(
    `${base}/totp`,
    { schema: schema.enrolTotp, bodyLimit: BODY_LIMIT, scope: 'session' },
    async (req, reply) => {
      const { session, user } = await currentOf(req)
      sessions.requireRecent(session)
      return responses.write(req, reply, async unit => {
        await requireOpen(unit, session)
        return { status: 200, json: JSON.stringify(await totp.enrol(unit, user.userId, user.email)) }
      })
    },
  )
  app.post(
    `${base}/totp/confirm`,
    { schema: schema.confirmTotp, bodyLimit: BODY_LIMIT, scope: 'session', onSend: forgetting },
    async (req, reply) => {
      const { session } = await currentOf(req)
      return responses.write(req, reply, async unit => {
        await requireOpen(unit, session)
        const recoveryCodes = await totp.confirm(unit, session.userId, req.body.code)
        await sessions.endAll(unit, session.userId, session.sessionId)
        return { status: 200, json: JSON.stringify({ recoveryCodes }) }
      })
    },
  )
  app.post(
    `${base}/totp/remove`,
    { schema: schema.removeTotp, bodyLimit: BODY_LIMIT, scope: 'session' },
    async (req, reply) => {
      const { session } = await currentOf(req)
      sessions.requireRecent(session)
      const { code, recoveryCode } = req.body
      if ((code === undefined) === (recoveryCode === undefined))
        throw invalid([{ pointer: '/code', detail: 'Send either code or recoveryCode.' }])
      return responses.write(req, reply, async unit => {
        await requireOpen(unit, session)
        await signIn.removeTotp(unit, session.userId, { ...req.body, address: req.ip })
        return { status: 204, json: '' }
      })
    },
  )

  app.get(`${base}/passkeys`, { schema: schema.listPasskeys, scope: 'session' }, async req => {
    const { session } = await currentOf(req)
    return (await passkeys.list(session.userId)).map(schema.passkeyToWire)
  })
  app.post(
    `${base}/passkeys/options`,
    { schema: schema.passkeyRegistrationOptions, bodyLimit: BODY_LIMIT, scope: 'session' },
    async req => {
      const { session, user } = await currentOf(req)
      sessions.requireRecent(session)
      return passkeys.registrationOptions(user, browser.originOf(req))
    },
  )
  app.post(
    `${base}/passkeys`,
    { schema: schema.createPasskey, bodyLimit: BODY_LIMIT, scope: 'session' },
    async (req, reply) => {
      const { session } = await currentOf(req)
      sessions.requireRecent(session)
      return responses.write(req, reply, async unit => {
        await requireOpen(unit, session)
        const passkey = await passkeys.register(unit, session.userId, req.body)
        const location = `${base}/passkeys`
        return { status: 201, json: JSON.stringify(schema.passkeyToWire(passkey)), headers: { location } }
      })
    },
  )
  app.delete(
    `${base}/passkeys/:passkeyId`,
    { schema: schema.deletePasskey, scope: 'session' },
    async (req, reply) => {
      const { session } = await currentOf(req)
      sessions.requireRecent(session)
      return responses.write(req, reply, async unit => {
        await requireOpen(unit, session)
        await passkeys.remove(unit, session.userId, req.params.passkeyId)
        return { status: 204, json: '' }
      })
    },
  )
}

interface SignInBody {
  email?: string
  password?: string
  challenge?: string
  code?: string
  recoveryCode?: string
  passkey?: Record<string, unknown>
}

/** The body is one of four: which fields are there decides. */
function takeStep(signIn: SignIn, visitor: Visitor, body: SignInBody): Promise<SignInResult> {
  const { email, password, challenge, code, recoveryCode, passkey } = body
  if (challenge === undefined) {
    requireFields(body, ['email', 'password'], ['code', 'recoveryCode', 'passkey'])
    return signIn.withPassword(visitor, email as string, password as string)
  }
  if (passkey !== undefined) {
    requireFields(body, ['passkey'], ['email', 'password', 'code', 'recoveryCode'])
    return signIn.byPasskey(visitor, challenge, passkey)
  }
  if (recoveryCode !== undefined) {
    requireFields(body, ['recoveryCode'], ['email', 'password', 'code'])
    return signIn.secondFactorByCode(visitor, challenge, { recoveryCode })
  }
  requireFields(body, ['code'], ['email', 'password'])
  return signIn.secondFactorByCode(visitor, challenge, { code: code as string })
}

function requireFields(body: SignInBody, needed: (keyof SignInBody)[], excluded: (keyof SignInBody)[]): void {
  const errors: FieldError[] = [
    ...needed
      .filter(name => body[name] === undefined)
      .map(name => ({ pointer: `/${name}`, detail: 'Required, but missing.' })),
    ...excluded
      .filter(name => body[name] !== undefined)
      .map(name => ({
        pointer: `/${name}`,
        detail: `Leave it out: it belongs to another step than ${needed[0]}.`,
      })),
  ]
  if (errors.length > 0) throw invalid(errors)
}
