/** Everything that others can be told of. A webhook that asks for another type is refused. */
export const EVENT_TYPES = [
  'applicant.created',
  'applicant.updated',
  'applicant.number_changed',
  'dependent.created',
  'dependent.updated',
  'dependent.archived',
  'dependent.restored',
  'dependent.number_changed',
  'case.created',
  'case.status_changed',
  'case.step_changed',
  'case.note_added',
  'document.created',
  'document.updated',
  'document.removed',
  'document.renewal_due',
]
