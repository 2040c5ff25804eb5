// Recognises the items of a list that a client sent without ids: which stored passport, document, tag or previous name
// each of them is. Pure, and used by replace and merge alike.
import { countryKey } from '../lib/countries.ts'
import { foldSpelling } from '../lib/fold.ts'
import { type Item, LISTS, type ListName } from './applicant.ts'

interface Identity {
  name: (item: Partial<Item>) => string
  /** Tells apart items of one name. Where one side leaves it empty, the name decides if only one item has it. */
  qualifier?: (item: Partial<Item>) => string
}

const text = (value: unknown) => String(value ?? '').trim()

const IDENTITIES: Record<ListName, Identity> = {
  metaData: { name: item => text(item['tagName']) },
  passports: {
    name: item => foldSpelling(text(item['passportNumber'])),
    qualifier: item => countryKey(text(item['country'])),
  },
  documents: { name: item => text(item['name']), qualifier: item => text(item['referenceNumber']) },
  previousNames: {
    name: item => ['lastName', 'firstName', 'middleName'].map(field => text(item[field])).join('\0'),
  },
}

interface Matching {
  inputs: Partial<Item>[]
  stored: Item[]
  /** Whether applying the input to the stored item would change nothing. */
  isUnchanged: (stored: Item, input: Partial<Item>) => boolean
}

/** How many items of one name are compared field by field, so that a list of equal names stays cheap. */
const MOST_COMPARED = 50

/**
 * The stored item that each input is, undefined for a new one. Ids decide first; then equal names and qualifiers, items
 * that would stay as they are before others; then names alone. No stored item is taken twice.
 */
export function matchItems(list: ListName, { inputs, stored, isUnchanged }: Matching): (Item | undefined)[] {
  const { id } = LISTS[list]
  const { name, qualifier = () => '' } = IDENTITIES[list]
  const matched: (Item | undefined)[] = inputs.map(() => undefined)
  if (stored.length === 0) return matched
  const taken = new Set<Item>()
  const take = (index: number, item: Item | undefined) => {
    if (!item || taken.has(item)) return
    taken.add(item)
    matched[index] = item
  }

  const byId = new Map(stored.map(item => [item[id], item]))
  for (const [index, input] of inputs.entries()) if (input[id]) take(index, byId.get(input[id]))

  const withoutId = inputs.flatMap((input, index) => (input[id] ? [] : [{ index, input }]))
  if (withoutId.length === 0) return matched
  const byName = Map.groupBy(stored, name)
  const sameName = (input: Partial<Item>) => (byName.get(name(input)) ?? []).filter(item => !taken.has(item))
  const sameIdentity = (input: Partial<Item>) =>
    sameName(input).filter(item => qualifier(item) === qualifier(input))
  const pass = (choose: (input: Partial<Item>) => Item | undefined) => {
    for (const { index, input } of withoutId) if (!matched[index]) take(index, choose(input))
  }
  const unchanged = withoutId.map(({ index, input }) => ({
    index,
    items: sameIdentity(input)
      .slice(0, MOST_COMPARED)
      .filter(item => isUnchanged(item, input)),
  }))
  for (const [item, index] of mostPairs(unchanged)) take(index, item)
  pass(input => sameIdentity(input)[0])
  pass(input => {
    if (!name(input)) return undefined
    const candidates = sameName(input).filter(item => !qualifier(item) || !qualifier(input))
    return candidates.length === 1 ? candidates[0] : undefined
  })
  return matched
}

/**
 * As many pairs of an input and one of its items as there can be (augmenting paths). An input that says little fits many
 * items; it must not take the only one that another input fits, or the same merge sent twice would change something.
 */
function mostPairs(choices: { index: number; items: Item[] }[]): Map<Item, number> {
  const itemsOf = new Map(choices.map(({ index, items }) => [index, items]))
  const takenBy = new Map<Item, number>()
  const assign = (index: number, seen: Set<Item>): boolean =>
    (itemsOf.get(index) ?? []).some(item => {
      if (seen.has(item)) return false
      seen.add(item)
      const other = takenBy.get(item)
      if (other !== undefined && !assign(other, seen)) return false
      takenBy.set(item, index)
      return true
    })
  for (const { index } of choices) assign(index, new Set())
  return takenBy
}
