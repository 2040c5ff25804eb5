// Matches list items of a body with stored items: by id, otherwise by content.
import { countryKey } from '../../src/lib/countries.ts'
import { foldSpelling } from '../../src/lib/fold.ts'
import {
  assign,
  type Content,
  type Item,
  type Json,
  ruleOf,
  type State,
  storedMember,
} from './model-state.ts'

export type Mode = 'replace' | 'merge'

const trimmed = (value: Json): string => String(value ?? '').trim()

/** Items match if both parts are equal. If `weak` is empty on one side, an equal `strong` can be enough. */
interface ItemKey {
  strong: string
  weak: string
}

export function keyOf(list: string, item: Json): ItemKey {
  if (list === 'metaData') return { strong: trimmed(item.tagName), weak: '' }
  if (list === 'passports')
    return { strong: foldSpelling(item.passportNumber ?? ''), weak: countryKey(item.country ?? '') }
  if (list === 'documents') return { strong: trimmed(item.name), weak: trimmed(item.referenceNumber) }
  const names = [item.lastName, item.firstName, item.middleName].map(trimmed)
  return { strong: JSON.stringify(names), weak: '' }
}

const isExact = (a: ItemKey, b: ItemKey) => a.strong === b.strong && a.weak === b.weak
const isLoose = (a: ItemKey, b: ItemKey) => a.strong !== '' && a.strong === b.strong && !a.weak !== !b.weak

/** Applies an item of a body to the stored item. Only a replace clears fields that the body leaves out. */
export function applied(list: string, mode: Mode, { known, item }: { known: Item; item: Json }): Item {
  const next: Item = { ...known }
  for (const member of ruleOf(list).members)
    if (mode === 'replace' || member in item) next[member] = storedMember(member, item[member], known[member])
  return next
}

function wholeItem(state: State, list: string, item: Json): Item {
  const { id, members } = ruleOf(list)
  const whole: Item = { [id]: item[id] || assign(state) }
  for (const member of members) whole[member] = storedMember(member, item[member])
  return whole
}

interface Matching {
  list: string
  mode: Mode
  items: Json[]
  current: Item[]
  removed: Item[]
}

/** Maximum bipartite matching of body indexes and the stored items that each of them may match. */
function mostPairs(choices: [number, Item[]][]): Map<number, Item> {
  const pairs = new Map<number, Item>()
  const find = (index: number, tried: Set<Item>): boolean =>
    (choices.find(([one]) => one === index)?.[1] ?? []).some(item => {
      if (tried.has(item)) return false
      tried.add(item)
      const rival = [...pairs].find(([, taken]) => taken === item)
      if (rival && !find(rival[0], tried)) return false
      pairs.set(index, item)
      return true
    })
  for (const [index] of choices) find(index, new Set())
  return pairs
}

/** Returns for each item of the body the matching current or removed item, if any. */
export function matchItems({ list, mode, items, current, removed }: Matching): (Item | undefined)[] {
  const { id } = ruleOf(list)
  const matches: (Item | undefined)[] = items.map(() => undefined)
  const taken = new Set<Item>()
  const take = (index: number, found: Item | undefined) => {
    if (!found) return
    matches[index] = found
    taken.add(found)
  }
  for (const [index, item] of items.entries())
    if (item[id])
      take(
        index,
        [...current, ...removed].find(one => one[id] === item[id]),
      )

  const open = () => [...items.entries()].filter(([index, item]) => !item[id] && !matches[index])
  const text = (item: Item) => JSON.stringify(item)
  const exact = (from: Item[], item: Json) =>
    from.filter(one => !taken.has(one) && isExact(keyOf(list, one), keyOf(list, item)))
  const equals = (from: Item[], item: Json) =>
    exact(from, item).filter(known => text(applied(list, mode, { known, item })) === text(known))

  const takeExact = (from: Item[]) => {
    const isComplete = (item: Json) =>
      mode === 'replace' || ruleOf(list).members.every(member => item[member] !== undefined)
    for (const [index, item] of open()) if (isComplete(item)) take(index, equals(from, item)[0])
    for (const [index, found] of mostPairs(open().map(([index, item]) => [index, equals(from, item)])))
      take(index, found)
    for (const [index, item] of open()) take(index, exact(from, item)[0])
  }
  const takeLoose = (from: Item[]) => {
    for (const [index, item] of open()) {
      const key = keyOf(list, item)
      const free = from.filter(one => !taken.has(one) && isLoose(keyOf(list, one), key))
      if (free.length === 1) take(index, free[0])
    }
  }
  takeExact(current)
  takeLoose(current)
  takeExact(removed)
  takeLoose(removed)
  return matches
}

interface Writing {
  list: string
  mode: Mode
  body: Json
  known: Content | undefined
}

/** Returns a list after a write. For documents it also returns the removed ones. */
export function writtenList(state: State, { list, mode, body, known }: Writing) {
  const current = known?.lists[list] ?? []
  const removed = list === 'documents' ? (known?.removed ?? []) : []
  if (mode === 'merge' && body[list] === undefined) return { items: current, removed }
  if (mode === 'merge' && body[list] === null) return { items: [], removed: [...current, ...removed] }
  const items: Json[] = body[list] ?? []
  const matches = matchItems({ list, mode, items, current, removed })
  const isTaken = (one: Item) => matches.includes(one)
  const write = (one: Item, as: Mode) => {
    const item = items[matches.indexOf(one)]
    return item ? applied(list, as, { known: one, item }) : one
  }
  const writeItem = (item: Json, index: number) => {
    const found = matches[index]
    if (!found) return wholeItem(state, list, item)
    // A removed document matched by id keeps its stored fields. One matched by content gets the fields of the body only.
    return write(found, current.includes(found) || item[ruleOf(list).id] ? mode : 'replace')
  }
  const left = removed.filter(one => !isTaken(one))
  if (mode === 'merge') {
    const added = items.flatMap((item, index) =>
      current.includes(matches[index] as Item) ? [] : [writeItem(item, index)],
    )
    return { items: [...current.map(one => write(one, mode)), ...added], removed: left }
  }
  const next = items.map(writeItem)
  const isSame = (one: Item) => next.some(other => JSON.stringify(other) === JSON.stringify(one))
  // The same items in another order are no change. Otherwise the order of the body applies.
  const isSameSet = next.length === current.length && current.every(one => isTaken(one) && isSame(one))
  return {
    items: isSameSet ? current : next,
    removed: [...current.filter(one => !isTaken(one)), ...left],
  }
}
