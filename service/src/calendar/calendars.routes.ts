import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../http/app-types.ts'
import type { Browser } from '../http/browser.ts'
import { matches } from '../http/etags.ts'
import { auditRead, principalOf, type Responses } from '../http/responses.ts'
import * as schema from './calendars.schema.ts'
import { type Calendars, personRequired } from './calendars.service.ts'

interface Options {
  responses: Responses
  calendars: Calendars
  browser: Browser
}

export function calendarRoutes(app: App, { responses, calendars, browser }: Options): void {
  const path = '/admin/v1/me/calendar'
  const scope = 'desk:read'

  app.get(path, { schema: schema.getCalendar, scope }, async req => {
    const userId = userIdOf(req)
    const { createdAt } = await calendars.get(userId)
    auditRead(req, 'calendar.read', [userId])
    return { createdAt: createdAt.toISOString() }
  })
  app.post(path, { schema: schema.createCalendar, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const { token } = await calendars.create(unit, userIdOf(req))
      const url = browser.calendarLink(req, token)
      return { status: 201, json: JSON.stringify({ url, createdAt: unit.now }), headers: { location: path } }
    }),
  )
  app.delete(path, { schema: schema.deleteCalendar, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      await calendars.remove(unit, userIdOf(req))
      return { status: 204, json: '' }
    }),
  )
  app.get(
    '/calendar/:token',
    { schema: schema.readCalendar, scope: 'public', audit: 'always' },
    async (req, typed) => {
      // Its statuses are those of the schema; 304 is none of them.
      const reply: FastifyReply = typed
      const { text, etag, principal, ids } = await calendars.render(req.params.token.replace(/\.ics$/, ''))
      // For the audit: the caller is the person whose calendar it is.
      req.principal = principal
      auditRead(req, 'calendar.feed', [...new Set(ids)])
      reply.header('etag', etag).header('cache-control', 'private, no-cache')
      const known = req.headers['if-none-match']
      if (known !== undefined && matches(known, etag, false)) return reply.code(304).send() as never
      return reply.header('content-type', 'text/calendar; charset=utf-8').send(text) as never
    },
  )
}

function userIdOf(req: FastifyRequest): string {
  const { user } = principalOf(req)
  if (!user) throw personRequired()
  return user.userId
}
