// What the plan of a family changes, as pointers, and what it takes from people. Pure. Imports show it before anything is
// changed, and hold a file that takes much.
import { fold } from '../lib/fold.ts'
import { type Applicant, equalItems, LIST_NAMES, LISTS, TEXT_FIELDS } from './applicant.ts'
import type { FamilyPlan } from './family-planning.ts'
import { isUnchanged, type NextRecord, savesOf } from './family-saving.ts'

/**
 * JSON pointers to what changes. A dependent of the request is named by its index, one that is archived by its id; an
 * item by its id, and one that is added by `-`.
 */
export function changedIn(plan: FamilyPlan): string[] {
  const { primary, mentioned } = plan
  const { removed } = savesOf(plan)
  return [
    ...pointersOf(primary, '/primaryApplicant'),
    ...mentioned.flatMap((one, index) => {
      const pointer = `/dependents/${index}`
      const isMoved = one.stored && one.stored.primaryId !== primary.record.applicantId
      const isWhole = !one.stored || one.stored.archived || isMoved
      return isWhole ? [pointer] : pointersOf(one, pointer)
    }),
    ...removed.map(({ record }) => `/dependents/${record.applicantId}`),
  ]
}

/** Whether saving the plan would change nothing. */
export function isNoOp(plan: FamilyPlan): boolean {
  const { saves, removed } = savesOf(plan)
  return removed.length === 0 && saves.every(isUnchanged)
}

function pointersOf({ record, stored }: NextRecord, pointer: string): string[] {
  if (!stored) return [pointer]
  const before = stored.record
  const fields = TEXT_FIELDS.filter(field => before[field] !== record[field])
  return [
    ...fields.map(field => `${pointer}/${field}`),
    ...LIST_NAMES.flatMap(list =>
      itemPointersOf(list, before, record).map(one => `${pointer}/${list}${one}`),
    ),
  ]
}

function itemPointersOf(list: (typeof LIST_NAMES)[number], before: Applicant, after: Applicant): string[] {
  const { id, fields } = LISTS[list]
  const stored = new Map(before[list].map(item => [item[id], item]))
  const kept = new Set(after[list].map(item => item[id]))
  const changed = after[list].flatMap(item => {
    const known = stored.get(item[id] as string)
    if (!known) return ['/-']
    if (equalItems(list, known, item)) return []
    return fields
      .filter(field => (known[field] ?? null) !== (item[field] ?? null))
      .map(field => `/${item[id]}/${field}`)
  })
  const removed = before[list].filter(item => !kept.has(item[id])).map(item => `/${item[id]}`)
  const isReordered =
    changed.length + removed.length === 0 &&
    before[list].some((item, index) => item[id] !== after[list][index]?.[id])
  return [...new Set([...changed, ...removed, ...(isReordered ? [''] : [])])]
}

export interface Taken {
  /** How many people the request names. */
  people: number
  /** How many of them lose anything. */
  affected: number
  /** How many of them lose a value or an item. */
  values: number
  /** Whether the primary applicant loses a dependent. */
  dependents: number
  /** Whether the family leaves its company. */
  companies: number
}

/**
 * What the plan takes from the people that it names. A value that is replaced by another one is not taken. `companies` has the
 * ids of those that `companyTextsOf` named.
 */
export function takenBy(plan: FamilyPlan, companies: ReadonlyMap<string, string>): Taken {
  const { primary, mentioned } = plan
  const people = [primary, ...mentioned]
  const losers = people.filter(losesValue)
  const dependents = savesOf(plan).removed.length > 0 ? 1 : 0
  const left = leavesCompany(plan, companies) ? 1 : 0
  const isPrimaryAdded = dependents + left > 0 && !losers.includes(primary)
  return {
    people: people.length,
    affected: losers.length + (isPrimaryAdded ? 1 : 0),
    values: losers.length,
    dependents,
    companies: left,
  }
}

function losesValue({ record, stored }: NextRecord): boolean {
  if (!stored) return false
  const before = stored.record
  if (TEXT_FIELDS.some(field => before[field] && !record[field])) return true
  return LIST_NAMES.some(list => {
    const { id, fields } = LISTS[list]
    const after = new Map(record[list].map(item => [item[id], item]))
    return before[list].some(item => {
      const next = after.get(item[id] as string)
      return !next || fields.some(field => isGiven(item[field]) && !isGiven(next[field]))
    })
  })
}

const isGiven = (value: unknown) => value !== null && value !== undefined && value !== '' && value !== false

/** The company before and after, where the text of a stored record changes. */
export function companyTextsOf({ primary: { record, stored } }: FamilyPlan): string[] {
  const texts = [stored?.record.sendingCompany ?? '', record.sendingCompany ?? '']
  const [before, after] = texts.map(fold)
  return before === '' || before === after ? [] : texts
}

/** Another spelling of the same company is the same company. */
function leavesCompany(plan: FamilyPlan, companies: ReadonlyMap<string, string>): boolean {
  const [before, after] = companyTextsOf(plan)
  if (before === undefined || after === undefined) return false
  const [was, is] = [companies.get(before), companies.get(after)]
  return was === undefined && is !== undefined ? false : was === undefined || was !== is
}
