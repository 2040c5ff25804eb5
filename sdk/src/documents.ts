// The Document API, and what operators do with documents.
import { defaultPathSerializer } from 'openapi-fetch'
import type { components } from './api-types.ts'
import {
  type CallOptions,
  type Calls,
  checkPath,
  type PostOptions,
  type Query,
  type ReadOptions,
  type WriteOptions,
} from './calls.ts'
import { type DownloadOptions, download, type Resumption } from './download.ts'
import {
  type ApplicantUpload,
  type FileUpload,
  type ReplaceOptions,
  type Upload,
  type UploadOptions,
  upload,
} from './upload.ts'

type Schemas = components['schemas']

interface Options {
  baseUrl: string
  ownFetch: boolean
}

export function createDocuments(
  { read, list, post, patch, remove, transport, etagOf, remember }: Calls,
  { baseUrl, ownFetch }: Options,
) {
  const address = (path: string, params: Record<string, string>) => {
    checkPath(params)
    return baseUrl + defaultPathSerializer(path, params)
  }
  const target = (method: string, url: string) => ({ method, url, transport, ownFetch, remember })

  return {
    /** Documents that were created or updated in the range. */
    list: (query: Query<'listDocuments'>, options?: CallOptions) => list('/v2/documents', {}, query, options),

    get: (documentId: string, options?: ReadOptions<Schemas['Document']>) =>
      read('/v2/document/{documentId}', { documentId }, options),

    setExpiry: (documentId: string, body: Schemas['DocumentExpiry'], options?: WriteOptions) =>
      patch('/v2/document/{documentId}/expiry', { documentId }, body, options),

    upload: (document: Upload, options?: UploadOptions) =>
      upload(target('POST', `${baseUrl}/v2/document`), document, options),

    /** Resolves when the file begins to arrive. */
    async download(documentId: string, options?: DownloadOptions, from?: Resumption) {
      const url = address('/v2/document/{documentId}/file', { documentId })
      return download({ transport, url }, options, from)
    },

    /** For operators, as everything below: all documents, with filters and `total`. */
    search: (query: Query<'listAllDocuments'> = {}, options?: CallOptions) =>
      list('/admin/v1/documents', {}, query, options),

    /** Also a document that was removed. */
    getForDesk: (documentId: string, options?: ReadOptions<Schemas['DeskDocument']>) =>
      read('/admin/v1/documents/{documentId}', { documentId }, options),

    correct: (documentId: string, body: Schemas['DocumentCorrection'], options?: WriteOptions) =>
      patch('/admin/v1/documents/{documentId}', { documentId }, body, options),

    async remove(documentId: string, body: Schemas['DocumentRemovalRequest'], options?: WriteOptions) {
      const path = '/admin/v1/documents/{documentId}'
      const removed = await remove(path, { documentId }, body, options)
      if (removed) return removed
      // The response of an earlier attempt was lost. Not every client may read the document.
      const document = await read(path, { documentId }, options).catch(() => ({ documentId, removal: null }))
      return { ...document, ...document.removal } as typeof removed
    },

    restore: (documentId: string, options?: PostOptions) =>
      post('/admin/v1/documents/{documentId}/restore', { documentId }, undefined, options),

    /** A file of a person, without a case. */
    async uploadForApplicant(applicantId: string, document: ApplicantUpload, options?: UploadOptions) {
      const url = address('/admin/v1/applicants/{applicantId}/documents', { applicantId })
      return upload(target('POST', url), document, options)
    },

    /** A new version of the file of a document. The one before is kept. */
    async replaceFile(documentId: string, file: FileUpload, { ifMatch, ...options }: ReplaceOptions = {}) {
      const url = address('/admin/v1/documents/{documentId}/file', { documentId })
      return upload(target('PUT', url), file, { ...options, etag: ifMatch && etagOf(ifMatch) })
    },

    fileVersions: (documentId: string, options?: CallOptions) =>
      read('/admin/v1/documents/{documentId}/files', { documentId }, options),

    async downloadVersion(documentId: string, fileVersion: number, options?: DownloadOptions) {
      const params = { documentId, fileVersion: String(fileVersion) }
      const url = address('/admin/v1/documents/{documentId}/files/{fileVersion}', params)
      return download({ transport, url }, options)
    },
  }
}
