// Where the promise leaves open which of several stored records or items a body means, the model accepts each of these
// readings. A run prints how often a response agreed with another reading than the first.

export interface Reading {
  /** Items that leave a stored item as it is come first: as many as possible, or in their order; or each in its turn. */
  equalFirst: 'most' | 'all' | 'each'
  /** Whether such an item may also lack the country or reference of the stored one. */
  equalLoose: boolean
  /** An absent country or reference matches where one item of the body could mean it, or the first that could. */
  loose: 'sole' | 'first'
  /** Whether such a candidate must be the only one with its number or name, or the only one that could be meant. */
  candidates: 'compatible' | 'all'
  /** Whether an absent reference also matches a removed document, and before a loose match of a current one. */
  removed: 'exact' | 'loose'
  removedBeforeLoose: boolean
  removedPick: 'last' | 'first'
  /** A merge that brings a document back: with what it held, or with what the body holds alone. */
  restored: 'merged' | 'whole'
  /** Whether empty text equals null where items are compared as a whole. */
  emptyEqual: boolean
  /** Dependents: exact days of birth for all, then missing ones; or both for each in its turn. */
  names: 'all' | 'each'
  /** Of several live dependents that would do, the one that the body does not change comes first, or the first of all. */
  unchangedFirst: boolean
  /** Two dependents without a day of birth count as the same day, or as a missing one. */
  noDays: 'missing' | 'exact'
  /** Of several archived dependents that would do. */
  archivedPick: 'first' | 'last'
  /** A merge by number: an own archived dependent, or a live one of another primary applicant. */
  elsewhere: 'after-archived' | 'before-archived'
}

const CHOICES: { [Name in keyof Reading]: [Reading[Name], ...Reading[Name][]] } = {
  equalFirst: ['most', 'all', 'each'],
  equalLoose: [true, false],
  loose: ['first', 'sole'],
  candidates: ['compatible', 'all'],
  removed: ['loose', 'exact'],
  removedBeforeLoose: [false, true],
  removedPick: ['last', 'first'],
  restored: ['merged', 'whole'],
  emptyEqual: [false, true],
  names: ['all', 'each'],
  unchangedFirst: [false, true],
  noDays: ['missing', 'exact'],
  archivedPick: ['first', 'last'],
  elsewhere: ['before-archived', 'after-archived'],
}

export const FIRST_READING = Object.fromEntries(
  Object.entries(CHOICES).map(([name, [first]]) => [name, first]),
) as unknown as Reading

const DEVIATIONS: [string, unknown][] = Object.entries(CHOICES).flatMap(([name, [, ...others]]) =>
  others.map((value): [string, unknown] => [name, value]),
)

/** The first reading, then those that differ from it in one choice, then in two. */
export function* readings(): Generator<Reading> {
  yield FIRST_READING
  for (const [name, value] of DEVIATIONS) yield { ...FIRST_READING, [name]: value }
  for (const [name, value] of DEVIATIONS)
    for (const [other, another] of DEVIATIONS)
      if (name < other) yield { ...FIRST_READING, [name]: value, [other]: another }
}

/** Where a reading is not the first one. */
export const deviationsOf = (reading: Reading): string[] =>
  Object.entries(reading)
    .filter(([name, value]) => value !== FIRST_READING[name as keyof Reading])
    .map(([name, value]) => `${name}: ${value}`)
