// All event types of webhooks and their data: ids, never personal data. Emitters leave out the employee number; the outbox
// adds that of `applicantId` to every event. docs/events.md describes them.
import { type Scope, scopesWith } from './scopes.ts'

type Person = { applicantId: string }
type Dependent = Person & { primaryApplicantId: string }
type NumberChange = { previousEmployeeNumber: string | null }
/** The absorbed record, and the number that is not used any more. */
type Merge = { absorbedApplicantId: string; retiredEmployeeNumber: string | null }
type Unmerge = { restoredApplicantId: string }
type Case = Person & { caseId: string }
/** `caseId` is null on a document of the applicant's own record. */
type Document = Person & { documentId: string; caseId: string | null }

type EventData = {
  'applicant.created': Person
  'applicant.updated': Person
  'applicant.number_changed': Person & NumberChange
  'applicant.merged': Person & Merge
  'applicant.unmerged': Person & Unmerge
  'dependent.created': Dependent
  'dependent.updated': Dependent
  'dependent.number_changed': Dependent & NumberChange
  'dependent.archived': Dependent
  'dependent.restored': Dependent
  'dependent.merged': Dependent & Merge
  'dependent.unmerged': Dependent & Unmerge
  'case.created': Case
  'case.updated': Case
  'case.status_changed': Case & { from: string; to: string }
  'case.step_changed': Case & { stepId: string }
  'case.note_added': Case & { noteId: string }
  'case.note_changed': Case & { noteId: string }
  'case.checklist_changed': Case
  'document.created': Document
  'document.updated': Document
  'document.removed': Document
  'document.renewal_due': Document
  'passport.renewal_due': Person & { passportId: string }
}

export type EventType = keyof EventData

/** An event as it is emitted; `recordId` is the record whose events are delivered in order. */
export type Event = { [T in EventType]: { type: T; recordId: string; data: EventData[T] } }[EventType]

export type FieldKind = 'text' | 'text or null'

const PERSON = { applicantId: 'text' } as const
const DEPENDENT = { ...PERSON, primaryApplicantId: 'text' } as const
const NUMBER_CHANGE = { previousEmployeeNumber: 'text or null' } as const
const MERGE = { absorbedApplicantId: 'text', retiredEmployeeNumber: 'text or null' } as const
const UNMERGE = { restoredApplicantId: 'text' } as const
const CASE = { ...PERSON, caseId: 'text' } as const
const DOCUMENT = { ...PERSON, documentId: 'text', caseId: 'text or null' } as const

/** The fields of each type, for the OpenAPI document. */
export const EVENT_FIELDS: { [T in EventType]: Record<keyof EventData[T], FieldKind> } = {
  'applicant.created': PERSON,
  'applicant.updated': PERSON,
  'applicant.number_changed': { ...PERSON, ...NUMBER_CHANGE },
  'applicant.merged': { ...PERSON, ...MERGE },
  'applicant.unmerged': { ...PERSON, ...UNMERGE },
  'dependent.created': DEPENDENT,
  'dependent.updated': DEPENDENT,
  'dependent.number_changed': { ...DEPENDENT, ...NUMBER_CHANGE },
  'dependent.archived': DEPENDENT,
  'dependent.restored': DEPENDENT,
  'dependent.merged': { ...DEPENDENT, ...MERGE },
  'dependent.unmerged': { ...DEPENDENT, ...UNMERGE },
  'case.created': CASE,
  'case.updated': CASE,
  'case.status_changed': { ...CASE, from: 'text', to: 'text' },
  'case.step_changed': { ...CASE, stepId: 'text' },
  'case.note_added': { ...CASE, noteId: 'text' },
  'case.note_changed': { ...CASE, noteId: 'text' },
  'case.checklist_changed': CASE,
  'document.created': DOCUMENT,
  'document.updated': DOCUMENT,
  'document.removed': DOCUMENT,
  'document.renewal_due': DOCUMENT,
  'passport.renewal_due': { ...PERSON, passportId: 'text' },
}

/** A webhook that asks for another type is rejected. */
export const EVENT_TYPES = Object.keys(EVENT_FIELDS) as EventType[]

/** What comes before the dot of a type: the kind of record that the event is about. */
type RecordKind = EventType extends `${infer Kind}.${string}` ? Kind : never

const READ_SCOPES: Record<RecordKind, Scope> = {
  applicant: 'applicants:read',
  dependent: 'applicants:read',
  case: 'cases:read',
  document: 'documents:read',
  passport: 'applicants:read',
}

/** The scope that a client needs to receive events of this type: the one that reads the record. */
export function scopeOfEvent(type: EventType): Scope {
  return READ_SCOPES[type.slice(0, type.indexOf('.')) as RecordKind]
}

/** For each kind of record, the scopes of which a client needs one. */
export const SCOPES_OF_RECORDS = Object.fromEntries(
  Object.entries(READ_SCOPES).map(([kind, scope]) => [kind, scopesWith(scope)]),
)

/** The event of a test delivery. It is sent on request only, and no webhook subscribes to it. */
export const TEST_EVENT = 'webhook.test'
