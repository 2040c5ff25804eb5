import type { App } from '../http/app-types.ts'
import type { Pagination } from '../http/pagination.ts'
import { preconditionsOf, principalOf, type Responses } from '../http/responses.ts'
import { caseFromWire, casePatchFromWire, noteToWire, noteVersionToWire, stepToWire } from './cases.mapper.ts'
import * as schema from './cases.schema.ts'
import type { Cases } from './cases.service.ts'
import { etagOf, type Notes } from './notes.service.ts'
import type { NoteRow } from './notes.store.ts'
import type { Steps } from './steps.service.ts'
import type { StepRow } from './steps.store.ts'

interface Options {
  responses: Responses
  pagination: Pagination
  cases: Cases
  steps: Steps
  notes: Notes
}

const READ = 'case.read'

export function caseRoutes(app: App, { responses, pagination, cases, steps, notes }: Options): void {
  const read = { scope: 'cases:read' } as const

  app.post('/v2/case', { schema: schema.createCase, scope: 'cases:write' }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const { id, json, etag } = await cases.create(unit, caseFromWire(req.body))
      return { status: 201, json, headers: { location: `/v2/case/${encodeURIComponent(id)}`, etag } }
    }),
  )
  app.get('/v2/case/:caseId', { schema: schema.getCase, ...read }, async (req, reply) =>
    responses.one(req, reply, READ, await cases.get(req.params.caseId)),
  )
  app.get(
    '/v2/cases/applicant/id/:applicantId',
    { schema: schema.getCasesOfApplicant, ...read },
    async (req, reply) =>
      responses.many(req, reply, READ, await cases.listOf({ id: req.params.applicantId })),
  )
  app.get(
    '/v2/cases/applicant/employeenumber/:employeeNumber',
    { schema: schema.getCasesOfNumber, ...read },
    async (req, reply) =>
      responses.many(req, reply, READ, await cases.listOf({ number: req.params.employeeNumber })),
  )
  app.get('/v2/case/:caseId/steps', { schema: schema.getSteps, ...read }, async (req, reply) => {
    const json = JSON.stringify((await steps.listOf(req.params.caseId)).map(stepToWire))
    return responses.part(req, reply, 'case.steps_read', { id: req.params.caseId, json })
  })
  app.get('/v2/case/:caseId/notes', { schema: schema.getNotes, ...read }, async (req, reply) => {
    const json = JSON.stringify((await notes.listOf(req.params.caseId, audienceOf(req))).map(noteToWire))
    return responses.part(req, reply, 'case.notes_read', { id: req.params.caseId, json })
  })
  app.get('/v2/cases/applicants/steps', { schema: schema.listSteps, ...read }, async (req, reply) => {
    const page = await steps.list(
      pagination.window({ request: req, defaultOffset: 1, defaultType: 'updated' }),
    )
    responses.auditRead(req, 'case.steps_read', casesOf(page.records))
    return pagination.send(req, reply, { ...page, records: page.records.map(stepJson) })
  })
  app.get('/v2/cases/applicants/notes', { schema: schema.listNotes, ...read }, async (req, reply) => {
    const page = await notes.list(
      pagination.window({ request: req, defaultOffset: 0, defaultType: 'created' }),
      audienceOf(req),
    )
    responses.auditRead(req, 'case.notes_read', casesOf(page.records))
    return pagination.send(req, reply, { ...page, records: page.records.map(noteJson) })
  })

  operatorRoutes(app, { responses, cases, steps, notes })
}

function operatorRoutes(app: App, { responses, cases, steps, notes }: Omit<Options, 'pagination'>): void {
  const one = '/admin/v1/cases/:caseId'
  const scope = 'desk:write'
  const locationOf = (caseId: string, list: string) => `/v2/case/${encodeURIComponent(caseId)}/${list}`

  app.patch(one, { schema: schema.patchCase, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const change = { patch: casePatchFromWire(req.body), requireState: preconditionsOf(req) }
      const { json, etag } = await cases.merge(unit, req.params.caseId, change)
      return { status: 200, json, headers: { etag } }
    }),
  )
  app.post(`${one}/steps`, { schema: schema.addStep, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const json = stepJson(await steps.add(unit, req.params.caseId, req.body))
      return { status: 201, json, headers: { location: locationOf(req.params.caseId, 'steps') } }
    }),
  )
  app.patch(`${one}/steps/:stepId`, { schema: schema.patchStep, scope }, (req, reply) =>
    responses.write(req, reply, async unit => ({
      status: 200,
      json: stepJson(await steps.merge(unit, req.params, req.body)),
    })),
  )
  app.post(`${one}/steps/:stepId/complete`, { schema: schema.completeStep, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const { step, nextStep } = await steps.complete(unit, req.params, req.body)
      const json = JSON.stringify({ step: stepToWire(step), nextStep: nextStep && stepToWire(nextStep) })
      return { status: 200, json }
    }),
  )
  app.post(`${one}/notes`, { schema: schema.addNote, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const json = noteJson(await notes.add(unit, req.params.caseId, req.body))
      return { status: 201, json, headers: { location: locationOf(req.params.caseId, 'notes') } }
    }),
  )
  app.patch(`${one}/notes/:noteId`, { schema: schema.patchNote, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const change = { patch: req.body, requireState: preconditionsOf(req) }
      const note = await notes.merge(unit, req.params, change)
      return { status: 200, json: noteJson(note), headers: { etag: etagOf(note) } }
    }),
  )
  app.get(
    `${one}/notes/:noteId/versions`,
    { schema: schema.getNoteVersions, scope: 'desk:read' },
    async (req, reply) => {
      const mayRead = principalOf(req).scopes.has('cases:read')
      const versions = await notes.listVersions(req.params)
      const json = JSON.stringify(versions.map(version => noteVersionToWire(version, mayRead)))
      return responses.part(req, reply, 'case.notes_read', { id: req.params.caseId, json })
    },
  )
}

/** Whether the caller sees the notes of the team. */
const audienceOf = (request: Parameters<typeof principalOf>[0]) => ({
  isTeam: principalOf(request).scopes.has('desk:read'),
})

const stepJson = (step: StepRow) => JSON.stringify(stepToWire(step))
const noteJson = (note: NoteRow) => JSON.stringify(noteToWire(note))

const casesOf = (records: { caseId: string }[]) => [...new Set(records.map(({ caseId }) => caseId))]
