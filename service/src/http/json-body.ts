// Owns how a JSON body is read: valid UTF-8 only, and no text that the database could not store as it was sent.
import { isUtf8 } from 'node:buffer'
import type { Fault } from '../lib/problem.ts'
import type { App } from './app-types.ts'
import { invalid, invalidRequest } from './problems.ts'

const MAX_DEPTH = 64
const MAX_NAME = 256
const MAX_FAULTS = 100
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

export function installJsonBody(app: App): void {
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    // Many clients name a type with every request; an operation that takes no body does not miss one.
    const unwanted = body.length === 0 && !request.routeOptions.schema?.body
    try {
      done(null, unwanted ? undefined : parseJson(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}

export function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw invalidRequest('The body is empty. Send a JSON object.')
  if (!isUtf8(body)) throw invalidRequest('The body is not valid UTF-8.')
  const text = body.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalidRequest(`The body is not valid JSON: the fault is at ${position(text, error as Error)}.`)
  }
  // Only an escape can bring a NUL, half a surrogate pair or a disguised key, so most bodies skip the walk.
  if (
    text.includes('\\u') ||
    text.includes('__proto__') ||
    text.includes('constructor') ||
    text.includes('prototype')
  ) {
    const faults: Fault[] = []
    walk(value, { pointer: '', depth: 0, faults })
    if (faults.length) throw invalid(faults)
  }
  return value
}

/** V8's message quotes the text around the fault, which may be someone's data: only the position is passed on. */
function position(text: string, { message }: Error): string {
  const told = /JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message)?.[1]
  const atEnd = message.startsWith('Unexpected end')
  const index = told ? Number(told) : atEnd ? text.length : missingValue(text)
  const lines = text.slice(0, index).split('\n')
  return `position ${index} (line ${lines.length} column ${(lines.at(-1)?.length ?? 0) + 1})`
}

/** V8 names no position where it finds something else than a value: up to there the text is sound. */
function missingValue(text: string): number {
  const token = /[ \t\n\r]+|"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/y
  let before = ':'
  for (let index = 0; ; index = token.lastIndex) {
    const first = text[index] ?? ''
    const wantsValue = before === ':' || before === ',' || (before === '[' && first !== ']')
    if (!token.test(text) || (wantsValue && ':,]}'.includes(first))) return index
    if (!' \t\n\r'.includes(first)) before = first
  }
}

interface Walk {
  pointer: string
  depth: number
  faults: Fault[]
}

function walk(value: unknown, { pointer, depth, faults }: Walk): void {
  if (depth > MAX_DEPTH) {
    faults.push({ pointer, detail: `Nested deeper than ${MAX_DEPTH} levels.` })
  } else if (typeof value === 'string') {
    const detail = unstorable(value)
    if (detail) faults.push({ pointer, detail })
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (faults.length >= MAX_FAULTS) return
      const path = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
      if (unstorable(key) || key.length > MAX_NAME)
        faults.push({ pointer, detail: 'Holds a name that cannot be stored. Leave it out.' })
      else if (FORBIDDEN_KEYS.has(key))
        faults.push({ pointer: path, detail: `There is no ${key} here. Leave it out.` })
      else walk(member, { pointer: path, depth: depth + 1, faults })
    }
  }
}

function unstorable(text: string): string | undefined {
  if (text.includes('\0')) return 'Must not hold a NUL character.'
  return text.isWellFormed() ? undefined : 'Holds half of a surrogate pair.'
}
