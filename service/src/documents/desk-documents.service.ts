// Documents at the desk: correcting, removing and restoring them, and versions of their files. What the desk does to a
// document of an applicant record also holds against the feed that writes the record (decision 26).
import type { Sql } from '../db/database.ts'
import type { RenderedRecord } from '../db/etag-cache.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import { isFindable } from '../lib/ids.ts'
import { declareProblem } from '../lib/problem.ts'
import { reminderDays } from '../lib/schedule.ts'
import type { Details, FileVersion } from './desk-documents.store.ts'
import * as store from './desk-documents.store.ts'
import { typeOf } from './document.ts'
import { createDocumentLock, type DocumentFamilies } from './document-lock.ts'
import { documentNotFound } from './documents.errors.ts'
import { etagOf, render, toWire } from './documents.mapper.ts'
import {
  type DeskDocumentRow,
  findDeskDocument,
  listDocumentsFor,
  type StoredFile,
} from './documents.store.ts'

export const fileVersionNotFound = declareProblem({
  code: 'file-version-not-found',
  status: 404,
  title: 'The file of the document has no such version.',
  remedy: 'List its versions with GET /admin/v1/documents/{documentId}/files.',
})
export const documentMoved = declareProblem({
  code: 'document-moved',
  status: 409,
  title: 'The file was moved to the repository of another country during the upload.',
  remedy: 'Send the file again, or name the country in `countryCode`.',
})

export type { DeskDocumentRow, FileVersion }

interface Parts {
  sql: Sql
  clock: Clock
  families: DocumentFamilies
}

type RequireState = (etag: string) => void

const FIELDS = [
  'name',
  'type',
  'description',
  'issueDate',
  'expiryDate',
  'referenceNumber',
  'country',
] as const satisfies (keyof Details)[]

export type DeskDocuments = ReturnType<typeof createDeskDocuments>

export function createDeskDocuments({ sql, clock, families }: Parts) {
  const lock = createDocumentLock(families)
  const today = () => clock.now().toISOString().slice(0, 10)
  const etag = (row: DeskDocumentRow) => etagOf(row, today())

  const getRow = async (from: Sql, documentId: string): Promise<DeskDocumentRow> => {
    const row = isFindable(documentId) ? await findDeskDocument(from, documentId) : undefined
    if (!row) throw documentNotFound()
    return row
  }
  const renderRow = (row: DeskDocumentRow) => render(row, today())

  const emit = (unit: UnitOfWork, type: 'document.updated' | 'document.removed', row: DeskDocumentRow) => {
    const { documentId, applicantId, caseId } = row
    unit.emit({ type, recordId: documentId, data: { documentId, applicantId, caseId } })
  }

  return {
    /** The document with what the desk knows of it; also one that was removed. */
    async get(documentId: string): Promise<RenderedRecord> {
      const row = await getRow(sql, documentId)
      const removal = row.removedAt && {
        removedAt: row.removedAt.toISOString(),
        removedBy: row.removedBy,
        reason: row.removalReason,
      }
      const wire = { ...toWire(row, today()), fileVersion: row.fileVersion, removal }
      return { id: documentId, json: JSON.stringify(wire), etag: etag(row) }
    },

    async correct(
      unit: UnitOfWork,
      documentId: string,
      { changes, requireState }: { changes: Partial<Details>; requireState: RequireState },
    ): Promise<RenderedRecord> {
      const { applicantId, inRecord } = await lock(unit, documentId)
      const row = await getRow(unit.tx, documentId)
      requireState(etag(row))
      const before = detailsOf(row)
      const details = { ...before, ...changes }
      if (FIELDS.every(field => details[field] === before[field])) {
        unit.audit({ action: 'document.read', recordId: documentId })
        return renderRow(row)
      }
      await store.updateDetails(unit.tx, documentId, {
        details,
        reminderDays: reminderDays(row.expiryReminder, details.expiryDate),
        asSent: inRecord ? itemOf(row) : null,
        now: unit.now,
      })
      if (inRecord) await families.touch(unit, applicantId)
      unit.audit({ action: 'document.write', recordId: documentId, before, after: details })
      emit(unit, 'document.updated', row)
      return renderRow(await getRow(unit.tx, documentId))
    },

    async remove(
      unit: UnitOfWork,
      documentId: string,
      { reason, requireState }: { reason: string; requireState: RequireState },
    ): Promise<DeskDocumentRow> {
      const { applicantId, inRecord } = await lock(unit, documentId)
      const row = await getRow(unit.tx, documentId)
      requireState(etag(row))
      const { actor, now } = unit
      await store.removeDocument(unit.tx, documentId, { by: actor.user?.name ?? actor.clientId, reason, now })
      if (inRecord) await families.touch(unit, applicantId)
      unit.audit({
        action: 'document.remove',
        recordId: documentId,
        before: { removed: false, reason: null },
        after: { removed: true, reason },
      })
      emit(unit, 'document.removed', row)
      return getRow(unit.tx, documentId)
    },

    /** Brings a removed document back. A no-op for one that is not removed. */
    async restore(unit: UnitOfWork, documentId: string): Promise<RenderedRecord> {
      const { applicantId, inRecord, removed } = await lock(unit, documentId, { orRemoved: true })
      const row = await getRow(unit.tx, documentId)
      if (!removed) {
        unit.audit({ action: 'document.read', recordId: documentId })
        return renderRow(row)
      }
      if (inRecord) await families.requireRoom(unit, applicantId)
      await store.restoreDocument(unit.tx, documentId, { applicantId, now: unit.now })
      if (inRecord) await families.touch(unit, applicantId)
      unit.audit({
        action: 'document.restore',
        recordId: documentId,
        before: { removed: true, reason: row.removalReason },
        after: { removed: false, reason: null },
      })
      emit(unit, 'document.updated', row)
      return renderRow(await getRow(unit.tx, documentId))
    },

    /** The repository of the current file; null for a document without a file. */
    async countryOf(documentId: string): Promise<string | null> {
      const row = await getRow(sql, documentId)
      if (row.removedAt) throw documentNotFound()
      return row.countryCode
    },

    /** Whether the file differs from the current one. `save` stores it in the same transaction. */
    async replaceFile(
      unit: UnitOfWork,
      documentId: string,
      {
        file,
        isDefault,
        requireState,
        save,
      }: {
        file: StoredFile
        /** Whether the repository of the file is that of the document, because the request named none. */
        isDefault: boolean
        requireState: RequireState
        save: () => Promise<void>
      },
    ): Promise<{ changed: boolean; document: RenderedRecord }> {
      await lock(unit, documentId)
      const row = await getRow(unit.tx, documentId)
      requireState(etag(row))
      if (isDefault && row.countryCode !== file.countryCode) throw documentMoved()
      const isSame =
        row.sha256 === file.sha256 && row.fileName === file.fileName && row.countryCode === file.countryCode
      if (isSame) {
        unit.audit({ action: 'document.read', recordId: documentId })
        return { changed: false, document: renderRow(row) }
      }
      await save()
      const { now, actor } = unit
      const fileVersion = await store.replaceFile(unit.tx, documentId, {
        file,
        uploadedBy: actor.clientId,
        now,
      })
      unit.audit({
        action: 'document.file_write',
        recordId: documentId,
        before: row.sha256 === null ? undefined : fileOf({ ...row, size: Number(row.size) }),
        after: { ...fileOf(file), fileVersion },
      })
      emit(unit, 'document.updated', row)
      return { changed: true, document: renderRow(await getRow(unit.tx, documentId)) }
    },

    async listVersions(documentId: string): Promise<FileVersion[]> {
      const versions = isFindable(documentId) ? await store.listFileVersions(sql, documentId) : []
      if (versions.length === 0) {
        const row = await getRow(sql, documentId)
        if (row.removedAt) throw documentNotFound()
      }
      return versions
    },

    async getVersion(documentId: string, fileVersion: string): Promise<StoredFile> {
      const isVersion = isFindable(documentId) && /^[1-9]\d{0,8}$/.test(fileVersion)
      const file = isVersion && (await store.findFileVersion(sql, documentId, Number(fileVersion)))
      if (file) return file
      const row = await getRow(sql, documentId)
      throw row.removedAt ? documentNotFound() : fileVersionNotFound()
    },

    /** The documents that can fill the checklist of a case, the newest first. */
    async listFor(from: Sql, owner: { caseId: string; applicantId: string }) {
      return (await listDocumentsFor(from, owner)).map(row => ({ ...row, type: typeOf(row) }))
    },
  }
}

const detailsOf = (row: DeskDocumentRow): Details => ({
  name: row.name,
  type: row.type,
  description: row.description,
  issueDate: row.issueDate,
  expiryDate: row.expiryDate,
  referenceNumber: row.referenceNumber,
  country: row.country,
})

/** The document as an item of its applicant record. */
const itemOf = (row: DeskDocumentRow) => ({
  name: row.name,
  description: row.description,
  issueDate: row.issueDate,
  expiryDate: row.expiryDate,
  referenceNumber: row.referenceNumber,
  country: row.country,
  remindAboutRenewal: row.remindAboutRenewal,
  expiryReminder: row.expiryReminder,
})

/** What the audit compares. */
const fileOf = ({
  fileName,
  contentType,
  size,
  sha256,
  countryCode,
  fileVersion,
}: {
  fileName: string | null
  contentType: string | null
  size: number
  sha256: string | null
  countryCode: string | null
  fileVersion?: number | null
}) => ({ fileName, contentType, size, sha256, countryCode, ...(fileVersion && { fileVersion }) })
