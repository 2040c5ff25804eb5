import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../http/app-types.ts'
import type { Pagination } from '../http/pagination.ts'
import { principalOf, type Responses } from '../http/responses.ts'
import { toWire } from './timeline.mapper.ts'
import * as schema from './timeline.schema.ts'
import type { Timeline } from './timeline.service.ts'
import type { TimelinePosition } from './timeline.ts'

interface Options {
  responses: Responses
  pagination: Pagination
  timeline: Timeline
}

type TimelinePage = Awaited<ReturnType<Timeline['ofCase']>>

export function timelineRoutes(app: App, { responses, pagination, timeline }: Options): void {
  const scope = 'desk:read'
  const send = (
    req: FastifyRequest,
    reply: FastifyReply,
    { page, ...read }: { page: TimelinePage; action: string; recordId: string },
  ) => {
    responses.auditRead(req, read.action, [read.recordId])
    const { scopes } = principalOf(req)
    const records = page.records.map(entry => JSON.stringify(toWire(entry, scopes)))
    return pagination.sendCounted(req, reply, { ...page, records })
  }

  app.get(
    '/admin/v1/cases/:caseId/timeline',
    { schema: schema.getCaseTimeline, scope },
    async (req, reply) => {
      const { caseId: recordId } = req.params
      const page = await timeline.ofCase(recordId, pagination.walk<TimelinePosition>(req))
      return send(req, reply, { page, action: 'case.timeline_read', recordId })
    },
  )
  app.get(
    '/admin/v1/applicants/:applicantId/timeline',
    { schema: schema.getApplicantTimeline, scope },
    async (req, reply) => {
      const { applicantId: recordId } = req.params
      const page = await timeline.ofApplicant(recordId, pagination.walk<TimelinePosition>(req))
      return send(req, reply, { page, action: 'applicant.timeline_read', recordId })
    },
  )
}
