// The checklist of a case: the documents that it needs, and those that it has. A case has the checklist of its process
// until its own is saved.
import { createHash } from 'node:crypto'
import { unknownReference } from '../applicants/applicants.errors.ts'
import type { Sql } from '../db/database.ts'
import type { RenderedRecord } from '../db/etag-cache.ts'
import { isLimited } from '../db/limited.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import type { DeskDocumentRow, DeskDocuments } from '../documents/desk-documents.service.ts'
import type { Clock } from '../lib/clock.ts'
import { fold } from '../lib/fold.ts'
import { isId } from '../lib/ids.ts'
import { type FieldError, invalid } from '../lib/problem.ts'
import { type ProcessChecklists, requireDistinctNames } from '../processes/process-checklists.service.ts'
import { caseNotFound } from './cases.service.ts'
import { type ChecklistEntry, type FilledEntry, fillChecklist } from './checklist.ts'
import * as store from './checklists.store.ts'

export interface EntryInput {
  name: string
  type: string | null
  required: boolean
  documentId: string | null
  accepted: boolean
}

interface Parts {
  sql: Sql
  clock: Clock
  processChecklists: ProcessChecklists
  documents: Pick<DeskDocuments, 'listFor'>
}

interface Current {
  applicantId: string
  isSaved: boolean
  entries: ChecklistEntry[]
  papers: DeskDocumentRow[]
}

export type Checklists = ReturnType<typeof createChecklists>

export function createChecklists({ sql, clock, processChecklists, documents }: Parts) {
  const today = () => clock.now().toISOString().slice(0, 10)

  const load = async (from: Sql, caseId: string): Promise<Current> => {
    const found = isId(caseId) ? await store.findChecklistCase(from, caseId) : undefined
    if (!found) throw caseNotFound()
    const { applicantId, entries, ...criteria } = found
    const [papers, planned] = await Promise.all([
      documents.listFor(from, { caseId, applicantId }),
      entries ? [] : processChecklists.choose(from, criteria),
    ])
    return {
      applicantId,
      isSaved: entries !== null,
      entries: entries ?? planned.map(item => ({ ...item, documentId: null, accepted: null })),
      papers,
    }
  }

  const render = (caseId: string, { isSaved, entries, papers }: Current): RenderedRecord => {
    const filled = fillChecklist(entries, { papers, today: today() })
    const json = JSON.stringify({
      caseId,
      source: isSaved ? 'case' : 'process',
      complete: filled.every(
        ({ required, state }) => !required || state === 'received' || state === 'accepted',
      ),
      items: filled.map(entryToWire),
    })
    // Documents and the process change what it shows too.
    const etag = `"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"`
    return { id: caseId, json, etag }
  }

  return {
    get: async (caseId: string): Promise<RenderedRecord> => render(caseId, await load(sql, caseId)),

    async replace(
      unit: UnitOfWork,
      caseId: string,
      { inputs, requireState }: { inputs: EntryInput[]; requireState: (etag: string) => void },
    ): Promise<RenderedRecord> {
      requireDistinctNames(inputs)
      const { tx, now } = unit
      if (isId(caseId)) await store.lockCaseOfChecklist(tx, caseId)
      const current = await load(tx, caseId)
      requireState(render(caseId, current).etag)
      requireChoices(inputs, current.papers)
      const by = unit.actor.user?.name ?? unit.actor.clientId
      const entries = inputs.map(input => {
        const hidden = input.documentId === null && isLimited(tx) && findHidden(input, current)
        return hidden
          ? { ...hidden, type: input.type, required: input.required }
          : nextEntry(input, current, { at: now.toISOString(), by })
      })
      if (current.isSaved && JSON.stringify(entries) === JSON.stringify(current.entries)) {
        unit.audit({ action: 'case.checklist_read', recordId: caseId })
        return render(caseId, current)
      }
      await store.upsertChecklist(tx, caseId, { entries, now })
      unit.audit({
        action: 'case.checklist_write',
        recordId: caseId,
        before: { checklist: auditedOf(current.entries) },
        after: { checklist: auditedOf(entries) },
      })
      const { applicantId } = current
      unit.emit({ type: 'case.checklist_changed', recordId: caseId, data: { caseId, applicantId } })
      return render(caseId, { ...current, isSaved: true, entries })
    },
  }
}

/** Only documents of the case, or of its applicant, can be chosen; only a chosen one can be accepted. */
function requireChoices(inputs: EntryInput[], papers: DeskDocumentRow[]): void {
  const errors: FieldError[] = inputs.flatMap(({ accepted, documentId }, index) =>
    accepted && documentId === null
      ? [{ pointer: `/items/${index}/accepted`, detail: 'Send the documentId that is accepted.' }]
      : [],
  )
  if (errors.length > 0) throw invalid(errors)
  const known = new Set(papers.map(({ documentId }) => documentId))
  const unknown = inputs.flatMap(({ documentId }, index) =>
    documentId === null || known.has(documentId)
      ? []
      : [
          {
            pointer: `/items/${index}/documentId`,
            detail: 'Neither the case nor its applicant has this document.',
          },
        ],
  )
  if (unknown.length > 0) throw unknownReference(undefined, { errors: unknown })
}

/** The entry of this name with a document that the caller does not see: one of the person, who belongs to another company. */
const findHidden = ({ name }: EntryInput, { entries, papers }: Current): ChecklistEntry | undefined =>
  entries.find(
    entry =>
      fold(entry.name) === fold(name) &&
      entry.documentId !== null &&
      !papers.some(({ documentId }) => documentId === entry.documentId),
  )

/** What is still accepted keeps its time and person. */
function nextEntry(
  { name, type, required, documentId, accepted }: EntryInput,
  { entries, papers }: Current,
  acceptance: { at: string; by: string },
): ChecklistEntry {
  const fileVersion = papers.find(paper => paper.documentId === documentId)?.fileVersion ?? null
  const before = entries.find(
    entry => fold(entry.name) === fold(name) && entry.documentId === documentId,
  )?.accepted
  const kept = before?.fileVersion === fileVersion ? before : undefined
  return {
    name,
    type,
    required,
    documentId,
    accepted: accepted ? (kept ?? { ...acceptance, fileVersion }) : null,
  }
}

/** What the audit compares. */
const auditedOf = (entries: ChecklistEntry[]) =>
  Object.fromEntries(
    entries.map(({ name, type, required, documentId, accepted }) => [
      name,
      { type, required, documentId, accepted: accepted !== null },
    ]),
  )

function entryToWire({
  name,
  type,
  required,
  state,
  documentId,
  accepted,
  document,
}: FilledEntry<DeskDocumentRow>) {
  return {
    name,
    type,
    required,
    state,
    documentId: document?.documentId ?? null,
    chosen: document !== undefined && document.documentId === documentId,
    acceptedAt: state === 'accepted' ? (accepted?.at ?? null) : null,
    acceptedBy: state === 'accepted' ? (accepted?.by ?? null) : null,
    document: document
      ? {
          name: document.name,
          type: document.type,
          expiryDate: document.expiryDate,
          hasFile: document.sha256 !== null,
          caseId: document.caseId,
        }
      : null,
  }
}
