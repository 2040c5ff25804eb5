import type { App } from '../http/app-types.ts'
import { preconditionsOf, type Responses } from '../http/responses.ts'
import { parseWallClock } from '../lib/dates.ts'
import * as schema from './desk-documents.schema.ts'
import type { DeskDocuments } from './desk-documents.service.ts'
import type { Details } from './desk-documents.store.ts'
import { sendFile, TRANSFER_TIME_LIMIT } from './documents.routes.ts'
import type { Files } from './files.service.ts'
import type { Transfers } from './transfers.ts'

interface Options {
  responses: Responses
  deskDocuments: DeskDocuments
  files: Files
  transfers: Transfers
}

/** Uploads are in upload.routes.ts. */
export function deskDocumentRoutes(app: App, { responses, deskDocuments, files, transfers }: Options): void {
  const one = '/admin/v1/documents/:documentId'
  const read = { scope: 'desk:read' } as const
  const write = { scope: 'desk:write' } as const

  app.get(one, { schema: schema.getDeskDocument, ...read }, async (req, reply) =>
    responses.one(req, reply, 'document.read', await deskDocuments.get(req.params.documentId)),
  )
  app.patch(one, { schema: schema.correctDocument, ...write }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const correction = { changes: detailsOf(req.body), requireState: preconditionsOf(req) }
      const { json, etag } = await deskDocuments.correct(unit, req.params.documentId, correction)
      return { status: 200, json, headers: { etag } }
    }),
  )
  app.delete(one, { schema: schema.removeDocument, ...write }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const removal = { reason: req.body.reason, requireState: preconditionsOf(req) }
      const { documentId, applicantId, caseId, removedAt, removedBy, removalReason } =
        await deskDocuments.remove(unit, req.params.documentId, removal)
      return {
        status: 200,
        json: JSON.stringify({
          documentId,
          applicantId,
          caseId,
          removedAt,
          removedBy,
          reason: removalReason,
        }),
      }
    }),
  )
  app.post(`${one}/restore`, { schema: schema.restoreDocument, ...write }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const { json, etag } = await deskDocuments.restore(unit, req.params.documentId)
      return { status: 200, json, headers: { etag } }
    }),
  )
  app.get(`${one}/files`, { schema: schema.listFileVersions, ...read }, async (req, reply) => {
    const { documentId: id } = req.params
    const versions = await deskDocuments.listVersions(id)
    const json = JSON.stringify(versions.map(schema.versionToWire))
    return responses.part(req, reply, 'document.files_read', { id, json })
  })
  app.get(
    `${one}/files/:fileVersion`,
    { schema: schema.downloadFileVersion, scope: 'documents:read', timeLimit: TRANSFER_TIME_LIMIT },
    async (req, reply) => {
      const file = await deskDocuments.getVersion(req.params.documentId, req.params.fileVersion)
      responses.auditRead(req, 'document.download', [req.params.documentId])
      return (await sendFile(req, reply, { file, files, transfers })) as never
    },
  )
}

type Correction = { [Field in keyof Details]?: string | null }

/** Empty text means no value. */
function detailsOf(body: Correction): Partial<Details> {
  const { issueDate, expiryDate, ...texts } = body
  const dates = Object.entries({ issueDate, expiryDate })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, parseWallClock(value ?? '') ?? null])
  return {
    ...Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, value || null])),
    ...Object.fromEntries(dates),
  }
}
