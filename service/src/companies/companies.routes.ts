import type { App } from '../http/app-types.ts'
import { preconditionsOf, type Responses } from '../http/responses.ts'
import * as schema from './companies.schema.ts'
import { toWire } from './companies.schema.ts'
import { type Companies, etagOf } from './companies.service.ts'
import type { Company } from './companies.store.ts'

export function companyRoutes(
  app: App,
  { responses, companies }: { responses: Responses; companies: Companies },
): void {
  const path = '/admin/v1/companies'
  const read = { scope: 'desk:read' } as const
  const write = { scope: 'setup:write' } as const
  const json = (company: Company) => JSON.stringify(toWire(company))

  app.get(path, { schema: schema.listCompanies, ...read }, async req => {
    const found = await companies.list()
    responses.auditRead(
      req,
      'company.list',
      found.map(({ companyId }) => companyId),
    )
    return found.map(toWire)
  })

  app.get(`${path}/:companyId`, { schema: schema.getCompany, ...read }, async (req, reply) => {
    const company = await companies.get(req.params.companyId)
    return responses.one(req, reply, 'company.read', {
      id: company.companyId,
      json: json(company),
      etag: etagOf(company),
    })
  })
  app.post(path, { schema: schema.createCompany, ...write }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const company = await companies.create(unit, req.body)
      const location = `${path}/${encodeURIComponent(company.companyId)}`
      return { status: 201, json: json(company), headers: { location, etag: etagOf(company) } }
    }),
  )
  app.patch(`${path}/:companyId`, { schema: schema.patchCompany, ...write }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const company = await companies.merge(unit, req.params.companyId, req.body, preconditionsOf(req))
      return { status: 200, json: json(company), headers: { etag: etagOf(company) } }
    }),
  )
}
