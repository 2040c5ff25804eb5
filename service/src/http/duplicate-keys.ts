// Finds duplicate names in the objects of a JSON text. JSON.parse silently keeps the last one, so a value that the client
// sent would be lost.
import { type FieldError, MAX_ERRORS } from '../lib/problem.ts'

export const MAX_NAME = 256
export const MAX_DEPTH = 64

interface Measure {
  members: number
  /** Length of the shortest text that the value can have been parsed from. */
  length: number
}

/** Every duplicated name in a text, given the value that it was parsed to. */
export function duplicateKeys(text: string, value: unknown): FieldError[] {
  const measure = { members: 0, length: 0 }
  add(measure, value, 0)
  // A duplicate makes the text longer than its value needs, so compact JSON is not scanned again. In other JSON the names
  // are counted first.
  if (text.length === measure.length || countNames(text) === measure.members) return []
  return findDuplicates(text)
}

function add(measure: Measure, value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) measure.length += lengthOf(value)
  else if (depth > MAX_DEPTH) return
  else if (Array.isArray(value)) {
    measure.length += 1 + Math.max(1, value.length)
    for (const item of value) add(measure, item, depth + 1)
  } else {
    let names = 0
    let length = 0
    for (const name in value) {
      names += 1
      const member = (value as Record<string, unknown>)[name]
      length += name.length + 4
      if (typeof member === 'string') length += member.length + 2
      else if (member === null) length += 4
      else add(measure, member, depth + 1)
    }
    measure.length += names ? length + 1 : 2
    measure.members += names
  }
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  // A number of more than three digits can be shorter than it prints: 1e5.
  if (typeof value === 'number') return value >= 100 ? 3 : value >= 10 ? 2 : 1
  return value === false ? 5 : 4
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** How often a colon follows a quote: once for each name, and sometimes within other text. */
function countNames(text: string): number {
  let count = 0
  for (let colon = text.indexOf(':'); colon >= 0; colon = text.indexOf(':', colon + 1)) {
    let before = colon - 1
    while (text.charCodeAt(before) <= 0x20) before -= 1
    if (text.charCodeAt(before) === QUOTE) count += 1
  }
  return count
}

interface Open {
  pointer: string
  /** Each name, and whether it was there twice. Undefined in an array. */
  names: Map<string, boolean> | undefined
  /** The current name, or the index of the current item. */
  name: string
  index: number
}

/** Reads JSON from left to right. Where the text is not valid, so may be the result. */
export function findDuplicates(text: string): FieldError[] {
  const errors = new Map<string, FieldError>()
  const stack: Open[] = []
  let open: Open = { pointer: '', names: undefined, name: '', index: 0 }
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') {
      const quote = at
      at = endOfString(text, at)
      if (at < 0) break
      if (open.names) open.name = nameOf(text.slice(quote, at + 1))
    } else if (char === ':') {
      const twice = open.names?.get(open.name)
      open.names?.set(open.name, twice !== undefined)
      if (twice === false) {
        const pointer = pointerOf(open)
        errors.set(pointer, { pointer, detail: DETAIL })
        if (errors.size === MAX_ERRORS) break
      }
    } else if (char === ',') {
      open.index += 1
    } else if (char === '{' || char === '[') {
      const pointer = stack.length === 0 ? '' : pointerOf(open)
      if (stack.push(open) > MAX_DEPTH) return [{ pointer: '', detail: TOO_DEEP }]
      open = { pointer, names: char === '{' ? new Map() : undefined, name: '', index: 0 }
    } else if (char === '}' || char === ']') {
      open = stack.pop() ?? open
    }
  }
  return [...errors.values()]
}

/** The text of a quoted name, which has an escape only if it has a backslash. */
export function nameOf(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    return JSON.parse(quoted)
  } catch {
    return quoted
  }
}

function pointerOf({ pointer, names, name, index }: Open): string {
  if (!names) return `${pointer}/${index}`
  return name.length > MAX_NAME ? pointer : `${pointer}/${escaped(name)}`
}

const DETAIL = 'The object has this name twice. Send it once.'
export const TOO_DEEP = `Nested deeper than ${MAX_DEPTH} levels.`

/** Where the string that begins at `start` ends; -1 where it does not. */
export function endOfString(text: string, start: number): number {
  const end = text.indexOf('"', start + 1)
  if (end < 0 || text.charCodeAt(end - 1) !== BACKSLASH) return end
  for (let at = text.indexOf('\\', start + 1); at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at += 1
  }
  return -1
}

export const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')
