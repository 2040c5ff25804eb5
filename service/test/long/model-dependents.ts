// How the dependents of a family in a body find the stored dependents that they are.
import { foldSpelling } from '../../src/lib/fold.ts'
import type { Mode } from './model-items.ts'
import type { Reading } from './model-readings.ts'
import { archivedOf, dependentsOf, holderOf, type Json, type Person, type State } from './model-state.ts'

export const blank = (value: Json) => typeof value !== 'string' || value.trim() === ''

const dayOf = (value: Json): string => String(value ?? '').slice(0, 10)
const sameSpelling = (a: Json, b: Json) => foldSpelling(a ?? '') === foldSpelling(b ?? '')

export type Likeness = 'exact' | 'missing' | undefined

/** Whether an input without an id and a stored dependent are the same by names and day of birth. */
export function likeness(input: Json, { fields }: Person, noDays: Reading['noDays']): Likeness {
  if (blank(input.firstName) || blank(input.lastName)) return undefined
  if (!sameSpelling(input.firstName, fields['firstName'])) return undefined
  if (!sameSpelling(input.lastName, fields['lastName'])) return undefined
  const [number, known] = [input.employeeNumber, fields['employeeNumber']]
  if (number && known && number !== known) return undefined
  const [day, knownDay] = [dayOf(input.dateOfBirth), dayOf(fields['dateOfBirth'])]
  if (day && knownDay) return day === knownDay ? 'exact' : undefined
  if (!sameSpelling(input.relationship, fields['relationship'])) return undefined
  return noDays === 'exact' && !day && !knownDay ? 'exact' : 'missing'
}

interface Matching {
  primaryId: string
  inputs: Json[]
  mode: Mode
  reading: Reading
  /** Whether a person would be as before after this input. */
  isUnchanged: (person: Person, input: Json) => boolean
}

/** For each dependent of the body the person that it is, whoever that is; nobody where one is to be created. */
export function matchDependents(
  before: State,
  { primaryId, inputs, mode, reading, isUnchanged }: Matching,
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
  if (reading.archivedPick === 'last') archived.reverse()
  const open = () => [...inputs.entries()].filter(([index, one]) => !one.applicantId && !matches[index])

  for (const [index, { applicantId }] of inputs.entries())
    if (applicantId) take(index, before.people.get(applicantId))

  for (const [index, { employeeNumber }] of open()) {
    if (!employeeNumber) continue
    const withNumber = (people: Person[]) =>
      free(people).find(({ fields }) => fields['employeeNumber'] === employeeNumber)
    const holder = mode === 'merge' ? holderOf(before, employeeNumber) : undefined
    const elsewhere = holder && !taken.has(holder.id) ? holder : undefined
    take(
      index,
      withNumber(own) ??
        (reading.elsewhere === 'before-archived' ? elsewhere : undefined) ??
        withNumber(archived) ??
        elsewhere,
    )
  }

  if (reading.unchangedFirst)
    for (const [index, input] of open())
      take(
        index,
        free(own).find(person => likeness(input, person, reading.noDays) && isUnchanged(person, input)),
      )
  const steps = [own, archived].flatMap(people =>
    (['exact', 'missing'] as const).map(
      wanted => (input: Json) =>
        free(people).find(person => likeness(input, person, reading.noDays) === wanted),
    ),
  )
  if (reading.names === 'all')
    for (const step of steps) for (const [index, input] of open()) take(index, step(input))
  else
    for (const [index, input] of open())
      for (const step of steps) if (!matches[index]) take(index, step(input))
  return matches
}
