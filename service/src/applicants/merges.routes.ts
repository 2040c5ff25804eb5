import type { App } from '../http/app-types.ts'
import { requireScope } from '../http/authorization.ts'
import { requireConditions } from '../http/etags.ts'
import type { Pagination } from '../http/pagination.ts'
import { preconditionsOf, type Responses } from '../http/responses.ts'
import { etagOf, toWire } from './applicants.mapper.ts'
import * as schema from './merges.schema.ts'
import type { MergeResult, Merges } from './merges.service.ts'
import type { MergePosition } from './merges.store.ts'

interface Options {
  responses: Responses
  pagination: Pagination
  merges: Merges
}

export function mergeRoutes(app: App, { responses, pagination, merges }: Options): void {
  const path = '/admin/v1/merges'

  app.post(
    '/admin/v1/applicants/:applicantId/merge',
    { schema: schema.mergeApplicants, scope: 'desk:write' },
    (req, reply) => {
      requireScope(req, 'applicants:write')
      const { from, fromVersion, choices = {}, employeeNumber: number, dryRun = false } = req.body
      const requireSource = (etag: string) =>
        requireConditions({ ifMatch: fromVersion, ifNoneMatch: undefined }, etag)
      const request = { from, choices, number, dryRun, requireTarget: preconditionsOf(req), requireSource }
      return responses.write(req, reply, async unit =>
        mergeResponse(await merges.merge(unit, req.params.applicantId, request)),
      )
    },
  )

  app.get(path, { schema: schema.listMerges, scope: 'desk:read' }, async (req, reply) => {
    const page = await merges.list(req.query, pagination.walk<MergePosition>(req))
    responses.auditRead(req, 'merge.list', [...new Set(page.records.map(({ targetId }) => targetId))])
    const records = page.records.map(merge => JSON.stringify(schema.mergeToWire(merge)))
    return pagination.sendCounted(req, reply, { ...page, records })
  })

  app.post(`${path}/:mergeId/undo`, { schema: schema.undoMerge, scope: 'desk:write' }, (req, reply) => {
    requireScope(req, 'applicants:write')
    return responses.write(req, reply, async unit => {
      const { merge, target, restored, moved } = await merges.undo(
        unit,
        req.params.mergeId,
        req.body.reason ?? null,
      )
      const json = withJson(
        { ...schema.mergeToWire(merge), moved },
        { applicant: toWire(target).json, restored: toWire(restored).json },
      )
      return { status: 200, json }
    })
  })
}

function mergeResponse({ mergeId, plan, primary, dependents, moved }: MergeResult) {
  const parts = [plan.person, ...plan.dependents]
  const json = withJson(
    {
      mergeId: mergeId ?? null,
      dryRun: mergeId === undefined,
      absorbedApplicantId: plan.person.source.record.applicantId,
      retiredEmployeeNumber: plan.retiredNumber,
      moved: {
        ...moved,
        documents: moved.documents.filter(id => !parts.some(part => part.duplicateDocuments.includes(id))),
      },
      mergedDependents: plan.dependents.map(({ target, source }) => ({
        applicantId: target.record.applicantId,
        absorbedApplicantId: source.record.applicantId,
      })),
      removedDocuments: parts.flatMap(part => part.duplicateDocuments),
      differences: plan.person.differences,
    },
    {
      applicant: toWire(primary).json,
      dependents: `[${dependents.map(dependent => toWire(dependent).json).join(',')}]`,
    },
  )
  // A dry run leaves the record as it is.
  const etag = etagOf(mergeId === undefined ? plan.person.target : primary)
  return { status: 200, json, headers: { etag } }
}

/** An object with members that are JSON already. */
function withJson(object: object, members: Record<string, string>): string {
  const rest = Object.entries(members).map(([name, json]) => `,${JSON.stringify(name)}:${json}`)
  return `${JSON.stringify(object).slice(0, -1)}${rest.join('')}}`
}
