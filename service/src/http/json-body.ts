// Owns how a JSON body is read: valid UTF-8 only, and no text that the database could not store as it was sent.
import { isUtf8 } from 'node:buffer'
import type { Fault } from '../lib/problem.ts'
import type { App } from './app-types.ts'
import { invalid, invalidRequest } from './problems.ts'

const MAX_DEPTH = 64
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

export function installJsonBody(app: App): void {
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseJson(body as Buffer))
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
    throw invalidRequest(`The body is not valid JSON: ${position(error)}.`)
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
function position(error: unknown): string {
  return /at position \d+(?: \(line \d+ column \d+\))?/.exec(String(error))?.[0] ?? 'it ends too early'
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
    if (value.includes('\0')) faults.push({ pointer, detail: 'Must not hold a NUL character.' })
    else if (!value.isWellFormed()) faults.push({ pointer, detail: 'Holds half of a surrogate pair.' })
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      const path = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
      if (FORBIDDEN_KEYS.has(key))
        faults.push({ pointer: path, detail: `There is no ${key} here. Leave it out.` })
      else walk(member, { pointer: path, depth: depth + 1, faults })
    }
  }
}
