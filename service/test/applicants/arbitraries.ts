// Generated records and bodies. The pools are small on purpose, so that equal names, equal ids and empty text occur
// together.
import fc from 'fast-check'
import {
  type ApplicantInput,
  LIST_NAMES,
  LISTS,
  type ListName,
  TEXT_FIELDS,
} from '../../src/applicants/applicant.ts'

/** Text that is empty, blank, equal but for case or Unicode form, or outright odd. */
export const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('', 'a', 'b') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ' ',
      'A',
      'a ',
      '\u00c5',
      'A\u030a',
      'stra\u00dfe',
      '\u0130',
      '\u{1f468}\u200d\u{1f467}',
      '\u202ea',
      '__proto__',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
)

const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 5 })

const values: Record<string, fc.Arbitrary<string | number | boolean | null>> = {
  remindAboutRenewal: fc.option(fc.boolean()),
  expiryReminder: fc.oneof(fc.constant(null), fc.nat({ max: 3 }), fc.constantFrom('', '30', '90,30')),
}

interface Ids {
  /** Ids that the items may have; each at most once in a list, as a valid body has them. */
  ids: string[]
}

/** Items of one list, each with any of its fields left out. */
export function items(name: ListName, { ids }: Ids): fc.Arbitrary<NonNullable<ApplicantInput[ListName]>> {
  const { id, fields } = LISTS[name]
  const members = Object.fromEntries(fields.map(field => [field, values[field] ?? orNull(text)]))
  const item = fc.record(
    { ...members, [id]: fc.constantFrom<(string | null)[]>('', null, ...ids, ...ids) },
    { requiredKeys: [] },
  )
  return fc.uniqueArray(item, {
    maxLength: 5,
    comparator: (a, b) => Boolean(a[id]) && a[id] === b[id],
  }) as fc.Arbitrary<NonNullable<ApplicantInput[ListName]>>
}

/** Any part of a record, as in a body; null clears a list or field. */
export function input(ids: string[] = ['id-1', 'id-2', 'id-3']): fc.Arbitrary<ApplicantInput> {
  return fc.record(
    {
      ...Object.fromEntries(TEXT_FIELDS.map(field => [field, orNull(text)])),
      ...Object.fromEntries(LIST_NAMES.map(name => [name, orNull(items(name, { ids }))])),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<ApplicantInput>
}

/** Makes ids that count up. */
export function countingIds(prefix = 'new') {
  let count = 0
  return () => {
    count += 1
    return `${prefix}-${count}`
  }
}
