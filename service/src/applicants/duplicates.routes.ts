import type { App } from '../http/app-types.ts'
import type { Pagination } from '../http/pagination.ts'
import type { Responses } from '../http/responses.ts'
import * as schema from './duplicates.schema.ts'
import type { Duplicates } from './duplicates.service.ts'
import type { DuplicatePosition } from './duplicates.store.ts'

interface Options {
  responses: Responses
  pagination: Pagination
  duplicates: Duplicates
}

export function duplicateRoutes(app: App, { responses, pagination, duplicates }: Options): void {
  const path = '/admin/v1/duplicates'

  app.get(path, { schema: schema.listDuplicates, scope: 'desk:read' }, async (req, reply) => {
    const page = await duplicates.list(req.query, pagination.walk<DuplicatePosition>(req))
    responses.auditRead(req, 'duplicate.list', [
      ...new Set(page.records.flatMap(({ firstId, secondId }) => [firstId, secondId])),
    ])
    const records = page.records.map(pair => JSON.stringify(schema.pairToWire(pair)))
    return pagination.sendCounted(req, reply, { ...page, records })
  })

  app.post(`${path}/dismiss`, { schema: schema.dismissDuplicate, scope: 'desk:write' }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const { firstId, secondId, score, reasons, reason, dismissedBy, dismissedAt } =
        await duplicates.dismiss(unit, req.body)
      const applicantIds = [firstId, secondId]
      const json = JSON.stringify({ applicantIds, score, reasons, reason, dismissedBy, dismissedAt })
      return { status: 200, json }
    }),
  )
}
