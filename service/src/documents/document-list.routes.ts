import type { ListPosition } from '../db/ordered-list.ts'
import type { App } from '../http/app-types.ts'
import type { Pagination } from '../http/pagination.ts'
import type { Responses } from '../http/responses.ts'
import { expiringToWire, listAllDocuments, listExpiring } from './document-list.schema.ts'
import type { DocumentList } from './document-list.service.ts'

interface Options {
  responses: Responses
  pagination: Pagination
  documentList: DocumentList
}

export function documentListRoutes(app: App, { responses, pagination, documentList }: Options): void {
  const scope = 'desk:read'

  app.get('/admin/v1/documents', { schema: listAllDocuments, scope }, async (req, reply) => {
    const page = await documentList.list(req.query, pagination.walk<ListPosition>(req))
    responses.auditRead(
      req,
      'document.list',
      page.records.map(({ id }) => id),
    )
    return pagination.sendCounted(req, reply, { ...page, records: page.records.map(({ json }) => json) })
  })

  app.get('/admin/v1/expiring', { schema: listExpiring, scope }, async (req, reply) => {
    const page = await documentList.listExpiring(req.query, pagination.walk<ListPosition>(req))
    const ids = page.records.map(({ kind, itemId, applicantId }) =>
      kind === 'document' ? itemId : applicantId,
    )
    responses.auditRead(req, 'expiring.list', [...new Set(ids)])
    const today = documentList.today()
    const records = page.records.map(row => JSON.stringify(expiringToWire(row, today)))
    return pagination.sendCounted(req, reply, { ...page, records })
  })
}
