// Lists the fields in which two states of a record differ. Pure: no database, no clock.

export interface Change {
  /** JSON pointer to the field. An item of a list is named by its id, not by its position. */
  pointer: string
  /** Null where there was nothing. */
  before: unknown
  /** Null where nothing is left. */
  after: unknown
}

type State = Record<string, unknown>

/**
 * What a reader who is limited to these companies gets: no ids of other companies, and of a checklist no ids of documents,
 * which may belong to another company of the case.
 */
export function changesForReader(changes: Change[], companies: readonly string[]): Change[] {
  const ownOnly = (value: unknown) =>
    Array.isArray(value) ? value.filter(companyId => companies.includes(companyId)) : value
  return changes.flatMap(({ pointer, before, after }) => {
    if (pointer === '/companies') return [{ pointer, before: ownOnly(before), after: ownOnly(after) }]
    if (!pointer.startsWith('/checklist/')) return [{ pointer, before, after }]
    if (pointer.split('/')[3] === 'documentId') return []
    return [{ pointer, before: withoutDocument(before), after: withoutDocument(after) }]
  })
}

function withoutDocument(item: unknown): unknown {
  if (!isObject(item)) return item
  const { documentId, ...rest } = item
  return rest
}

/** Undefined for the state before a creation, or after a deletion. Empty text and empty lists count as nothing. */
export function changesBetween(before: State | undefined, after: State | undefined): Change[] {
  return changesOfFields(before ?? {}, after ?? {}, '')
}

function changesOfFields(before: State, after: State, pointer: string): Change[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap(name =>
    before[name] === after[name] ? [] : changesOf(before[name], after[name], `${pointer}/${escaped(name)}`),
  )
}

function changesOf(before: unknown, after: unknown, pointer: string): Change[] {
  if (before === after || (isEmpty(before) && isEmpty(after))) return []
  if (isObject(before) && isObject(after)) return changesOfFields(before, after, pointer)
  if (isItems(before) && isItems(after)) {
    const id = idOf([...(before ?? []), ...(after ?? [])])
    const [was, is] = [itemsById(before, id), itemsById(after, id)]
    if (was && is) return changesOfItems(was, is, pointer)
  }
  if (!isEmpty(before) && !isEmpty(after) && JSON.stringify(before) === JSON.stringify(after)) return []
  return [{ pointer, before: before ?? null, after: after ?? null }]
}

type Items = Map<string, State>

/** Undefined where the items have no ids, or two have the same. */
function itemsById(list: unknown[] | null | undefined, id: string | undefined): Items | undefined {
  if (!id) return undefined
  const items = (list ?? []) as State[]
  const byId = new Map(items.map(item => [String(item[id]), item]))
  return byId.size === items.length ? byId : undefined
}

/** Items with the same id are compared; others were added or removed. The order counts too. */
function changesOfItems(before: Items, after: Items, pointer: string): Change[] {
  const ids = new Set([...before.keys(), ...after.keys()])
  const changes = [...ids].flatMap(key =>
    changesOf(before.get(key), after.get(key), `${pointer}/${escaped(key)}`),
  )
  const wasOrder = [...before.keys()].filter(key => after.has(key))
  const isOrder = [...after.keys()].filter(key => before.has(key))
  const isMoved = wasOrder.some((key, index) => key !== isOrder[index])
  return isMoved ? [...changes, { pointer, before: wasOrder, after: isOrder }] : changes
}

/** The field that identifies the items of a list, such as `passportId`. Undefined where an item has none. */
function idOf(items: unknown[]): string | undefined {
  const [first] = items
  const id = isObject(first) ? Object.keys(first).find(name => name.endsWith('Id')) : undefined
  return id && items.every(item => isObject(item) && typeof item[id] === 'string') ? id : undefined
}

const isObject = (value: unknown): value is State =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

const isItems = (value: unknown): value is unknown[] | null | undefined =>
  value === null || value === undefined || Array.isArray(value)

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')
