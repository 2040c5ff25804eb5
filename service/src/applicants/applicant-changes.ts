// Replaces and merges records: pure functions from a record and an input to the next record.
import type { FieldError } from '../lib/problem.ts'
import { reminderDays, sameSchedule } from '../lib/schedule.ts'
import {
  type Applicant,
  type ApplicantInput,
  EMPTY_RECORD,
  equal,
  equalItems,
  FIELD_DEFAULTS,
  ITEM_DEFAULTS,
  type Item,
  LIST_NAMES,
  LISTS,
  type ListName,
  type NewId,
  type Scalar,
  TEXT_FIELDS,
  type TextField,
} from './applicant.ts'
import { matchItems } from './item-matching.ts'

interface ReplaceOptions {
  applicantId: string
  newId: NewId
  /** The stored record; undefined where it is created. */
  current?: Applicant | undefined
  documents?: RecordDocuments | undefined
}

/** What is known of the documents of a record beside their current state. */
export interface RecordDocuments {
  /** Documents that were removed from the record. One that is sent again gets its id back. */
  removed: Item[]
  /** The ids of those that were removed at the desk: they stay removed while they are sent as they were. */
  keptOut: ReadonlySet<string>
  /** Documents that were corrected at the desk, as they were sent: the correction holds while they are sent like this. */
  asSent: ReadonlyMap<string, Item>
}

const NO_DOCUMENTS: RecordDocuments = { removed: [], keptOut: new Set(), asSent: new Map() }

/**
 * The record that this input describes. Fields that are left out are cleared, except the employee number. Items that are
 * already stored keep their ids. A list that has the same items in another order keeps its stored order.
 */
export function replace(
  input: ApplicantInput,
  { applicantId, newId, current, documents = NO_DOCUMENTS }: ReplaceOptions,
): Applicant {
  const record = { ...EMPTY_RECORD, applicantId }
  for (const field of TEXT_FIELDS) record[field] = input[field] ?? null
  if (input.employeeNumber === undefined) record.employeeNumber = current?.employeeNumber ?? null
  for (const list of LIST_NAMES) {
    const ofList = list === 'documents' ? documents : NO_DOCUMENTS
    record[list] = replaceItems(list, input[list] ?? [], { current: current?.[list] ?? [], newId, ...ofList })
  }
  return withDefaults(record)
}

function replaceItems(
  list: ListName,
  inputs: Partial<Item>[],
  { current, ...known }: Pick<ItemsChange, 'current' | 'newId' | keyof RecordDocuments>,
): Item[] {
  if (known.asSent.size === 0 && isSentAsStored(list, inputs, current)) return current
  const { id } = LISTS[list]
  const items = changeItems(list, inputs, {
    current,
    ...known,
    apply: (item, stored) => wholeItem(list, item, stored),
    contentOf: item => contentOf(list, item),
  })
  const byId = new Map(current.map(item => [item[id], item]))
  const isSameSet =
    items.length === byId.size &&
    items.every(item => equalItems(list, item, byId.get(item[id] as string) ?? {}))
  return isSameSet ? current : items
}

/** Whether each item is sent at the place, and with the content, of the stored one: there is nothing to match then. */
function isSentAsStored(list: ListName, inputs: Partial<Item>[], current: Item[]): boolean {
  const { id } = LISTS[list]
  return (
    inputs.length === current.length &&
    current.every((stored, index) => {
      const input = inputs[index] ?? {}
      const sent = { ...wholeItem(list, input, stored), [id]: input[id] || (stored[id] as string) }
      return equalItems(list, sent, stored)
    })
  )
}

/** The record with this input merged into it. Fields that are left out are kept, null clears a field. */
export function merge(
  current: Applicant,
  input: ApplicantInput,
  { newId, documents = NO_DOCUMENTS }: Pick<ReplaceOptions, 'newId' | 'documents'>,
): Applicant {
  const record = { ...current }
  for (const field of TEXT_FIELDS) {
    const value = input[field]
    if (value !== undefined) record[field] = value
  }
  for (const list of LIST_NAMES) {
    const items = input[list]
    if (items === null) record[list] = []
    else if (items !== undefined) {
      const { id } = LISTS[list]
      const changed = changeItems(list, items, {
        current: current[list],
        ...(list === 'documents' ? documents : NO_DOCUMENTS),
        apply: (item, known) => (known ? mergedItem(list, item, known) : wholeItem(list, item, undefined)),
        contentOf: item => (hasEveryField(list, item) ? contentOf(list, item) : undefined),
        newId,
      })
      const byId = new Map(changed.map(item => [item[id], item]))
      const known = new Set(current[list].map(item => item[id]))
      record[list] = [
        ...current[list].map(item => byId.get(item[id] as string) ?? item),
        ...changed.filter(item => !known.has(item[id] as string)),
      ]
    }
  }
  return withDefaults(record)
}

const noNewId = () => ''

export function isUnchangedByReplace(current: Applicant, input: ApplicantInput): boolean {
  const { applicantId } = current
  return equal(current, replace(input, { applicantId, newId: noNewId, current }))
}

export function isUnchangedByMerge(current: Applicant, input: ApplicantInput): boolean {
  return equal(current, merge(current, input, { newId: noNewId }))
}

/** Whether the input leaves the documents of the record as they are. */
export function keepsDocuments(
  current: Applicant,
  { documents }: ApplicantInput,
  verb: 'replace' | 'merge',
): boolean {
  const { applicantId } = current
  const next =
    verb === 'replace'
      ? replace({ documents: documents ?? [] }, { applicantId, newId: noNewId, current })
      : merge(current, { documents: documents ?? [] }, { newId: noNewId })
  return (
    next.documents.length === current.documents.length &&
    next.documents.every((item, index) => equalItems('documents', item, current.documents[index] ?? {}))
  )
}

function withDefaults(record: Applicant): Applicant {
  for (const [field, value] of Object.entries(FIELD_DEFAULTS)) record[field as TextField] ??= value
  return record
}

interface ItemsChange extends RecordDocuments {
  current: Item[]
  /** Applies an input to a known item, or makes a new item of it. The id is set by the caller. */
  apply: (input: Partial<Item>, known: Item | undefined) => Item
  contentOf: (item: Partial<Item>) => string | undefined
  newId: NewId
}

/** The items that the inputs describe, in the order of the inputs. Known items keep their ids. */
function changeItems(
  list: ListName,
  inputs: Partial<Item>[],
  { current, removed, keptOut, asSent, apply, contentOf, newId }: ItemsChange,
): Item[] {
  const { id } = LISTS[list]
  const created = (input: Partial<Item>): Item => ({ ...apply(input, undefined), [id]: input[id] || newId() })
  if (current.length === 0 && removed.length === 0) return inputs.map(created)
  const idOf = (item: Item) => item[id] as string
  const stored = new Map([...removed, ...current].map(item => [idOf(item), item]))
  const applied = (input: Partial<Item>, matched: Item): Item => {
    const known = stored.get(idOf(matched)) ?? matched
    const sent = asSent.get(idOf(known))
    if (sent && equalItems(list, { ...apply(input, sent), [id]: idOf(known) }, sent)) return known
    return { ...apply(input, known), [id]: idOf(known) }
  }
  const isUnchanged = (matched: Item, input: Partial<Item>) =>
    equalItems(list, applied(input, matched), stored.get(idOf(matched)) ?? matched)
  const match = (inputs: Partial<Item>[], items: Item[]) =>
    matchItems(list, { inputs, stored: items, isUnchanged, contentOf })
  const sentForms = (items: Item[]) => items.map(item => asSent.get(idOf(item)) ?? item)
  const matched = match(inputs, sentForms(current))
  const unmatched = inputs.filter((_input, index) => !matched[index])
  const taken = new Set(matched.flatMap(item => (item ? idOf(item) : [])))
  // A client that has read a corrected document sends it with its corrections.
  const corrected = current.filter(item => asSent.has(idOf(item)) && !taken.has(idOf(item)))
  const recognised = match(unmatched, corrected)
  const missing = unmatched.filter((_input, index) => !recognised[index])
  const returning = match(missing, sentForms(removed))
  const again = new Map(unmatched.map((input, index) => [input, recognised[index]]))
  const back = new Map(missing.map((input, index) => [input, returning[index]]))
  return inputs.flatMap((input, index): Item[] => {
    const known = matched[index] ?? again.get(input)
    if (known) return [applied(input, known)]
    const returned = back.get(input)
    if (!returned) return [created(input)]
    if (keptOut.has(idOf(returned)) && isUnchanged(returned, input)) return []
    // A removed document that is named by its id gets back its fields. One that is recognised has the fields of the input.
    if (input[id]) return [applied(input, returned)]
    return [{ ...wholeItem(list, input, returned), [id]: idOf(returned) }]
  })
}

function wholeItem(list: ListName, input: Partial<Item>, known: Item | undefined): Item {
  const { id, fields } = LISTS[list]
  const whole: Item = { [id]: null }
  for (const field of fields) whole[field] = input[field] ?? ITEM_DEFAULTS[field] ?? null
  return keepSchedule(list, whole, known)
}

const isPlain = (field: string) => field !== 'expiryReminder'

/** Equal texts for a stored item and an input that leaves it unchanged in a replace. */
function contentOf(list: ListName, item: Partial<Item>): string {
  const values = LISTS[list].fields.filter(isPlain).map(field => item[field] ?? ITEM_DEFAULTS[field] ?? null)
  if (list === 'documents')
    values.push(
      reminderDays(
        (item['expiryReminder'] ?? null) as string | number | null,
        (item['expiryDate'] ?? null) as string | null,
      ),
    )
  return JSON.stringify(values)
}

const hasEveryField = (list: ListName, item: Partial<Item>) =>
  LISTS[list].fields.every(field => item[field] !== undefined)

/** Null sets a field of the item to its default. */
function mergedItem(list: ListName, input: Partial<Item>, known: Item): Item {
  const merged = { ...known }
  for (const field of LISTS[list].fields) {
    const value = input[field]
    if (value !== undefined) merged[field] = value ?? ITEM_DEFAULTS[field] ?? null
  }
  return keepSchedule(list, merged, known)
}

/**
 * Keeps the stored schedule where the client sends it back in another form: in days, as a read of the new item returns it,
 * or in another spelling. With the days of the old expiry date, the same body would change the schedule when it is sent again.
 */
function keepSchedule(list: ListName, item: Item, known: Item | undefined): Item {
  if (list !== 'documents' || !known) return item
  const sent = item['expiryReminder'] as Scalar as string | number | null
  const stored = known['expiryReminder'] as string | number | null
  if (sent === stored) return item
  const shown = reminderDays(stored, item['expiryDate'] as string | null)
  if (sent === shown || sameSchedule(sent, stored)) item['expiryReminder'] = stored
  return item
}

/** Item ids in a merge that the record does not have: there is nothing to merge into. */
export function unknownItemErrorsOf(
  current: { record: Applicant; removedDocuments?: Item[] } | undefined,
  input: ApplicantInput,
  pointer: string,
): FieldError[] {
  return idsOfItems(input).flatMap(({ list, index, id }) => {
    const field = LISTS[list].id
    const known = current?.record[list].some(item => item[field] === id)
    const removed = list === 'documents' && current?.removedDocuments?.some(item => item[field] === id)
    if (known || removed) return []
    return [
      {
        pointer: `${pointer}/${list}/${index}/${field}`,
        detail: `This applicant has no such item. Leave ${field} out to add one.`,
      },
    ]
  })
}

interface ItemId {
  list: ListName
  index: number
  id: string
}

/** The item ids in an input. */
export function idsOfItems(input: ApplicantInput): ItemId[] {
  return LIST_NAMES.flatMap(list =>
    (input[list] ?? []).flatMap((item, index) => {
      const id = item[LISTS[list].id]
      return typeof id === 'string' && id ? [{ list, index, id }] : []
    }),
  )
}
