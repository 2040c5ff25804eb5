import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../http/app-types.ts'
import { preconditionsOf, type Responses } from '../http/responses.ts'
import { etagOf, familyFromWire, familyToWire, fromWire, type Stored, toWire } from './applicants.mapper.ts'
import * as schema from './applicants.schema.ts'
import type { Applicants } from './applicants.service.ts'
import type { FamilyBody } from './applicants.shapes.ts'
import type { Key } from './applicants.store.ts'
import type { Families, SavedFamily } from './families.service.ts'
import type { Numbers } from './numbers.service.ts'

interface Options {
  responses: Responses
  applicants: Applicants
  families: Families
  numbers: Numbers
}

const READ = 'applicant.read'

export function applicantRoutes(app: App, { responses, applicants, families, numbers }: Options): void {
  const byId = '/v2/applicant/:applicantId'
  const byNumber = '/v2/applicant/employeenumber/:employeeNumber'
  const read = { scope: 'applicants:read' } as const
  const write = { scope: 'applicants:write' } as const

  const replaceFamily = (req: FastifyRequest, reply: FastifyReply, key: Key, body: FamilyBody) => {
    const change = { input: familyFromWire(body), requireState: preconditionsOf(req) }
    return responses.write(
      req,
      reply,
      async unit => familyResponse(await families.replace(unit, key, change)),
      async () => unchangedResponse(await families.findUnchangedByReplace(key, change)),
    )
  }
  const mergeFamily = (req: FastifyRequest, reply: FastifyReply, key: Key, body: FamilyBody) => {
    const change = { input: familyFromWire(body), requireState: preconditionsOf(req) }
    return responses.write(
      req,
      reply,
      async unit => familyResponse(await families.merge(unit, key, change)),
      async () => unchangedResponse(await families.findUnchangedByMerge(key, change)),
    )
  }

  app.get(byId, { schema: schema.getApplicant, ...read }, async (req, reply) =>
    responses.one(req, reply, READ, await applicants.get({ id: req.params.applicantId })),
  )
  app.get(byNumber, { schema: schema.getApplicantByNumber, ...read }, async (req, reply) =>
    responses.one(req, reply, READ, await applicants.get({ number: req.params.employeeNumber })),
  )
  app.get(`${byId}/dependents`, { schema: schema.getDependents, ...read }, async (req, reply) =>
    responses.many(req, reply, READ, await applicants.getDependents({ id: req.params.applicantId })),
  )
  app.get(`${byNumber}/dependents`, { schema: schema.getDependentsByNumber, ...read }, async (req, reply) =>
    responses.many(req, reply, READ, await applicants.getDependents({ number: req.params.employeeNumber })),
  )
  app.get(`${byId}/dependent/:dependentId`, { schema: schema.getDependent, ...read }, async (req, reply) =>
    responses.one(
      req,
      reply,
      READ,
      await applicants.getDependent({ id: req.params.applicantId }, req.params.dependentId),
    ),
  )
  app.get(
    `${byNumber}/dependents/:dependentId`,
    { schema: schema.getDependentByNumber, ...read },
    async (req, reply) => {
      const { employeeNumber, dependentId } = req.params
      return responses.one(
        req,
        reply,
        READ,
        await applicants.getDependent({ number: employeeNumber }, dependentId),
      )
    },
  )

  app.post('/v2/applicant', { schema: schema.saveApplicant, ...write }, (req, reply) =>
    responses.write(req, reply, async unit =>
      familyResponse(await families.create(unit, familyFromWire(req.body))),
    ),
  )
  app.put(byId, { schema: schema.updateApplicant, ...write }, (req, reply) =>
    replaceFamily(req, reply, { id: req.params.applicantId }, req.body),
  )
  app.put(byNumber, { schema: schema.saveApplicantByNumber, ...write }, (req, reply) =>
    replaceFamily(req, reply, { number: req.params.employeeNumber }, req.body),
  )
  app.patch(byId, { schema: schema.mergeApplicant, ...write }, (req, reply) =>
    mergeFamily(req, reply, { id: req.params.applicantId }, req.body),
  )
  app.patch(byNumber, { schema: schema.mergeApplicantByNumber, ...write }, (req, reply) =>
    mergeFamily(req, reply, { number: req.params.employeeNumber }, req.body),
  )
  app.post(`${byId}/dependent`, { schema: schema.saveDependent, ...write }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const { applicantId } = req.params
      const saved = await families.createDependent(unit, applicantId, fromWire(req.body))
      const location = `/v2/applicant/${encodeURIComponent(applicantId)}/dependent/${encodeURIComponent(saved.record.applicantId)}`
      return { ...dependentResponse(saved), status: 201, headers: { location, etag: etagOf(saved) } }
    }),
  )
  app.put(
    `${byNumber}/dependents/:dependentId`,
    { schema: schema.saveDependentByNumber, ...write },
    (req, reply) =>
      responses.write(req, reply, async unit => {
        const at = { primary: { number: req.params.employeeNumber }, dependent: req.params.dependentId }
        return dependentResponse(
          await families.replaceDependent(unit, at, {
            input: fromWire(req.body),
            requireState: preconditionsOf(req),
          }),
        )
      }),
  )
  app.patch(
    `${byNumber}/dependents/:dependentId`,
    { schema: schema.mergeDependentByNumber, ...write },
    (req, reply) =>
      responses.write(req, reply, async unit => {
        const at = { primary: { number: req.params.employeeNumber }, dependent: req.params.dependentId }
        return dependentResponse(
          await families.mergeDependent(unit, at, {
            input: fromWire(req.body),
            requireState: preconditionsOf(req),
          }),
        )
      }),
  )

  app.post(
    '/v2/applicant/employeenumber/:oldEmployeeNumber/:newEmployeeNumber',
    { schema: schema.changeNumber, ...write, apiKey: true },
    (req, reply) =>
      responses.write(req, reply, async unit => {
        const { oldEmployeeNumber: from, newEmployeeNumber: to } = req.params
        return {
          status: 200,
          json: JSON.stringify(await numbers.changeNumber(unit, { from, to, identity: req.body })),
        }
      }),
  )
  app.post(
    `${byNumber}/dependents/:dependentId`,
    { schema: schema.changeDependentNumber, ...write },
    (req, reply) =>
      responses.write(req, reply, async unit => {
        const { employeeNumber: primary, dependentId: current } = req.params
        const { newEmployeeNumber: to, lastName, ...identity } = req.body
        return {
          status: 200,
          json: JSON.stringify(
            await numbers.changeDependentNumber(unit, {
              primary,
              current,
              to: to || undefined,
              identity: { ...identity, ...(lastName && { lastName }) },
            }),
          ),
        }
      }),
  )
}

function familyResponse({ created, primary, dependents }: SavedFamily) {
  const { id, json, etag } = familyToWire({ primary, dependents })
  const location = `/v2/applicant/${encodeURIComponent(id)}`
  return { status: created ? 201 : 200, json, headers: { etag, ...(created && { location }) } }
}

function unchangedResponse(family: SavedFamily | undefined) {
  if (!family) return undefined
  const ids = [family.primary, ...family.dependents].map(({ record }) => record.applicantId)
  return { action: READ, ids, response: familyResponse(family) }
}

function dependentResponse(saved: Stored) {
  const { json, etag } = toWire(saved)
  return { status: 200, json, headers: { etag } }
}
