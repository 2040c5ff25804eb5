import type { components } from '@caseport/sdk'

type EventType = components['schemas']['Webhook']['eventTypes'][number]

/** Every type that the API has: the type check fails where one is missing or unknown. */
const KNOWN: Record<EventType, true> = {
  'applicant.created': true,
  'applicant.updated': true,
  'applicant.number_changed': true,
  'applicant.merged': true,
  'applicant.unmerged': true,
  'dependent.created': true,
  'dependent.updated': true,
  'dependent.number_changed': true,
  'dependent.archived': true,
  'dependent.restored': true,
  'dependent.merged': true,
  'dependent.unmerged': true,
  'case.created': true,
  'case.updated': true,
  'case.status_changed': true,
  'case.step_changed': true,
  'case.note_added': true,
  'case.note_changed': true,
  'case.checklist_changed': true,
  'document.created': true,
  'document.updated': true,
  'document.removed': true,
  'document.renewal_due': true,
  'passport.renewal_due': true,
}

export const EVENT_TYPES = Object.keys(KNOWN) as EventType[]
