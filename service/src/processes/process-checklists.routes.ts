import type { App } from '../http/app-types.ts'
import type { Responses } from '../http/responses.ts'
import * as schema from './process-checklists.schema.ts'
import type { ProcessChecklists } from './process-checklists.service.ts'

export function processChecklistRoutes(
  app: App,
  { responses, processChecklists }: { responses: Responses; processChecklists: ProcessChecklists },
): void {
  const path = '/admin/v1/processes/:name/checklist'

  app.get(path, { schema: schema.getProcessChecklist, scope: 'desk:read' }, async req => {
    const items = await processChecklists.get(req.params.name)
    responses.auditRead(req, 'process.checklist_read', [req.params.name])
    return { items }
  })
  app.put(path, { schema: schema.putProcessChecklist, scope: 'setup:write' }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const items = req.body.items.map(({ name, type, required = true }) => ({
        name,
        type: type || null,
        required,
      }))
      return {
        status: 200,
        json: JSON.stringify({ items: await processChecklists.put(unit, req.params.name, items) }),
      }
    }),
  )
}
