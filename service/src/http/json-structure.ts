// Bounds the structure of a JSON text before it is parsed. A mebibyte can hold half a million values, or an object with
// 150,000 names: parsing and checking them would block all other requests for seconds.
import { invalid, type Problem } from '../lib/problem.ts'
import {
  endOfString,
  escaped,
  findDuplicates,
  MAX_DEPTH,
  MAX_NAME,
  nameOf,
  TOO_DEEP,
} from './duplicate-keys.ts'
import { payloadTooLarge } from './problems.ts'

/** More than a mebibyte of real records has. */
const MAX_VALUES = 100_000
/** No object of the API has a tenth of them. */
const MAX_MEMBERS = 1_000
/** A shorter text cannot exceed a limit that costs time. */
const MIN_LENGTH = 4_096

const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a]
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d]

interface Open {
  /** Where the name of the current member begins; undefined in an array. */
  name: number | undefined
  /** Members or items before the current one. */
  before: number
}

/** Reads the text from left to right, valid or not; returns the error of the first limit that it exceeds. */
export function structureErrorOf(text: string): Problem | undefined {
  if (text.length < MIN_LENGTH) return undefined
  const stack: Open[] = []
  let open: Open | undefined
  let quote = 0
  let values = 1
  /** The pointer of the first object with too many members. */
  let crowded: string | undefined
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      quote = at
      at = endOfString(text, at)
      // JSON.parse reports it.
      if (at < 0) return undefined
    } else if (code === COLON) {
      if (open && open.name !== undefined) open.name = quote
    } else if (code === COMMA) {
      values += 1
      if (!open) continue
      open.before += 1
      if (open.name !== undefined && open.before === MAX_MEMBERS) crowded ??= pointerOf(text, stack)
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      values += 1
      if (stack.length === MAX_DEPTH) return invalid([{ pointer: '', detail: TOO_DEEP }])
      open = { name: code === OPEN_OBJECT ? at : undefined, before: 0 }
      stack.push(open)
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      stack.pop()
      open = stack.at(-1)
    }
    if (values > MAX_VALUES)
      return payloadTooLarge(`The body has more than ${MAX_VALUES} values. Send less in one request.`)
  }
  return crowded === undefined ? undefined : tooManyMembers(text, crowded)
}

/** Where names are there twice, that is the error to fix first. */
function tooManyMembers(text: string, pointer: string): Problem {
  const duplicates = findDuplicates(text)
  const detail = `Has more than ${MAX_MEMBERS} members. Leave out those that do not exist.`
  return invalid(duplicates.length > 0 ? duplicates : [{ pointer, detail }])
}

/** The pointer of the last object of the stack. */
function pointerOf(text: string, stack: Open[]): string {
  return stack
    .slice(0, -1)
    .map(({ name, before }) => `/${name === undefined ? before : nameAt(text, name)}`)
    .join('')
}

function nameAt(text: string, at: number): string {
  const name = nameOf(text.slice(at, endOfString(text, at) + 1))
  return escaped(name.length > MAX_NAME ? '…' : name)
}
