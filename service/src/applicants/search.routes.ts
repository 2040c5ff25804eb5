import type { App } from '../http/app-types.ts'
import type { Pagination } from '../http/pagination.ts'
import type { Responses } from '../http/responses.ts'
import { foundToWire, listedToWire, toWire } from './applicants.mapper.ts'
import * as schema from './search.schema.ts'
import type { ApplicantSearch } from './search.service.ts'
import type { SearchPosition } from './search.store.ts'
import { idsOf, type Summaries } from './summaries.service.ts'

interface Options {
  responses: Responses
  pagination: Pagination
  search: ApplicantSearch
  summaries: Summaries
}

export function applicantSearchRoutes(app: App, { responses, pagination, search, summaries }: Options): void {
  const path = '/admin/v1/applicants'

  app.get(path, { schema: schema.searchApplicants, scope: 'desk:read' }, async (req, reply) => {
    const page = await search.list(req.query, pagination.walk<SearchPosition>(req))
    const listed = await summaries.add(page.records, req.query)
    responses.auditRead(req, 'applicant.search', idsOf(listed))
    const records = listed.map(record => JSON.stringify(listedToWire(record)))
    return pagination.sendCounted(req, reply, { ...page, records })
  })

  app.get(
    `${path}/:applicantId`,
    { schema: schema.getFoundApplicant, scope: 'desk:read' },
    async (req, reply) => {
      const found = await search.get(req.params.applicantId)
      const json = JSON.stringify(foundToWire(found))
      return responses.part(req, reply, 'applicant.find', { id: found.applicantId, json })
    },
  )

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
