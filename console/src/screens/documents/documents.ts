// What the panel of a document and its dialogs share.
import type { components } from '@caseport/sdk'
import { caseport } from '../../app/connection.ts'
import type { Key } from '../../app/i18n.tsx'

export type Document = components['schemas']['DeskDocument']
export type Edited = Pick<
  Document,
  'name' | 'type' | 'description' | 'issueDate' | 'expiryDate' | 'referenceNumber' | 'country'
>

export const LABELS: Record<keyof Edited, Key> = {
  name: 'documents.name',
  type: 'documents.type',
  description: 'documents.description',
  issueDate: 'documents.issueDate',
  expiryDate: 'documents.expiry',
  referenceNumber: 'documents.reference',
  country: 'documents.country',
}

/** What shows documents, and is out of date when one changes. */
export const DOCUMENT_LISTS = [['list'], ['expiry-months'], ['overview']] as const

export interface DocumentDialogProps {
  document: Document
  /** Of the version on screen. */
  etag: string
  onClose(isDone: boolean): void
}

export const dayOf = (date: string | null): string | null => date?.slice(0, 10) ?? null

/** The document as it is now, with the version to save over. */
export async function readDocument(documentId: string): Promise<{ document: Document; etag: string }> {
  const document = await caseport.documents.getForDesk(documentId)
  return { document, etag: caseport.etagOf(document) }
}
