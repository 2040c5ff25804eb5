// Matches the dependents of a body with stored dependents.
import { fold, foldName } from '../../src/lib/fold.ts'
import type { Mode } from './model-items.ts'
import { archivedOf, dependentsOf, holderOf, type Json, type Person, type State } from './model-state.ts'

export const blank = (value: Json) => typeof value !== 'string' || value.trim() === ''

const dayOf = (value: Json): string => String(value ?? '').slice(0, 10)
const sameName = (a: Json, b: Json) => foldName(a ?? '') === foldName(b ?? '')

export type Likeness = 'exact' | 'missing' | undefined

/** Compares an input without an id with a stored dependent by names and date of birth. */
export function likeness(input: Json, { fields }: Person): Likeness {
  if (blank(input.firstName) || blank(input.lastName)) return undefined
  if (!sameName(input.firstName, fields['firstName'])) return undefined
  if (!sameName(input.lastName, fields['lastName'])) return undefined
  const [number, known] = [input.employeeNumber, fields['employeeNumber']]
  if (number && known && number !== known) return undefined
  const [day, knownDay] = [dayOf(input.dateOfBirth), dayOf(fields['dateOfBirth'])]
  if (day && knownDay) return day === knownDay ? 'exact' : undefined
  if (!sameName(input.relationship, fields['relationship'])) return undefined
  return 'missing'
}

/** Whether the names are the same but for case. */
const isSpelledAlike = (input: Json, { fields }: Person) =>
  ['firstName', 'lastName'].every(name => fold(input[name] ?? '') === fold(fields[name] ?? ''))

interface Matching {
  primaryId: string
  inputs: Json[]
  mode: Mode
  /** Whether applying this input leaves the person unchanged. */
  isUnchanged: (person: Person, input: Json) => boolean
}

/** Returns the stored person for each dependent of the body, or undefined if it is to be created. */
export function matchDependents(
  before: State,
  { primaryId, inputs, mode, isUnchanged }: Matching,
): (Person | undefined)[] {
  const matches: (Person | undefined)[] = inputs.map(() => undefined)
  const taken = new Set<string>()
  const free = (people: Person[]) => people.filter(({ id }) => !taken.has(id))
  const take = (index: number, found: Person | undefined) => {
    if (!found) return
    matches[index] = found
    taken.add(found.id)
  }
  const own = dependentsOf(before, primaryId)
  const archived = archivedOf(before, primaryId)
  const open = () => [...inputs.entries()].filter(([index, one]) => !one.applicantId && !matches[index])

  for (const [index, { applicantId }] of inputs.entries())
    if (applicantId) take(index, before.people.get(applicantId))

  for (const [index, { employeeNumber }] of open()) {
    if (!employeeNumber) continue
    const withNumber = (people: Person[]) =>
      free(people).find(({ fields }) => fields['employeeNumber'] === employeeNumber)
    const holder = mode === 'merge' ? holderOf(before, employeeNumber) : undefined
    const elsewhere = holder && !taken.has(holder.id) ? holder : undefined
    take(index, withNumber(own) ?? elsewhere ?? withNumber(archived))
  }

  for (const [people, wanted, isLoose] of [
    [own, 'exact', false],
    [own, 'missing', false],
    [archived, 'exact', false],
    [own, 'exact', true],
    [own, 'missing', true],
    [archived, 'exact', true],
    [archived, 'missing', false],
    [archived, 'missing', true],
  ] as const) {
    const alike = (input: Json) =>
      free(people).filter(
        person => likeness(input, person) === wanted && (isLoose || isSpelledAlike(input, person)),
      )
    for (const [index, input] of open())
      take(
        index,
        alike(input).find(person => isUnchanged(person, input)),
      )
    for (const [index, input] of open()) take(index, alike(input)[0])
  }
  return matches.map(found => found && withoutLostNumber(before, found))
}

/** A restored dependent loses its number if another person has it now or it was retired. */
function withoutLostNumber(before: State, person: Person): Person {
  const number = person.fields['employeeNumber']
  if (!person.archived || !number) return person
  const isLost = holderOf(before, number) !== undefined || before.retired.has(number)
  return isLost ? { ...person, fields: { ...person.fields, employeeNumber: null } } : person
}
