// Parses JSON bodies: uncompressed, in UTF-8, without duplicate names, and without text that PostgreSQL cannot store.
import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import { type FieldError, invalid, invalidRequest, MAX_ERRORS } from '../lib/problem.ts'
import type { App, Operation } from './app-types.ts'
import { duplicateKeys, escaped, MAX_DEPTH, MAX_NAME, TOO_DEEP } from './duplicate-keys.ts'
import { structureErrorOf } from './json-structure.ts'
import { unsupportedMediaType } from './problems.ts'

const NEWLINE = 0x0a
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

export function installJsonBody(app: App): void {
  app.addHook('onRoute', route => {
    if (route.gzip) route.config = { ...route.config, gzip: true }
  })
  // After authorization, and before any of the body is read.
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    if (request.method === 'GET' || request.method === 'HEAD') return done()
    const { gzip = false } = request.routeOptions.config
    const detail = encodingErrorOf(request.headers, { gzip })
    done(detail ? unsupportedMediaType(detail) : null)
  })
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    // Many clients send a Content-Type with every request, also to an operation without a body.
    const ignored = body.length === 0 && !request.routeOptions.schema?.body
    try {
      done(null, ignored ? undefined : parseJson(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  app.addHook('preValidation', (request, _reply, done) => {
    const { optionalBody } = (request.routeOptions.schema ?? {}) as Partial<Operation>
    if (optionalBody && request.body === undefined) request.body = {}
    done()
  })
}

/** The error of headers that announce a body which is compressed or not in UTF-8. */
function encodingErrorOf(
  { 'content-encoding': encoding, 'content-type': type = '' }: IncomingHttpHeaders,
  { gzip }: { gzip: boolean },
): string | undefined {
  const accepted = gzip ? /^\s*(identity|gzip)\s*$/i : /^\s*identity\s*$/i
  if (encoding && !accepted.test(encoding))
    return gzip
      ? 'The body may be compressed with gzip, and with nothing else.'
      : 'The body must not be compressed. Send it as it is, without Content-Encoding.'
  if (!/charset/i.test(type)) return undefined
  const charset = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(type)
  if (!charset || /^utf-?8$/i.test(charset[1] ?? charset[2] ?? '')) return undefined
  return 'The body must be in UTF-8. Leave charset out of Content-Type, or set it to utf-8.'
}

export function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw invalidRequest('The body is not valid UTF-8.')
  return parseJsonText(withoutByteOrderMark(body).toString('utf8'))
}

export function parseJsonText(text: string): unknown {
  if (text.length === 0) throw invalidRequest('The body is empty. Send a JSON object.')
  const tooLarge = structureErrorOf(text)
  if (tooLarge) throw tooLarge
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalidRequest(`The body is not valid JSON: the error is at ${position(text, error as Error)}.`)
  }
  // Only an escape can produce a NUL, half a surrogate pair or a disguised key, so most bodies skip the walk.
  if (text.includes('\\u') || text.includes('proto') || text.includes('constructor')) {
    const errors: FieldError[] = []
    walk(value, { path: [], errors })
    if (errors.length) throw invalid(errors)
  }
  const duplicates = duplicateKeys(text, value)
  if (duplicates.length) throw invalid(duplicates)
  return value
}

const withoutByteOrderMark = (body: Buffer) =>
  body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body

/** V8's message quotes the text around the error, which may be personal data: only the position is passed on. */
function position(text: string, { message }: Error): string {
  const given = /JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message)?.[1]
  const atEnd = message.startsWith('Unexpected end')
  const index = given ? Number(given) : atEnd ? text.length : missingValue(text)
  let line = 1
  let lineStart = 0
  for (let at = 0; at < index; at++) {
    if (text.charCodeAt(at) !== NEWLINE) continue
    line += 1
    lineStart = at + 1
  }
  return `position ${index} (line ${line} column ${index - lineStart + 1})`
}

/** Finds the first position that holds no JSON token; V8 reports none there. */
function missingValue(text: string): number {
  const token = /[ \t\n\r]+|"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/y
  let before = ':'
  for (let index = 0; ; index = token.lastIndex) {
    const first = text[index] ?? ''
    const wantsValue = before === ':' || before === ',' || (before === '[' && first !== ']')
    if (!token.test(text) || (wantsValue && ':,]}'.includes(first))) return index
    if (!' \t\n\r'.includes(first)) before = first
  }
}

interface Walk {
  /** Names and indexes that lead to the value. */
  path: (string | number)[]
  errors: FieldError[]
}

function walk(value: unknown, walking: Walk): void {
  const { path, errors } = walking
  if (path.length > MAX_DEPTH) {
    errors.push({ pointer: pointerOf(path), detail: TOO_DEEP })
  } else if (typeof value === 'string') {
    const detail = textErrorOf(value)
    if (detail) errors.push({ pointer: pointerOf(path), detail })
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length && errors.length < MAX_ERRORS; index++)
      step(index, value[index], walking)
  } else if (typeof value === 'object' && value !== null) {
    for (const name of Object.keys(value)) {
      if (errors.length >= MAX_ERRORS) return
      if (textErrorOf(name) || name.length > MAX_NAME)
        errors.push({
          pointer: pointerOf(path),
          detail: 'Contains a name that cannot be stored. Leave it out.',
        })
      else if (FORBIDDEN_KEYS.has(name))
        errors.push({
          pointer: pointerOf([...path, name]),
          detail: `There is no ${name} here. Leave it out.`,
        })
      else step(name, (value as Record<string, unknown>)[name], walking)
    }
  }
}

/** One path serves the whole walk: a pointer is made only for an error. */
function step(name: string | number, value: unknown, walking: Walk): void {
  walking.path.push(name)
  walk(value, walking)
  walking.path.pop()
}

const pointerOf = (path: (string | number)[]) => path.map(name => `/${escaped(String(name))}`).join('')

function textErrorOf(text: string): string | undefined {
  if (text.includes('\0')) return 'Must not contain a NUL character.'
  return text.isWellFormed() ? undefined : 'Contains half of a surrogate pair.'
}
