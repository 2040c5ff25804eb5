// The pointers of an import in words: `/dependents/0/passports/…/expiryDate` is "Dependent 1 · Passports · Expires".
import type { Texts } from '../../app/i18n.tsx'

type Words = Pick<Texts, 't' | 'tx'>

const LISTS = ['metaData', 'passports', 'documents', 'previousNames']
const isIndex = (part: string) => /^\d{1,6}$/.test(part)

function nameOf(field: string, { tx }: Pick<Words, 'tx'>): string {
  const words = field.replace(/([a-z])([A-Z])/g, (_whole, end, start) => `${end} ${start.toLowerCase()}`)
  return tx(`field.${field}`, words.charAt(0).toUpperCase() + words.slice(1))
}

const partsOf = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))

export function pointerText(pointer: string, texts: Words): string {
  const [first, ...rest] = partsOf(pointer)
  if (first === undefined) return ''
  if (first === 'primaryApplicant') return recordText(rest, texts)
  if (first !== 'dependents' || rest[0] === undefined) return recordText([first, ...rest], texts)
  const [dependent, ...field] = rest
  if (!isIndex(dependent)) return texts.t('imports.dependentArchived')
  const number = Number(dependent) + 1
  if (field.length === 0) return texts.t('imports.dependentAdded', { number })
  return `${texts.t('imports.dependent', { number })} · ${recordText(field, texts)}`
}

function recordText([field, item, ...rest]: string[], texts: Words): string {
  if (field === undefined) return texts.t('imports.newPerson')
  const list = nameOf(field, texts)
  if (!LISTS.includes(field)) return [list, item, ...rest].filter(Boolean).join(' · ')
  if (item === undefined) return texts.t('imports.reordered', { list })
  if (item === '-') return texts.t('imports.itemAdded', { list })
  const name = isIndex(item) ? `${list} ${Number(item) + 1}` : list
  if (rest[0] === undefined) return isIndex(item) ? name : texts.t('imports.itemRemoved', { list })
  return `${name} · ${nameOf(rest[0], texts)}`
}

type Item = Record<string, unknown>

/** A record of the file with its dependents. */
interface Sent {
  primaryApplicant?: object
  dependents?: object[]
}
/** The stored record of a primary applicant, with its dependents where a pointer is about one. */
type Stored = object & { dependents?: object[] }

/** What is stored at a pointer; undefined where the record does not tell. */
export function storedAt(record: Stored, pointer: string, content?: Sent): string | null | undefined {
  const [first, ...rest] = partsOf(pointer)
  if (first === 'primaryApplicant') return storedField(record, rest)
  const dependent = first === 'dependents' ? storedDependent(record, rest, content) : undefined
  return dependent && storedField(dependent, rest.slice(1))
}

/** A pointer has the position of a dependent in the file, which may have no ids. Undefined where it is not certain who it is. */
function storedDependent(
  { dependents = [] }: Stored,
  [index, _field, item]: string[],
  content: Sent | undefined,
): Item | undefined {
  const stored = dependents as Item[]
  const sent =
    index && isIndex(index) ? (content?.dependents?.[Number(index)] as Item | undefined) : undefined
  const nameOf = ({ firstName, lastName }: Item) => `${firstName} ${lastName}`.trim().toLowerCase()
  const tests: ((one: Item) => boolean)[] = [
    one => LISTS.some(list => (one[list] as Item[] | undefined)?.some(part => idOf(part) === item)),
    one => isSame(one['applicantId'], sent?.['applicantId']),
    one => isSame(one['employeeNumber'], sent?.['employeeNumber']),
    one => sent !== undefined && nameOf(one) === nameOf(sent),
  ]
  for (const test of tests) {
    const found = stored.filter(test)
    if (found.length > 0) return found.length === 1 ? found[0] : undefined
  }
  return undefined
}

const isSame = (a: unknown, b: unknown) => a !== undefined && a !== null && a === b

function storedField(record: object, [field, item, of]: string[]): string | null | undefined {
  if (field === undefined) return undefined
  const value = (record as Item)[field]
  if (!LISTS.includes(field)) return plain(value)
  if (item === undefined || item === '-' || !Array.isArray(value)) return undefined
  const found: Record<string, unknown> | undefined = value.find(one =>
    Object.entries(one).some(([name, id]) => name.endsWith('Id') && id === item),
  )
  if (!found) return undefined
  if (of !== undefined) return plain(found[of])
  return Object.entries(found)
    .filter(([name, part]) => !name.endsWith('Id') && typeof part === 'string')
    .map(([, part]) => part)
    .join(', ')
}

const idOf = (item: Item) => Object.entries(item).find(([name]) => name.endsWith('Id'))?.[1]
/** What tells items of a list apart where the file has no ids. */
const keyOf = ({ passportNumber, tagName, name }: Item) => passportNumber ?? tagName ?? name

/** What the file says at a pointer; null where it clears the field, undefined where it does not tell. */
export function sentAt(
  content: Sent,
  pointer: string,
  stored: Stored | undefined,
): string | null | undefined {
  const [first, ...rest] = partsOf(pointer)
  if (first === 'primaryApplicant') return sentField(content.primaryApplicant, rest, stored)
  const [index, ...field] = rest
  if (first !== 'dependents' || index === undefined || !isIndex(index)) return undefined
  return sentField(
    content.dependents?.[Number(index)],
    field,
    stored && storedDependent(stored, rest, content),
  )
}

function sentField(
  sent: object | undefined,
  [field, item, of]: string[],
  stored: object | undefined,
): string | null | undefined {
  if (!sent || field === undefined) return undefined
  const value = (sent as Item)[field] ?? null
  if (!LISTS.includes(field)) return plain(value)
  if (item === undefined || of === undefined || !Array.isArray(value)) return undefined
  const before = (stored as Record<string, Item[]> | undefined)?.[field]?.find(one => idOf(one) === item)
  const after =
    (value as Item[]).find(one => idOf(one) === item) ??
    (before && (value as Item[]).find(one => keyOf(one) !== undefined && keyOf(one) === keyOf(before)))
  return after && plain(after[of] ?? null)
}

const plain = (value: unknown): string | null | undefined =>
  value === null || value === ''
    ? null
    : typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : undefined

/** The first of them, and how many there are further. */
export function listed(names: string[], most: number, { t, number }: Pick<Texts, 't' | 'number'>): string {
  const shown = [...new Set(names)]
  const fields = shown.slice(0, most).join(', ')
  return shown.length <= most ? fields : t('imports.more', { fields, count: number(shown.length - most) })
}
