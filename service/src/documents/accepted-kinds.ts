// The kinds of file that are stored, and the error for all others.

export const ACCEPTED_KINDS =
  'Accepted are PDF; images (JPEG, PNG, GIF, WebP, TIFF, BMP, HEIC); docx, xlsx, pptx, odt, ods and odp without macros or embedded objects; txt and csv; e-mail (eml, msg). The extension of the name must match the content.'

export const OFFICE_TYPES: Record<string, string> = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  odt: 'application/vnd.oasis.opendocument.text',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odp: 'application/vnd.oasis.opendocument.presentation',
}
export const TEXT_TYPES: Record<string, string> = { txt: 'text/plain', csv: 'text/csv' }
export const MAIL_TYPE = 'message/rfc822'
export const OUTLOOK_TYPE = 'application/vnd.ms-outlook'

/** The file is of a kind that is not stored. The message says why, without any of its content or name. */
export class RejectedFileError extends Error {}

/** Reads this many bytes of the stored file from this position; fewer where the file ends. */
export type ReadBytes = (start: number, length: number) => Promise<Buffer>
