import type { App } from '../http/app-types.ts'
import { preconditionsOf, type Responses } from '../http/responses.ts'
import * as schema from './checklists.schema.ts'
import type { Checklists } from './checklists.service.ts'

export function checklistRoutes(
  app: App,
  { responses, checklists }: { responses: Responses; checklists: Checklists },
): void {
  const path = '/admin/v1/cases/:caseId/checklist'

  app.get(path, { schema: schema.getChecklist, scope: 'desk:read' }, async (req, reply) =>
    responses.one(req, reply, 'case.checklist_read', await checklists.get(req.params.caseId)),
  )
  app.put(path, { schema: schema.putChecklist, scope: 'desk:write' }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const inputs = req.body.items.map(({ name, type, required = true, documentId, accepted = false }) => ({
        name,
        type: type || null,
        required,
        documentId: documentId || null,
        accepted,
      }))
      const replacing = { inputs, requireState: preconditionsOf(req) }
      const { json, etag } = await checklists.replace(unit, req.params.caseId, replacing)
      return { status: 200, json, headers: { etag } }
    }),
  )
}
