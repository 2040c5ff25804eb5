// The two operations that change an employee number.
import { foldName } from '../../src/lib/fold.ts'
import { BAD, NO_APPLICANT, NOT_THE_PERSON } from './model-errors.ts'
import { findPrimary, holderOf, type Person, type State, type Text } from './model-state.ts'
import { type Draft, dependentAt, draft, rejected, save, type Verdict, verdict } from './model-verdict.ts'

export interface Claim {
  firstName: string
  lastName?: string
  dateOfBirth: string
}

const sameName = (a: Text | undefined, b: string) => foldName(a ?? '') === foldName(b)

const isPerson = ({ fields }: Person, { firstName, lastName, dateOfBirth }: Claim) =>
  sameName(fields['firstName'], firstName) &&
  (lastName === undefined || sameName(fields['lastName'], lastName)) &&
  fields['dateOfBirth']?.slice(0, 10) === dateOfBirth.slice(0, 10)

function renumbered(d: Draft, person: Person, to: string): Verdict {
  const from = person.fields['employeeNumber'] ?? null
  save(d.next, { ...person, fields: { ...person.fields, employeeNumber: to } })
  if (from) d.next.retired.add(from)
  const documents = person.lists['documents']?.length ?? 0
  return verdict(d, { status: 200, change: { id: person.id, from, to, documents } }, [])
}

export function changeNumber(
  before: State,
  { from, to, claim }: { from: string; to: string; claim: Claim },
): Verdict {
  const d = draft(before)
  if (from === to) d.must.add(BAD)
  const current = findPrimary(before, { number: from })
  if (!current) d.must.add(NO_APPLICANT)
  else if (!isPerson(current, claim)) d.must.add(NOT_THE_PERSON)
  return current && from !== to ? renumbered(d, current, to) : rejected(d)
}

interface DependentChange {
  number: string
  dependent: string
  to: string | undefined
  claim: Claim
}

export function changeDependentNumber(
  before: State,
  { number, dependent, to, claim }: DependentChange,
): Verdict {
  const d = draft(before)
  const current = dependentAt(d, number, dependent)
  if (!current) return rejected(d)
  if (!isPerson(current, claim)) d.must.add(NOT_THE_PERSON)
  if (to !== undefined && to === current.fields['employeeNumber']) d.must.add(BAD)
  if (d.must.has(BAD)) return rejected(d)
  let next = 1
  const free = () => !holderOf(before, `${number}-D${next}`) && !before.retired.has(`${number}-D${next}`)
  while (to === undefined && !free()) next += 1
  return renumbered(d, current, to ?? `${number}-D${next}`)
}
