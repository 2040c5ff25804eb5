// What happened to a case or a person: changes, notes, documents and reminders in one order, newest first. Each source is
// read by its own feature, inside the companies of the caller.
import type { Applicants } from '../applicants/applicants.service.ts'
import type { Merges } from '../applicants/merges.service.ts'
import type { Audit } from '../audit/audit.service.ts'
import type { Cases } from '../cases/cases.service.ts'
import type { Notes } from '../cases/notes.service.ts'
import type { Steps } from '../cases/steps.service.ts'
import type { PageRequest, Slice } from '../db/keyset.ts'
import { EXACT_TOTAL } from '../db/ordered-list.ts'
import type { Documents } from '../documents/documents.service.ts'
import type { Reminders } from '../reminders/reminders.service.ts'
import { type Entry, fromChange, fromDocument, fromNote, fromReminder, stepIdOf } from './timeline.mapper.ts'
import { byAge, positionOf, type Source, sliceFor, type TimelinePosition } from './timeline.ts'

interface Parts {
  applicants: Applicants
  merges: Pick<Merges, 'listAbsorbed'>
  audit: Audit
  cases: Cases
  steps: Pick<Steps, 'listNames'>
  notes: Notes
  documents: Documents
  reminders: Reminders
}

/** The records of a timeline. */
interface Scope {
  applicantId: string
  /** Of one case; undefined for everything of the person. */
  caseId?: string
  caseIds: string[]
}

/** The total stops here, so that a page does not cost as much as the whole timeline. */
const MAX_COUNTED = EXACT_TOTAL + 1

export type Timeline = ReturnType<typeof createTimeline>

export function createTimeline({
  applicants,
  merges,
  audit,
  cases,
  steps,
  notes,
  documents,
  reminders,
}: Parts) {
  const listPage = async (scope: Scope, request: PageRequest<TimelinePosition>) => {
    const { limit, after, before } = request
    const { applicantId, caseId, caseIds } = scope
    const owner = { applicantId, ...(caseId !== undefined && { caseId }) }
    const documentNames = await documents.listNamesOf(owner)
    const documentIds = [...documentNames.keys()]
    const people = caseId === undefined ? [applicantId, ...(await merges.listAbsorbed(applicantId))] : []
    const changed = [...people, ...caseIds, ...documentIds]
    const reminded = { documentIds, applicantId: caseId === undefined ? applicantId : null }
    const sources: Record<Source, (slice: Slice) => Promise<Entry[]>> = {
      change: async slice => {
        const rows = await audit.listChanges(changed, slice)
        const stepNames = await steps.listNames(rows.flatMap(row => stepIdOf(row) ?? []))
        return rows.map(row => fromChange(row, { documentNames, stepNames }))
      },
      note: async slice => (await notes.listAdded(caseIds, slice)).map(fromNote),
      reminder: async slice =>
        (await reminders.listAdded(reminded, slice)).map(row => fromReminder(row, documentNames)),
      document: async slice => {
        const added = await documents.listAdded(owner, slice)
        const creators = await audit.listCreators(
          added.map(({ documentId, createdAt }) => ({ recordId: documentId, at: createdAt })),
          // The document may have been added to a record that a merge has absorbed.
          [...new Set([...people, ...added.map(document => document.applicantId)])],
        )
        const byId = new Map(creators.map(creator => [creator.recordId, creator]))
        return added.map(document => fromDocument(document, byId.get(document.documentId)))
      },
    }
    const load = async (from: TimelinePosition | undefined, isNewer: boolean, most: number) => {
      const parts = Object.entries(sources).map(([source, list]) =>
        list(sliceFor(source as Source, { from, isNewer, limit: most })),
      )
      const entries = (await Promise.all(parts)).flat().sort(byAge)
      return isNewer ? entries.slice(-most) : entries.slice(0, most)
    }

    const from = after ?? before
    const isNewer = before !== undefined
    const opposite = from && { ...from, inclusive: !from.inclusive }
    const [rows, behind] = await Promise.all([
      load(from, isNewer, limit + 1),
      opposite ? load(opposite, !isNewer, 1) : [],
    ])
    const more = rows.length > limit
    const records = isNewer ? rows.slice(-limit) : rows.slice(0, limit)
    const [hasNext, hasPrev] = isNewer ? [behind.length > 0, more] : [more, behind.length > 0]
    // An empty page leads back to the position it was entered from.
    const positionAt = (entry: Entry | undefined) => (entry ? positionOf(entry) : opposite)
    const count = async () => {
      const [changes, written, due] = await Promise.all([
        audit.countChanges(changed, MAX_COUNTED),
        notes.countAdded(caseIds, MAX_COUNTED),
        reminders.countAdded(reminded, MAX_COUNTED),
      ])
      return Math.min(MAX_COUNTED, changes + written + due + documentIds.length)
    }
    return {
      records,
      next: hasNext ? positionAt(records.at(-1)) : undefined,
      prev: hasPrev ? positionAt(records[0]) : undefined,
      total: from || more ? await count() : rows.length,
    }
  }

  return {
    async ofCase(caseId: string, request: PageRequest<TimelinePosition>) {
      const applicantId = await cases.getApplicantOf(caseId)
      return listPage({ applicantId, caseId, caseIds: [caseId] }, request)
    },

    /** The record of the person, those that it absorbed, all cases and all documents. */
    async ofApplicant(applicantId: string, request: PageRequest<TimelinePosition>) {
      await applicants.requireKnown(applicantId)
      return listPage({ applicantId, caseIds: await cases.listIdsOf(applicantId) }, request)
    },
  }
}
