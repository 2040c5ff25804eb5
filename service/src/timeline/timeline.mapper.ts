// Maps changes, notes, documents and reminders to entries of a timeline, and these to the JSON that callers get.
import type { Audit } from '../audit/audit.service.ts'
import type { Notes } from '../cases/notes.service.ts'
import type { Documents } from '../documents/documents.service.ts'
import type { Scope } from '../lib/scopes.ts'
import type { Reminders } from '../reminders/reminders.service.ts'
import type { Source } from './timeline.ts'

type Row<List extends (...parameters: never[]) => Promise<unknown[]>> = Awaited<ReturnType<List>>[number]
type ChangeRow = Row<Audit['listChanges']>
type NoteRow = Row<Notes['listAdded']>
type DocumentRow = Row<Documents['listAdded']>
type ReminderRow = Row<Reminders['listAdded']>
type Creator = Row<Audit['listCreators']>

export type RecordType = 'applicant' | 'case' | 'document'

interface Actor {
  userId: string | null
  clientId: string | null
  name: string | null
}

export interface Entry {
  source: Source
  at: Date
  seq: number
  action: string
  /** Null for what the service does by itself, and where it is not known. */
  actor: Actor | null
  /** The name of a document as it is now. */
  record: { type: RecordType; id: string; name?: string | null }
  step?: { stepId: string; name: string | null }
  changes?: NonNullable<ChangeRow['changes']>
  note?: Pick<NoteRow, 'noteId' | 'content' | 'visibility' | 'version' | 'updatedAt'>
  document?: Pick<DocumentRow, 'documentId' | 'caseId' | 'name' | 'type' | 'isRemoved'>
  reminder?: Pick<ReminderRow, 'expiryDate' | 'rung' | 'state'>
}

/** What is in an entry of such a record is shown to callers with this scope. */
const READ_SCOPES: Record<RecordType, Scope> = {
  applicant: 'applicants:read',
  case: 'cases:read',
  document: 'documents:read',
}

const placeOf = ({ at, seq }: { at: Date | string; seq: string | number }) => ({
  at: new Date(at),
  seq: Number(seq),
})

const actorOf = ({ userId, clientId, userName }: Omit<Creator, 'recordId'>): Actor => ({
  userId,
  clientId: userId === null ? clientId : null,
  name: userName,
})

type DocumentNames = ReadonlyMap<string, string | null>

interface Names {
  documentNames: DocumentNames
  stepNames: ReadonlyMap<string, string>
}

/** The step that an entry is about: its changes begin with `/steps/{id}`. */
export function stepIdOf({ action, changes }: ChangeRow): string | undefined {
  return action === 'case.step_write' ? changes?.[0]?.pointer.split('/')[2] : undefined
}

export function fromChange(row: ChangeRow, { documentNames, stepNames }: Names): Entry {
  const type = row.action.slice(0, row.action.indexOf('.')) as RecordType
  const stepId = stepIdOf(row)
  return {
    source: 'change',
    ...placeOf(row),
    action: row.action,
    actor: actorOf(row),
    record: { type, id: row.recordId, name: documentNames.get(row.recordId) ?? null },
    ...(stepId !== undefined && { step: { stepId, name: stepNames.get(stepId) ?? null } }),
    changes: row.changes ?? [],
  }
}

export function fromNote(row: NoteRow): Entry {
  return {
    source: 'note',
    ...placeOf(row),
    action: 'note.add',
    actor: { userId: row.authorId, clientId: null, name: row.author },
    record: { type: 'case', id: row.caseId },
    note: row,
  }
}

export function fromDocument(row: DocumentRow, creator: Creator | undefined): Entry {
  return {
    source: 'document',
    ...placeOf(row),
    action: 'document.create',
    actor: creator ? actorOf(creator) : null,
    record: { type: 'document', id: row.documentId, name: row.name || row.type },
    document: row,
  }
}

export function fromReminder(row: ReminderRow, documentNames: DocumentNames): Entry {
  const { documentId, applicantId } = row
  return {
    source: 'reminder',
    ...placeOf(row),
    action: documentId === null ? 'passport.remind' : 'document.remind',
    actor: null,
    record:
      documentId === null
        ? { type: 'applicant', id: applicantId as string }
        : { type: 'document', id: documentId, name: documentNames.get(documentId) ?? null },
    reminder: row,
  }
}

/** A caller without the scope that reads the record learns which fields were changed, but not their values. */
export function toWire(entry: Entry, scopes: ReadonlySet<string>) {
  const { source, at, seq, action, actor, record, step, changes, note, document, reminder } = entry
  const mayRead = scopes.has(READ_SCOPES[record.type])
  return {
    entryId: `${source}-${seq}`,
    kind: source,
    at: at.toISOString(),
    action,
    actor,
    record: { type: record.type, id: record.id, name: mayRead ? (record.name ?? null) : null },
    step: step ? { stepId: step.stepId, name: mayRead ? step.name : null } : null,
    changes: changes?.map(change => (mayRead ? change : { pointer: change.pointer })) ?? null,
    note: note
      ? {
          noteId: note.noteId,
          content: mayRead ? note.content : null,
          visibility: note.visibility,
          version: note.version,
          updatedAt: note.updatedAt.toISOString(),
        }
      : null,
    document: document
      ? {
          documentId: document.documentId,
          caseId: document.caseId,
          name: mayRead ? document.name : null,
          type: mayRead ? document.type : null,
          isRemoved: document.isRemoved,
        }
      : null,
    reminder: reminder
      ? { expiryDate: mayRead ? reminder.expiryDate : null, rung: reminder.rung, state: reminder.state }
      : null,
  }
}
