// What the screens show of which record, by the keys of the cache: lists by their names, records by their ids. Today's
// numbers follow all changes. Lists that no event tells of, such as the audit, are not among them.
const LISTS: Record<string, readonly string[]> = {
  applicant: ['people', 'cases', 'documents', 'expiring', 'duplicates', 'merges'],
  dependent: ['people', 'cases', 'documents', 'expiring', 'duplicates', 'merges'],
  passport: ['people', 'expiring', 'reminders'],
  case: ['cases', 'people'],
  document: ['documents', 'expiring', 'reminders', 'people'],
}

/** Queries of the form [kind, id, …], with the id of a person, a case or a document. */
const RECORDS: ReadonlySet<unknown> = new Set([
  'person',
  'found',
  'family',
  'timeline',
  'documents-of',
  'cases-of',
  'case',
  'document',
  'document-files',
])
/** The fields of an event that name what it concerns. */
const IDS = [
  'applicantId',
  'primaryApplicantId',
  'absorbedApplicantId',
  'restoredApplicantId',
  'caseId',
  'documentId',
] as const

interface Change {
  type: string
  [field: string]: string | null | undefined
}

/** Names of lists, and marks of records. An id could be the name of a list. */
export type Changed = ReadonlySet<string>

const markOf = (id: unknown) => `#${id}`
const EVERY_RECORD = '#'

export const EVERYTHING: Changed = new Set([...Object.values(LISTS).flat(), EVERY_RECORD])

/** What may look different after these events. */
export function changedBy(changes: readonly Change[]): Changed {
  const kinds = new Set(changes.map(({ type }) => type.slice(0, type.indexOf('.'))))
  const lists = [...kinds].flatMap(kind => LISTS[kind] ?? [])
  const ids = changes.flatMap(change => IDS.flatMap(field => change[field] ?? []))
  return new Set([...lists, ...ids.map(markOf)])
}

/** Whether a query of the cache shows some of it. */
export function isShownBy(queryKey: readonly unknown[], changed: Changed): boolean {
  const [kind, name] = queryKey
  if (kind === 'overview') return changed.size > 0
  if (kind === 'list') return changed.has(String(name))
  if (kind === 'expiry-months') return changed.has('expiring')
  return RECORDS.has(kind) && (changed.has(EVERY_RECORD) || changed.has(markOf(name)))
}
