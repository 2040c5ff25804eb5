// Matches the items of a request (passports, documents, tags, previous names) with stored ones. Pure; used by replace and
// merge.
import { countryKey } from '../lib/countries.ts'
import { foldSpelling } from '../lib/fold.ts'
import { type Item, LISTS, type ListName } from './applicant.ts'

interface Identity {
  name: (item: Partial<Item>) => string
  /** Distinguishes items of one name. Where it is empty on one side, the name decides if only one item has it. */
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
  /** Equal texts for a stored item and an input that leaves it unchanged; undefined where the input omits a field. */
  contentOf: (item: Partial<Item>) => string | undefined
}

/** Inputs without `contentOf` are compared with stored items one by one; this bounds the comparisons per list. */
const MAX_COMPARISONS = 2_000

/**
 * The stored item that each input matches; undefined for a new one. Ids decide first; then equal names and qualifiers,
 * with unchanged items before others; then names alone. No stored item is matched twice.
 */
export function matchItems(
  list: ListName,
  { inputs, stored, isUnchanged, contentOf }: Matching,
): (Item | undefined)[] {
  const { id } = LISTS[list]
  const { name, qualifier = () => '' } = IDENTITIES[list]
  const matched: (Item | undefined)[] = inputs.map(() => undefined)
  if (stored.length === 0) return matched
  const identity = (item: Partial<Item>) => `${name(item)}\0${qualifier(item)}`
  const free = createFreeItems(stored, { name, identity })
  const take = (index: number, item: Item | undefined) => {
    if (item && free.take(item)) matched[index] = item
  }

  const byId = new Map(stored.map(item => [item[id], item]))
  for (const [index, input] of inputs.entries()) if (input[id]) take(index, byId.get(input[id]))

  const open = () => inputs.flatMap((input, index) => (input[id] || matched[index] ? [] : [{ index, input }]))
  const unnamed = open()
  if (unnamed.length === 0) return matched
  const byContent = Map.groupBy(free.all(), item => `${identity(item)}\0${contentOf(item)}`)
  for (const { index, input } of unnamed) {
    const content = contentOf(input)
    const equal = content === undefined ? undefined : byContent.get(`${identity(input)}\0${content}`)?.shift()
    if (equal && isUnchanged(equal, input)) take(index, equal)
  }
  let compared = 0
  const unchanged = open()
    .filter(({ input }) => contentOf(input) === undefined)
    .map(({ index, input }) => ({
      index,
      items: [...free.ofIdentity(identity(input))].filter(
        item => compared++ < MAX_COMPARISONS && isUnchanged(item, input),
      ),
    }))
  for (const [item, index] of maximumMatching(unchanged)) take(index, item)
  for (const { index, input } of open()) take(index, first(free.ofIdentity(identity(input))))
  for (const { index, input } of open()) {
    if (!name(input)) continue
    const candidates = qualifier(input) ? free.ofIdentity(`${name(input)}\0`) : free.ofName(name(input))
    if (candidates.size === 1) take(index, first(candidates))
  }
  return matched
}

const first = (items: Set<Item>): Item | undefined => items.values().next().value

interface Keys {
  name: (item: Item) => string
  identity: (item: Item) => string
}

/** The stored items that no input has matched yet, in their order. */
function createFreeItems(stored: Item[], { name, identity }: Keys) {
  const all = new Set(stored)
  const sets = (keyOf: (item: Item) => string) =>
    new Map([...Map.groupBy(stored, keyOf)].map(([key, items]) => [key, new Set(items)]))
  const byName = sets(name)
  const byIdentity = sets(identity)
  const none = new Set<Item>()
  return {
    all: () => [...all],
    ofName: (key: string) => byName.get(key) ?? none,
    ofIdentity: (key: string) => byIdentity.get(key) ?? none,
    /** False if the item is already taken. */
    take(item: Item): boolean {
      byName.get(name(item))?.delete(item)
      byIdentity.get(identity(item))?.delete(item)
      return all.delete(item)
    },
  }
}

/**
 * Maximum bipartite matching of inputs and items (augmenting paths). An input with few fields matches many items. It must
 * not take the only item that another input matches, or the same merge sent twice would change something.
 */
function maximumMatching(choices: { index: number; items: Item[] }[]): Map<Item, number> {
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
