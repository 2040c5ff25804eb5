import type { Sql } from '../db/database.ts'
import type { App } from '../http/app-types.ts'
import type { Pagination } from '../http/pagination.ts'
import { auditRead } from '../http/responses.ts'
import * as schema from './notifications.schema.ts'
import { toWire } from './notifications.schema.ts'
import { listNotifications } from './notifications.store.ts'

export function notificationRoutes(
  app: App,
  { sql, pagination }: { sql: Sql; pagination: Pagination },
): void {
  const path = '/admin/v1/notifications'
  app.get(path, { schema: schema.listNotifications, scope: 'desk:read' }, async (req, reply) => {
    const window = pagination.window({ request: req, defaultOffset: 0, defaultType: 'created' })
    const page = await listNotifications(sql, window, req.query)
    const records = new Set(page.records.map(({ documentId, applicantId }) => documentId ?? applicantId))
    auditRead(req, 'notification.list', [...records])
    return pagination.send(req, reply, {
      ...page,
      records: page.records.map(row => JSON.stringify(toWire(row))),
    })
  })
}
