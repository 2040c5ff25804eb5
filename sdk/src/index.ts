// What the package exports, for Node and browsers alike. Files of Node are in node.ts.
import { unwrap } from './webhooks.ts'

export type { components, operations, ProblemCode, paths } from './api-types.ts'
export type { Auth } from './auth.ts'
export type { CallOptions, PostOptions, ReadOptions, Version, WriteOptions } from './calls.ts'
export { type Caseport, type CaseportOptions, createCaseport } from './caseport.ts'
export type { Download, DownloadOptions } from './download.ts'
export { CaseportError, type ErrorCode, type FieldError, isCaseportError } from './errors.ts'
export { type Cursor, type Page, Pages } from './pages.ts'
export type {
  ApplicantUpload,
  FileUpload,
  Progress,
  ReplaceOptions,
  Upload,
  UploadOptions,
} from './upload.ts'
export type { FileSource, UploadContent } from './upload-source.ts'
export type { UnwrapOptions, WebhookEvent, WebhookHeaders } from './webhooks.ts'

/** Needs no client: receivers of webhooks have only the secret. */
export const webhooks = { unwrap }
