// The Document API.
import type { components } from './api-types.ts'
import {
  type CallOptions,
  type Calls,
  checkPath,
  type Query,
  type ReadOptions,
  type WriteOptions,
} from './calls.ts'
import { type DownloadOptions, download, type Resumption } from './download.ts'
import { type Upload, type UploadOptions, upload } from './upload.ts'

type Schemas = components['schemas']

interface Options {
  baseUrl: string
  ownFetch: boolean
}

export function createDocuments(
  { api, transport, init, saved, record, list }: Calls,
  { baseUrl, ownFetch }: Options,
) {
  return {
    /** Documents that were created or updated in the range. */
    list: (query: Query<'listDocuments'>, options?: CallOptions) =>
      list(cursor =>
        api.GET('/v2/documents', { params: { query: { ...query, ...cursor } }, ...init(options) }),
      ),

    get: (documentId: string, options: ReadOptions<Schemas['Document']> = {}) =>
      record(
        api.GET('/v2/document/{documentId}', { params: { path: { documentId } }, ...init(options) }),
        options.ifNoneMatch,
      ),

    setExpiry: (documentId: string, body: Schemas['DocumentExpiry'], options?: WriteOptions) =>
      saved(
        api.PATCH('/v2/document/{documentId}/expiry', {
          params: { path: { documentId } },
          body,
          ...init(options),
        }),
      ),

    upload: (document: Upload, options?: UploadOptions) =>
      upload({ transport, ownFetch, url: `${baseUrl}/v2/document` }, document, options),

    /** Resolves when the file begins to arrive. */
    async download(documentId: string, options?: DownloadOptions, from?: Resumption) {
      checkPath({ documentId })
      const url = `${baseUrl}/v2/document/${encodeURIComponent(documentId)}/file`
      return download({ transport, url }, options, from)
    },
  }
}
