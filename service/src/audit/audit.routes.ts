import type { App } from '../http/app-types.ts'
import type { Pagination } from '../http/pagination.ts'
import * as schema from './audit.schema.ts'
import { toWire } from './audit.schema.ts'
import type { Audit } from './audit.service.ts'

export function auditRoutes(app: App, { audit, pagination }: { audit: Audit; pagination: Pagination }): void {
  app.get('/admin/v1/audit', { schema: schema.listAudit, scope: 'audit:read' }, async (req, reply) => {
    const page = await audit.list(
      pagination.window({ request: req, defaultOffset: 0, defaultType: 'at' }),
      req.query,
    )
    return pagination.send(req, reply, {
      ...page,
      records: page.records.map(entry => JSON.stringify(toWire(entry))),
    })
  })
}
