// Every event that webhooks can be told of, and the data that each carries: ids, never personal data. Emitters leave the
// employee number out; the outbox adds that of `applicantId`, so that no event lacks it. docs/events.md describes them.

type Person = { applicantId: string }
type Dependent = Person & { primaryApplicantId: string }
type NumberChange = { previousEmployeeNumber: string | null }
type Case = Person & { caseId: string }
/** `caseId` is null on a document of the applicant's own record. */
type Document = Person & { documentId: string; caseId: string | null }

export type EventData = {
  'applicant.created': Person
  'applicant.updated': Person
  'applicant.number_changed': Person & NumberChange
  'dependent.created': Dependent
  'dependent.updated': Dependent
  'dependent.number_changed': Dependent & NumberChange
  'dependent.archived': Dependent
  'dependent.restored': Dependent
  'case.created': Case
  'case.status_changed': Case & { from: string; to: string }
  'case.step_changed': Case & { stepId: string }
  'case.note_added': Case & { noteId: string }
  'document.created': Document
  'document.updated': Document
  'document.removed': Document
  'document.renewal_due': Document
}

export type EventType = keyof EventData

/** An event as it is emitted; `recordId` is the record whose events are delivered in order. */
export type Event = { [T in EventType]: { type: T; recordId: string; data: EventData[T] } }[EventType]

const TYPES: Record<EventType, true> = {
  'applicant.created': true,
  'applicant.updated': true,
  'applicant.number_changed': true,
  'dependent.created': true,
  'dependent.updated': true,
  'dependent.number_changed': true,
  'dependent.archived': true,
  'dependent.restored': true,
  'case.created': true,
  'case.status_changed': true,
  'case.step_changed': true,
  'case.note_added': true,
  'document.created': true,
  'document.updated': true,
  'document.removed': true,
  'document.renewal_due': true,
}

/** A webhook that asks for another type is rejected. */
export const EVENT_TYPES = Object.keys(TYPES) as EventType[]
