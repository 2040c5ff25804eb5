// Plans the merge of two records: which values, items and dependents the remaining record has. Pure: no database, no clock.
import type { FieldError } from '../lib/problem.ts'
import {
  type Applicant,
  type ApplicantInput,
  type Item,
  LIST_NAMES,
  LISTS,
  type ListName,
  MAX_DEPENDENTS,
  MAX_ITEMS,
  TEXT_FIELDS,
  type TextField,
} from './applicant.ts'
import type { Stored } from './applicants.mapper.ts'
import { matchDependents } from './dependent-matching.ts'
import { matchItems } from './item-matching.ts'

/** The record that remains, or the one that is absorbed. */
export type Side = 'target' | 'source'

/** Fields and lists that a caller can choose between. The number and the role have rules of their own. */
export const CHOSEN_FIELDS = TEXT_FIELDS.filter(field => field !== 'employeeNumber')
export type ChosenField = Exclude<TextField, 'employeeNumber'> | ListName
export type Choices = Partial<Record<ChosenField, Side>>

/** A field in which the two records differ, and whose value remains. */
export interface Difference {
  field: string
  target: string | null
  source: string | null
  chosen: Side
}

/** One person of a merge: the record that remains, and the one that it absorbs. */
export interface PersonMerge {
  target: Stored
  source: Stored
  /** The remaining record. Items that it gets from the absorbed one keep their ids. */
  record: Applicant
  differences: Difference[]
  /** Documents of the absorbed record that the target has too: they are removed, and kept like all removed documents. */
  duplicateDocuments: string[]
}

export interface MergePlan {
  person: PersonMerge
  /** The dependents of the absorbed record that the target has too. */
  dependents: PersonMerge[]
  /** Those that it has not. */
  moved: Stored[]
  /** The dependents of the target that nothing happens to. */
  untouched: Stored[]
  /** The number that is not used any more. */
  retiredNumber: string | null
}

export interface MergeInput {
  target: Stored
  source: Stored
  targetDependents: Stored[]
  sourceDependents: Stored[]
  choices: Choices
  /** Whose number remains; undefined keeps the one there is, and that of the target if there are two. */
  number: Side | undefined
  /** Documents that have a file: they are never taken for the same as another one. */
  filed: ReadonlySet<string>
}

export function planMerge(input: MergeInput): MergePlan {
  const { target, source, targetDependents, sourceDependents, choices, filed } = input
  const { kept, retired } = numbersOf(input)
  const own = targetDependents.filter(({ record }) => record.applicantId !== source.record.applicantId)
  const matched = matchDependents(sourceDependents.map(inputOf), { own, isUnchanged: () => false })
  const dependents = matched.flatMap(({ stored }, index) => {
    const absorbed = sourceDependents[index]
    return stored && absorbed ? [combine({ target: stored, source: absorbed, filed })] : []
  })
  const [absorbed, remaining] = [
    new Set(dependents.map(one => one.source)),
    new Set(dependents.map(one => one.target)),
  ]
  return {
    person: combine({ target, source, choices, number: kept, filed }),
    dependents,
    moved: sourceDependents.filter(one => !absorbed.has(one)),
    untouched: own.filter(one => !remaining.has(one)),
    retiredNumber: retired,
  }
}

const inputOf = ({ record: { applicantId: _id, ...fields } }: Stored): ApplicantInput => fields

function numbersOf({ target, source, number }: MergeInput): { kept: string | null; retired: string | null } {
  const [a, b] = [target.record.employeeNumber, source.record.employeeNumber]
  const kept = number === undefined ? (a ?? b) : number === 'target' ? a : b
  return { kept, retired: [a, b].find(one => one !== null && one !== kept) ?? null }
}

/** Choices that mean nothing for these records. */
export function choiceErrorsOf({ target, source, choices, number }: MergeInput): FieldError[] {
  const errors: FieldError[] = []
  if (number === 'source' && !source.record.employeeNumber)
    errors.push({
      pointer: '/employeeNumber',
      detail: 'The absorbed record has no number. Send target, or leave it out.',
    })
  if (choices.relationship === 'source' && target.primaryId === null)
    errors.push({ pointer: '/choices/relationship', detail: 'A primary applicant has no relationship.' })
  for (const field of ['firstName', 'lastName', 'relationship'] as const) {
    const isNeeded = field !== 'relationship' || target.primaryId !== null
    const chosen = choices[field] === 'source' ? source : target
    if (isNeeded && choices[field] && !chosen.record[field]?.trim())
      errors.push({
        pointer: `/choices/${field}`,
        detail: 'This record has no value here, and one is needed.',
      })
  }
  return errors
}

interface Combination {
  target: Stored
  source: Stored
  choices?: Choices
  number?: string | null
  filed: ReadonlySet<string>
}

const isEmpty = (value: unknown) => value === null || value === undefined || value === ''

/** A chosen value is taken as it is. Otherwise that of the target remains, or that of the source where it has none. */
function combine({ target, source, choices = {}, number, filed }: Combination): PersonMerge {
  const [a, b] = [target.record, source.record]
  const record = {
    ...a,
    employeeNumber: number === undefined ? (a.employeeNumber ?? b.employeeNumber) : number,
  }
  const differences: Difference[] = []
  for (const field of CHOSEN_FIELDS) {
    // The role of the target remains.
    if (field === 'relationship' && target.primaryId === null) continue
    const chosen = choices[field] ?? (isEmpty(a[field]) && !isEmpty(b[field]) ? 'source' : 'target')
    record[field] = chosen === 'target' ? a[field] : b[field]
    if ((a[field] ?? '') !== (b[field] ?? ''))
      differences.push({ field, target: a[field], source: b[field], chosen })
  }
  for (const list of LIST_NAMES)
    if (list !== 'documents')
      record[list] = unite(list, a[list], { items: b[list], prefer: choices[list] }).items
  const hasFile = (item: Item) => filed.has(String(item['documentId']))
  const documents = unite('documents', a.documents, {
    items: b.documents,
    prefer: choices.documents,
    isSeparate: hasFile,
  })
  record.documents = documents.items
  const duplicateDocuments = documents.doubled.map(item => String(item['documentId']))
  return { target, source, record, differences, duplicateDocuments }
}

interface Addition {
  items: Item[]
  /** Whose values an item has that both lists have; the target's by default. */
  prefer?: Side | undefined
  /** Whether an item is added even if the list has one like it. */
  isSeparate?: (item: Item) => boolean
}

/** The items of both lists. Those that match by the rules of a replace are one item. */
function unite(
  list: ListName,
  own: Item[],
  { items, prefer = 'target', isSeparate = () => false }: Addition,
): { items: Item[]; doubled: Item[] } {
  const { id, fields } = LISTS[list]
  const comparable = items.filter(item => !isSeparate(item))
  const contentOf = (item: Partial<Item>) => JSON.stringify(fields.map(field => item[field] ?? null))
  const matched = matchItems(list, {
    inputs: comparable.map(({ [id]: _id, ...item }) => item),
    stored: own,
    isUnchanged: (stored, input) => contentOf(stored) === contentOf(input),
    contentOf,
  })
  const partners = new Map(comparable.flatMap((item, at) => (matched[at] ? [[matched[at], item]] : [])))
  const doubled = new Set(partners.values())
  const united = own.map(item => {
    const partner = partners.get(item)
    if (!partner) return item
    const [first, second] = prefer === 'target' ? [item, partner] : [partner, item]
    const one: Item = { [id]: item[id] ?? null }
    for (const field of fields)
      one[field] = (isEmpty(first[field]) ? second[field] : first[field]) ?? first[field] ?? null
    return one
  })
  return { items: [...united, ...items.filter(item => !doubled.has(item))], doubled: [...doubled] }
}

/** Lists that would have more than a record can have. */
export function sizeErrorsOf({ person, dependents, moved, untouched }: MergePlan): FieldError[] {
  const isLong = ({ record }: { record: Applicant }, list: ListName) => record[list].length > MAX_ITEMS[list]
  const errors = LIST_NAMES.filter(list => isLong(person, list)).map(list => ({
    pointer: `/choices/${list}`,
    detail: `The merged record would have more than ${MAX_ITEMS[list]} items. Remove some first.`,
  }))
  for (const list of LIST_NAMES)
    if (dependents.some(one => isLong(one, list)))
      errors.push({
        pointer: '/from',
        detail: `A merged dependent would have more than ${MAX_ITEMS[list]} items in ${list}. Remove some first.`,
      })
  if (dependents.length + moved.length + untouched.length <= MAX_DEPENDENTS) return errors
  const detail = `The merged family would have more than ${MAX_DEPENDENTS} dependents. Remove some first.`
  return [...errors, { pointer: '/from', detail }]
}
