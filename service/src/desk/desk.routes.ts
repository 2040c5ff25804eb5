import { foundToWire } from '../applicants/applicants.mapper.ts'
import { listedCaseToWire } from '../cases/case-list.schema.ts'
import { toWire as companyToWire } from '../companies/companies.schema.ts'
import type { App } from '../http/app-types.ts'
import type { Responses } from '../http/responses.ts'
import * as schema from './desk.schema.ts'
import type { Desk } from './desk.service.ts'

export function deskRoutes(app: App, { responses, desk }: { responses: Responses; desk: Desk }): void {
  const read = { scope: 'desk:read' } as const

  app.get('/admin/v1/overview', { schema: schema.getOverview, ...read }, async req => {
    responses.auditRead(req, 'overview.read', [])
    return desk.overview()
  })

  app.get('/admin/v1/search', { schema: schema.globalSearch, ...read }, async (req, reply) => {
    const { people, cases, documents, companies, today } = await desk.search(req.query.q)
    const ids = [
      ...people.map(({ applicantId }) => applicantId),
      ...cases.map(({ caseId }) => caseId),
      ...documents.map(({ id }) => id),
      ...companies.map(({ companyId }) => companyId),
    ]
    responses.auditRead(req, 'desk.search', ids)
    const parts = [
      `"people":${JSON.stringify(people.map(foundToWire))}`,
      `"cases":${JSON.stringify(cases.map(row => listedCaseToWire(row, today)))}`,
      `"documents":[${documents.map(({ json }) => json).join(',')}]`,
      `"companies":${JSON.stringify(companies.map(companyToWire))}`,
    ]
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .send(`{${parts.join(',')}}`) as never
  })
}
