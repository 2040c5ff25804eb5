// Bodies built from stored records, as an HR system sends them every night: without our ids, in any order, in other
// spellings, with dependents that are missing one night and present the next.
import fc from 'fast-check'
import { foldName } from '../../src/lib/fold.ts'
import { keyOf as keyOfItem } from './model-items.ts'
import {
  dependentsOf,
  FIELDS,
  type Item,
  type Json,
  LIST_NAMES,
  type Person,
  returnedValue,
  ruleOf,
  type State,
} from './model-state.ts'

const ids = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('none', 'none', 'all') },
  { weight: 1, arbitrary: fc.constant('some') },
)

export const rendering = fc.record({
  /** Which records and items include their ids. */
  ids,
  /** Which dependents include their numbers. */
  numbers: fc.constantFrom('all', 'none', 'some'),
  /** Whether lists and dependents are in reverse order. */
  reversed: fc.boolean(),
  /** 0 is the stored spelling; the others are variants. */
  spelling: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat({ max: 4 })),
})

export type Rendering = typeof rendering extends fc.Arbitrary<infer T> ? T : never

const has = (which: string, index: number) => which === 'all' || (which === 'some' && index % 2 === 0)

const otherName = (text: string, spelling: number): string =>
  [
    text,
    text.toUpperCase(),
    text.normalize('NFD').replace(/\p{M}/gu, ''),
    `${text.slice(0, 1)}-${text.slice(1)}`,
    `${text}\u2019`,
  ][spelling] as string

const otherNumber = (text: string, spelling: number): string =>
  [text, text.toLowerCase(), text.split('').join(' '), text.split('').join('-'), `${text}.`][
    spelling
  ] as string

const COUNTRIES: Record<string, string> = { DE: 'DEU', DEU: 'DE', FR: 'FRA', FRA: 'FR' }

function otherSpelling(list: string | undefined, name: string, value: Json, spelling: number): Json {
  if (!value || spelling === 0 || typeof value !== 'string') return value
  if (list === undefined && (name === 'firstName' || name === 'lastName')) return otherName(value, spelling)
  if (name === 'passportNumber') return otherNumber(value, spelling)
  if (name === 'country' && list === 'passports') return COUNTRIES[value] ?? value
  if (name === 'tagName' || name === 'referenceNumber') return spelling % 2 ? ` ${value.trim()}` : value
  return value
}

function itemOf(list: string, item: Item, { index, how }: { index: number; how: Rendering }): Json {
  const { id, members } = ruleOf(list)
  const entries = members.map(name => [
    name,
    otherSpelling(list, name, returnedValue(name, item[name] ?? null), how.spelling),
  ])
  return {
    ...Object.fromEntries(entries.filter(([, value]) => value !== null)),
    ...(has(how.ids, index) && { [id]: item[id] }),
  }
}

const inOrder = <T>(list: T[], { reversed }: Rendering) => (reversed ? list.toReversed() : list)

function recordOf(person: Person, { index, how }: { index: number; how: Rendering }): Json {
  const isPrimary = person.primaryId === null
  const fields = FIELDS.map(name => [
    name,
    otherSpelling(undefined, name, person.fields[name], isPrimary ? 0 : how.spelling),
  ])
  const body = Object.fromEntries(fields.filter(([, value]) => value !== null))
  if (!isPrimary && !has(how.numbers, index)) delete body.employeeNumber
  if (has(how.ids, index)) body.applicantId = person.id
  for (const list of LIST_NAMES)
    body[list] = inOrder(
      (person.lists[list] ?? []).map((item, at) => itemOf(list, item, { index: at, how })),
      how,
    )
  return body
}

/** The body of a stored family. `without` lists the indexes of dependents to omit. */
export function storedFamily(
  state: State,
  { primary, how, without = [] }: { primary: Person; how: Rendering; without?: number[] },
): Json {
  const dependents = dependentsOf(state, primary.id)
    .map((one, index) => recordOf(one, { index, how }))
    .filter((_, index) => !without.includes(index))
  return { primaryApplicant: recordOf(primary, { index: 0, how }), dependents: inOrder(dependents, how) }
}

const repeats = (keys: string[]) => new Set(keys).size < keys.length

/** Whether two items or two dependents of a family differ by position only. */
function isAmbiguous(state: State, primary: Person): boolean {
  const dependents = dependentsOf(state, primary.id)
  const names = dependents.map(({ fields }) =>
    [fields['firstName'], fields['lastName']].map(name => foldName(name ?? '')).join(),
  )
  return (
    repeats(names) ||
    [primary, ...dependents].some(({ lists }) =>
      LIST_NAMES.some(list => repeats((lists[list] ?? []).map(item => keyOfItem(list, item).strong))),
    )
  )
}

/** Whether this body must be a no-op. In the stored spelling it is, unless a reversed list is ambiguous. */
export const changesNothing = (state: State, primary: Person, { reversed, spelling }: Rendering): boolean =>
  spelling === 0 && (!reversed || !isAmbiguous(state, primary))
