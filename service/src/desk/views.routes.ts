import type { App } from '../http/app-types.ts'
import { preconditionsOf, principalOf, type Responses } from '../http/responses.ts'
import type { Principal } from '../lib/principal.ts'
import * as schema from './views.schema.ts'
import { requireParameters, toWire } from './views.schema.ts'
import { etagOf, type SavedView, type Views } from './views.service.ts'

export function viewRoutes(app: App, { responses, views }: { responses: Responses; views: Views }): void {
  const path = '/admin/v1/views'
  const one = `${path}/:viewId`
  // A view is a note of the caller to itself: who may read the lists may save one. Sharing needs more.
  const scope = 'desk:read'
  const json = (view: SavedView, caller: Principal) => JSON.stringify(toWire(view, caller))

  app.get(path, { schema: schema.listViews, scope }, async req => {
    const caller = principalOf(req)
    const found = await views.list(caller, req.query.screen)
    responses.auditRead(
      req,
      'view.list',
      found.map(({ viewId }) => viewId),
    )
    return found.map(view => toWire(view, caller))
  })
  app.get(one, { schema: schema.getView, scope }, async (req, reply) => {
    const caller = principalOf(req)
    const view = await views.get(req.params.viewId, caller)
    const record = { id: view.viewId, json: json(view, caller), etag: etagOf(view) }
    return responses.one(req, reply, 'view.read', record)
  })
  app.post(path, { schema: schema.createView, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const caller = principalOf(req)
      requireParameters(req.body.screen, req.body.query)
      const view = await views.create(unit, req.body, caller)
      const location = `${path}/${encodeURIComponent(view.viewId)}`
      return { status: 201, json: json(view, caller), headers: { location, etag: etagOf(view) } }
    }),
  )
  app.patch(one, { schema: schema.patchView, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const caller = principalOf(req)
      const { viewId } = req.params
      if (req.body.query) requireParameters((await views.get(viewId, caller)).screen, req.body.query)
      const view = await views.merge(unit, viewId, {
        changes: req.body,
        caller,
        requireState: preconditionsOf(req),
      })
      return { status: 200, json: json(view, caller), headers: { etag: etagOf(view) } }
    }),
  )
  app.delete(one, { schema: schema.deleteView, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      await views.remove(unit, req.params.viewId, principalOf(req))
      return { status: 204, json: '' }
    }),
  )
}
