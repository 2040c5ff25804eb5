import type { App } from '../http/app-types.ts'
import type { Pagination } from '../http/pagination.ts'
import type { Responses } from '../http/responses.ts'
import { foundToWire, toWire } from './applicants.mapper.ts'
import * as schema from './search.schema.ts'
import type { ApplicantSearch } from './search.service.ts'
import type { SearchPosition } from './search.store.ts'

interface Options {
  responses: Responses
  pagination: Pagination
  search: ApplicantSearch
}

export function applicantSearchRoutes(app: App, { responses, pagination, search }: Options): void {
  const path = '/admin/v1/applicants'

  app.get(path, { schema: schema.searchApplicants, scope: 'desk:read' }, async (req, reply) => {
    const page = await search.list(req.query, pagination.walk<SearchPosition>(req))
    responses.auditRead(
      req,
      'applicant.search',
      page.records.map(({ applicantId }) => applicantId),
    )
    const records = page.records.map(record => JSON.stringify(foundToWire(record)))
    return pagination.sendCounted(req, reply, { ...page, records })
  })

  app.post(
    `${path}/:applicantId/restore`,
    { schema: schema.restoreApplicant, scope: 'desk:write' },
    (req, reply) =>
      responses.write(req, reply, async unit => {
        const { json, etag } = toWire(await search.restore(unit, req.params.applicantId, req.body))
        return { status: 200, json, headers: { etag } }
      }),
  )
}
