// The rules of documents, as functions over values.

export type DocumentStatus = 'active' | 'expiring' | 'expired'

const SOON_DAYS = 90
const DAY = 86_400_000

/** On the day it expires a document is still good; the day after it is not. */
export function statusOn(today: string, expiryDate: string | null): DocumentStatus {
  if (expiryDate === null) return 'active'
  const expiry = expiryDate.slice(0, 10)
  if (expiry < today) return 'expired'
  return Date.parse(expiry) - Date.parse(today) <= SOON_DAYS * DAY ? 'expiring' : 'active'
}

/** As given; else it says whether the document was uploaded to a case or stands in an applicant's record. */
export function typeOf({ type, caseId }: { type: string | null; caseId: string | null }): string {
  return type ?? (caseId === null ? 'Applicant document' : 'Case document')
}

/** A file name is data: shown again, never used as a path. Control characters and separators have no place in one. */
export function cleanFileName(given: string): string {
  // Browsers write a quotation mark in a multipart file name as %22.
  const base = given.replaceAll('%22', '"').normalize('NFC').split(/[\\/]/).at(-1) ?? ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  const clean = base.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '').trim()
  return [...(clean || 'document')].slice(0, 200).join('')
}

/** RFC 6266: plain ASCII for old clients, the real name in UTF-8 for all others. */
export function contentDisposition(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
