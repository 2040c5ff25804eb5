// The rules of documents: pure functions.

export type DocumentStatus = 'active' | 'expiring' | 'expired'

/** A document is expiring for this many days before its expiry date. */
export const EXPIRING_DAYS = 90
const DAY_MS = 86_400_000

/** A document is valid until the end of its expiry date. */
export function statusOn(today: string, expiryDate: string | null): DocumentStatus {
  if (expiryDate === null) return 'active'
  const expiry = expiryDate.slice(0, 10)
  if (expiry < today) return 'expired'
  return Date.parse(expiry) - Date.parse(today) <= EXPIRING_DAYS * DAY_MS ? 'expiring' : 'active'
}

/** The given type, or one that tells uploads to a case from documents of an applicant record. */
export function typeOf({ type, caseId }: { type: string | null; caseId: string | null }): string {
  return type ?? (caseId === null ? 'Applicant document' : 'Case document')
}

/** The name is only shown, never used as a path. Removes directories and control characters. */
export function cleanFileName(given: string): string {
  // Browsers write a quotation mark in a multipart file name as %22.
  const base = given.replaceAll('%22', '"').normalize('NFC').split(/[\\/]/).at(-1) ?? ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed.
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
