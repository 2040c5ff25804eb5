// Which documents fill the checklist of a case: pure functions.
import { fold } from '../lib/fold.ts'

export interface ChecklistEntry {
  name: string
  type: string | null
  required: boolean
  /** The document that a person chose for it. */
  documentId: string | null
  /** Null where that document is not accepted yet. */
  accepted: { at: string; by: string; fileVersion: number | null } | null
}

/** A document that can fill an item. */
export interface Paper {
  documentId: string
  name: string | null
  type: string | null
  expiryDate: string | null
  fileVersion: number | null
}

export type ChecklistState = 'missing' | 'received' | 'accepted' | 'expired'

export interface FilledEntry<T extends Paper> extends ChecklistEntry {
  state: ChecklistState
  /** The chosen document, or else the newest that matches. */
  document: T | undefined
}

/**
 * A document that is chosen for an item fills it, until it is removed. The other items are filled by the newest document
 * that matches, preferably one that has not expired; no document fills two items unless it is chosen for both.
 */
export function fillChecklist<T extends Paper>(
  entries: ChecklistEntry[],
  { papers, today }: { papers: T[]; today: string },
): FilledEntry<T>[] {
  const byId = new Map(papers.map(paper => [paper.documentId, paper]))
  const chosen = entries.map(({ documentId }) => (documentId === null ? undefined : byId.get(documentId)))
  const taken = new Set(chosen)
  return entries.map((entry, index) => {
    const document = chosen[index] ?? findMatch(entry, { papers, taken, today })
    if (document) taken.add(document)
    return { ...entry, document, state: stateOf(entry, document, today) }
  })
}

function findMatch<T extends Paper>(
  { name, type }: ChecklistEntry,
  { papers, taken, today }: { papers: T[]; taken: Set<T | undefined>; today: string },
): T | undefined {
  const wanted = fold(type ?? name)
  const isWanted = (text: string | null) => text !== null && fold(text) === wanted
  const matching = papers.filter(
    paper => !taken.has(paper) && (isWanted(paper.type) || (type === null && isWanted(paper.name))),
  )
  return matching.find(({ expiryDate }) => !isExpired(expiryDate, today)) ?? matching[0]
}

/** Another version of the file is not what was accepted. */
function stateOf(
  { documentId, accepted }: ChecklistEntry,
  document: Paper | undefined,
  today: string,
): ChecklistState {
  if (!document) return 'missing'
  if (isExpired(document.expiryDate, today)) return 'expired'
  const isAccepted = document.documentId === documentId && accepted?.fileVersion === document.fileVersion
  return isAccepted ? 'accepted' : 'received'
}

/** Valid until the end of its expiry date. */
const isExpired = (expiryDate: string | null, today: string) =>
  expiryDate !== null && expiryDate.slice(0, 10) < today
