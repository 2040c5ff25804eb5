// Entries of timelines, and the changes of an entry, in words.
import type { components } from '@caseport/sdk'
import type { Texts } from '../app/i18n.tsx'

export type TimelineEntry = components['schemas']['TimelinePage']['records'][number]
export type Change = NonNullable<TimelineEntry['changes']>[number]

type Words = Pick<Texts, 't' | 'tx' | 'date' | 'time' | 'country'>

/** The names of other records; undefined where the screen has none. */
export interface Names {
  company(companyId: string): string | undefined
  colleague(userId: string): string | undefined
}

export interface ShownChange {
  pointer: string
  label: string
  before: string
  after: string
  /** The person may not see the values. */
  isHidden: boolean
}

/** What happened, as the end of a sentence that begins with a name. */
export function summaryOf(entry: TimelineEntry, texts: Words): string {
  const { t, tx, date } = texts
  const { action, record, step, document, reminder } = entry
  if (entry.kind === 'note') return t('timeline.note')
  if (document)
    return t(document.isRemoved ? 'timeline.documentRemoved' : 'timeline.document', {
      name: document.name ?? document.type ?? '',
    })
  if (reminder) {
    const name = record.type === 'document' ? (record.name ?? t('documents.document')) : t('papers.passport')
    return t('timeline.reminder', { name, date: date(reminder.expiryDate) })
  }
  const isNewStep =
    step && entry.changes?.some(({ pointer, after }) => partsOf(pointer).length === 2 && after)
  const what = isNewStep
    ? t('timeline.stepAdded')
    : tx(`action.${action}`, action.replaceAll('.', ' ').replaceAll(/[-_]/g, ' '))
  const name = step ? step.name : record.name
  return name ? t('timeline.named', { what, name }) : what
}

const partsOf = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))

/** The last name of a pointer, in words: `/steps/{id}/dueDate` is "Due date". */
export function fieldName(pointer: string, { tx }: Pick<Texts, 'tx'>): string {
  const name = pointer.split('/').at(-1) ?? pointer
  const words = name.replace(/([a-z])([A-Z])/g, (_whole, end, start) => `${end} ${start.toLowerCase()}`)
  return tx(`field.${name}`, words.charAt(0).toUpperCase() + words.slice(1))
}

/** Fields whose values are codes of countries. */
export const COUNTRY_FIELDS: ReadonlySet<string> = new Set([
  'hostCountry',
  'homeCountry',
  'nationality',
  'countryOfBirth',
  'addressCountry',
  'country',
])
/** Lists whose items are told as added or removed. */
const LISTS = new Set(['checklist', 'passports', 'documents', 'metaData', 'previousNames'])
/** Ids of other records tell people nothing, unless these have names. */
const isNamed = (field: string) =>
  !/Ids?$/.test(field) || /^(?:assigneeId|assignmentId|\w+CompanyId)$/.test(field)

interface Context {
  /** Of the entry, such as `case.write`. */
  action: string
  texts: Words
  names: Names
}

/** Leaves out what tells people nothing. */
export function shownChanges(changes: Change[], context: Context): ShownChange[] {
  // A case has its companies as they were sent, and by id.
  const isShownById = ({ pointer }: Change) => {
    const byId = changes.find(other => other.pointer === `${pointer}Id`)
    return byId !== undefined && shownChange(byId, context) !== undefined
  }
  return changes.flatMap(change => (isShownById(change) ? [] : (shownChange(change, context) ?? [])))
}

function shownChange({ pointer, before, after }: Change, context: Context): ShownChange | undefined {
  const { t } = context.texts
  const parts = partsOf(pointer)
  const field = parts.at(-1) ?? ''
  if (!isNamed(field)) return undefined
  const shown = { pointer, label: labelOf(parts, context), before: '', after: '', isHidden: false }
  if (before === undefined && after === undefined) return { ...shown, isHidden: true }
  if (isRecord(before ?? after) && field !== 'assignee') {
    const isItem = parts.length === 2 && LISTS.has(parts[0] ?? '')
    return isItem
      ? { ...shown, after: t(after === null ? 'timeline.itemRemoved' : 'timeline.itemAdded') }
      : undefined
  }
  const place = { field, parts, ...context }
  const now = textOf(after, place)
  // Another company than those that the person sees.
  if (field.endsWith('CompanyId') && after !== null && !now) return undefined
  const nothing = t(isAssignee(field) ? 'assignee.none' : 'edit.empty')
  return { ...shown, before: textOf(before, place), after: now || nothing }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isAssignee = (field: string) => field === 'assigneeId' || field === 'assignee'

const isOfCase = (action: string) => action.startsWith('case.')

function labelOf(parts: string[], { action, texts }: Context): string {
  const [list = '', item = '', ...rest] = parts
  const last = fieldName(parts.at(-1) ?? '', texts)
  if (list === 'checklist' && item) return rest.length > 0 ? `${item}: ${last}` : item
  if (LISTS.has(list) && item && rest.length === 0) return fieldName(list, texts)
  return isOfCase(action) && list === 'sendingCompany' ? texts.t('case.sendingCompany') : last
}

interface Place extends Context {
  field: string
  parts: string[]
}

function textOf(value: unknown, place: Place): string {
  if (value === null || value === undefined) return ''
  const { texts } = place
  if (typeof value === 'boolean') return texts.t(value ? 'common.yes' : 'common.no')
  if (Array.isArray(value)) return value.map(item => textOf(item, place)).join(', ')
  if (isRecord(value)) return isAssignee(place.field) ? String(value['name']) : textsOf(value).join(': ')
  return typeof value === 'string' ? wordsOf(value, place) : String(value)
}

const textsOf = (record: Record<string, unknown>) =>
  Object.values(record).filter(item => typeof item === 'string' || typeof item === 'number')

function wordsOf(value: string, { field, parts, action, texts, names }: Place): string {
  const { t, tx, date, time, country } = texts
  if (isAssignee(field)) return names.colleague(value) ?? t('assignee.otherPerson')
  if (field.endsWith('CompanyId')) return names.company(value) ?? ''
  if (field === 'sendingCompany' || field === 'companies') return names.company(value) ?? value
  if (COUNTRY_FIELDS.has(field)) return country(value)
  if (field === 'status' && isOfCase(action))
    return tx(`${parts[0] === 'steps' ? 'stepStatus' : 'caseStatus'}.${value}`, value)
  if (field === 'visibility') return tx(`notes.${value}`, value)
  // The wall-clock dates of people have a time too.
  if (/^\d{4}-\d{2}-\d{2}(?:T[\d:.]+)?$/.test(value)) return date(value)
  return /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value) ? time(value) : value
}
