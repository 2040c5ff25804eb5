import type { App } from '../http/app-types.ts'
import type { Browser, BrowserRequest } from '../http/browser.ts'
import { preconditionsOf, type Responses } from '../http/responses.ts'
import type { Principal } from '../lib/principal.ts'
import type { Invitation } from './invitations.service.ts'
import * as schema from './users.schema.ts'
import { toWire } from './users.schema.ts'
import { etagOf, type Granter, type Users } from './users.service.ts'
import type { User } from './users.store.ts'

interface Options {
  responses: Responses
  users: Users
  browser: Browser
  /** Drops cached sessions, so that a change holds at once in this service. */
  forgetSessions: () => void
  nameOfClient: (clientId: string) => Promise<string>
}

export function userRoutes(
  app: App,
  { responses, users, browser, forgetSessions, nameOfClient }: Options,
): void {
  const path = '/admin/v1/users'
  const one = `${path}/:userId`
  const scope = 'access:write'
  const location = (user: User) => `${path}/${encodeURIComponent(user.userId)}`
  // After the transaction and before the response, so that the change holds when the caller reads it.
  const onSend = async (_req: unknown, _reply: unknown, payload: unknown) => {
    forgetSessions()
    return payload
  }
  const invited = (req: BrowserRequest, { user, invitation }: { user: User; invitation: Invitation }) =>
    JSON.stringify({
      ...toWire(user),
      invitation: {
        url: browser.invitationLink(req, invitation.token),
        expiresAt: invitation.expiresAt.toISOString(),
      },
    })

  app.get('/admin/v1/me', { schema: schema.getMe, scope: 'any' }, async req => {
    const principal = req.principal as Principal
    const user = principal.user && (await users.find(principal.user.userId))
    return {
      clientId: principal.clientId,
      userId: user?.userId ?? null,
      name: user?.name ?? (await nameOfClient(principal.clientId)),
      roles: user?.roles ?? [],
      scopes: [...principal.scopes],
      companies: principal.companies && [...principal.companies],
    }
  })

  app.get('/admin/v1/colleagues', { schema: schema.listColleagues, scope: 'desk:read' }, async req => {
    const found = await users.listColleagues(req.principal as Granter)
    responses.auditRead(
      req,
      'user.list',
      found.map(({ userId }) => userId),
    )
    return found
  })
  app.get(path, { schema: schema.listUsers, scope }, async req => {
    const found = await users.list(req.principal as Granter)
    responses.auditRead(
      req,
      'user.list',
      found.map(({ userId }) => userId),
    )
    return found.map(toWire)
  })
  app.get(one, { schema: schema.getUser, scope }, async (req, reply) => {
    const user = await users.get(req.params.userId, req.principal as Granter)
    return responses.one(req, reply, 'user.read', {
      id: user.userId,
      json: JSON.stringify(toWire(user)),
      etag: etagOf(user),
    })
  })
  app.post(path, { schema: schema.createUser, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const created = await users.create(unit, req.body, req.principal as Granter)
      return { status: 201, json: invited(req, created), headers: { location: location(created.user) } }
    }),
  )
  app.patch(one, { schema: schema.patchUser, scope, onSend }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const granter = req.principal as Granter
      const options = { changes: req.body, granter, requireState: preconditionsOf(req) }
      const user = await users.merge(unit, req.params.userId, options)
      return { status: 200, json: JSON.stringify(toWire(user)), headers: { etag: etagOf(user) } }
    }),
  )
  app.post(`${one}/invite`, { schema: schema.inviteUser, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const result = await users.invite(unit, req.params.userId, req.principal as Granter)
      return { status: 200, json: invited(req, result) }
    }),
  )
  app.post(`${one}/reset`, { schema: schema.resetUser, scope, onSend }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const result = await users.reset(unit, req.params.userId, req.principal as Granter)
      return { status: 200, json: invited(req, result) }
    }),
  )
  app.delete(`${one}/sessions`, { schema: schema.endUserSessions, scope, onSend }, (req, reply) =>
    responses.write(req, reply, async unit => {
      await users.endSessions(unit, req.params.userId, req.principal as Granter)
      return { status: 204, json: '' }
    }),
  )
}
