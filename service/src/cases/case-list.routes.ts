import type { ListPosition } from '../db/ordered-list.ts'
import type { App } from '../http/app-types.ts'
import type { Pagination } from '../http/pagination.ts'
import { principalOf, type Responses } from '../http/responses.ts'
import { listCases, listedCaseToWire } from './case-list.schema.ts'
import type { CaseList } from './case-list.service.ts'

interface Options {
  responses: Responses
  pagination: Pagination
  caseList: CaseList
}

export function caseListRoutes(app: App, { responses, pagination, caseList }: Options): void {
  app.get('/admin/v1/cases', { schema: listCases, scope: 'desk:read' }, async (req, reply) => {
    const page = await caseList.list(req.query, principalOf(req), pagination.walk<ListPosition>(req))
    responses.auditRead(
      req,
      'case.list',
      page.records.map(({ caseId }) => caseId),
    )
    const today = caseList.today()
    const records = page.records.map(row => JSON.stringify(listedCaseToWire(row, today)))
    return pagination.sendCounted(req, reply, { ...page, records })
  })
}
