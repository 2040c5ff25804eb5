import type { App } from '../http/app-types.ts'
import type { Responses } from '../http/responses.ts'
import * as schema from './processes.schema.ts'
import { toWire } from './processes.schema.ts'
import type { Processes } from './processes.service.ts'

export function processRoutes(
  app: App,
  { responses, processes }: { responses: Responses; processes: Processes },
): void {
  const path = '/admin/v1/processes'
  const scope = 'setup:write'

  app.get(path, { schema: schema.listProcesses, scope: 'desk:read' }, async req => {
    const found = await processes.list()
    responses.auditRead(
      req,
      'process.list',
      found.map(({ name }) => name),
    )
    return found.map(toWire)
  })

  app.put(`${path}/:name`, { schema: schema.putProcess, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const { process, created } = await processes.put(unit, req.params.name, req.body)
      const json = JSON.stringify(toWire(process))
      return created ? { status: 201, json, headers: { location: path } } : { status: 200, json }
    }),
  )
  app.delete(`${path}/:name`, { schema: schema.deleteProcess, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      await processes.remove(unit, req.params.name)
      return { status: 204, json: '' }
    }),
  )
}
