import { codeBlock, h, inline } from './docs-dom.js'
import { prettyJson } from './docs-json.js'

const REASONS = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  304: 'Not Modified',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

/** Above this many characters a body is cut on the page; the download has all of it. */
const SHOWN = 200_000

/**
 * What came back from a call.
 * @param {{ response: Response, blob: Blob, text?: string, milliseconds: number, next?: HTMLElement }} answer
 */
export function answerView({ response, blob, text, milliseconds, next }) {
  const json = text === undefined || !isJson(response) ? undefined : parse(text)
  const problem = problemOf(response, json)
  return [
    h(
      'p',
      { class: 'answer-line' },
      statusBadge(response.status, response.statusText),
      h('span', null, `${milliseconds} ms`),
      h('span', null, size(blob.size)),
    ),
    next,
    problem && problemCard(problem),
    bodyView(response, blob, text, json),
    headersView(response),
  ].filter(Boolean)
}

export function statusBadge(status, reason = '') {
  const words = [status, reason || REASONS[status]].filter(Boolean).join(' ')
  return h('span', { class: `status s${String(status)[0]}` }, words)
}

const contentType = response => response.headers.get('content-type') ?? ''
const isJson = response => contentType(response).includes('json')

/** Whether a body is worth showing as text. */
export const isText = response =>
  /json|^text\/|xml|x-www-form-urlencoded|javascript/.test(contentType(response))

/** The problem a body tells of: a problem document, or the error of a token endpoint (RFC 6749, 5.2). */
function problemOf(response, json) {
  if (response.ok || typeof json !== 'object' || json === null) return undefined
  if (contentType(response).includes('problem+json')) return json
  return typeof json.error === 'string' ? { title: json.error, detail: json.error_description } : undefined
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A problem document, said in the order a person needs it: what, why, where, and what to do about it. */
function problemCard(problem) {
  const code =
    typeof problem.code === 'string' ? problem.code : String(problem.type ?? '').match(/#error-(.+)$/)?.[1]
  const errors = Array.isArray(problem.errors) ? problem.errors : []
  return h(
    'div',
    { class: 'problem' },
    h('p', { class: 'problem-title' }, String(problem.title ?? 'Problem')),
    problem.detail && h('p', null, String(problem.detail)),
    errors.length > 0 && h('ul', null, errors.map(problemError)),
    code &&
      h(
        'p',
        { class: 'problem-code' },
        h('code', null, code),
        ' ',
        h('a', { href: `#error-${code}` }, 'What to do'),
      ),
  )
}

function problemError(error) {
  if (typeof error !== 'object' || error === null) return h('li', null, String(error))
  const place = [error.pointer ?? error.parameter ?? error.header ?? error.field ?? error.path]
    .flat()
    .join('/')
  const words = error.detail ?? error.message ?? error.title ?? error.code ?? ''
  return h('li', null, place && [h('code', null, place), ' '], String(words))
}

function bodyView(response, blob, text, json) {
  if (blob.size === 0) return h('p', { class: 'muted' }, 'The answer has no body.')
  const name = fileName(response)
  if (text === undefined) {
    const type = contentType(response) || 'unknown type'
    return h('p', { class: 'download' }, download(blob, name ?? 'download'), ` ${type}, ${size(blob.size)}`)
  }
  const cut = text.length > SHOWN
  const isJson = json !== undefined && !cut
  const shown = isJson ? prettyJson(text) : text.slice(0, SHOWN)
  return [
    h('div', { class: 'answer-body' }, codeBlock(shown, 'response body', isJson)),
    (cut || name) &&
      h(
        'p',
        { class: 'download' },
        cut && 'Only the beginning is shown. ',
        download(blob, name ?? 'response.txt'),
      ),
  ]
}

/** The address of the bytes exists only while they are being saved. */
function download(blob, name) {
  const onclick = () => {
    const href = URL.createObjectURL(blob)
    h('a', { href, download: name }).click()
    setTimeout(() => URL.revokeObjectURL(href), 10_000)
  }
  return h('button', { type: 'button', onclick }, `Download ${name}`)
}

function fileName(response) {
  const header = response.headers.get('content-disposition') ?? ''
  const extended = header.match(/filename\*=(?:utf-8)?'[^']*'([^;]+)/i)?.[1]
  if (extended) {
    try {
      return decodeURIComponent(extended)
    } catch {
      return extended
    }
  }
  const named = header.match(/filename="((?:[^"\\]|\\.)*)"|filename=([^;]+)/i)
  return (named?.[1]?.replace(/\\(.)/g, '$1') ?? named?.[2])?.trim()
}

function headersView(response) {
  const headers = [...response.headers]
  return h(
    'details',
    { class: 'answer-headers' },
    h('summary', null, headers.length === 1 ? '1 response header' : `${headers.length} response headers`),
    h(
      'table',
      null,
      h(
        'tbody',
        null,
        headers.map(([name, value]) => h('tr', null, h('th', { scope: 'row' }, name), h('td', null, value))),
      ),
    ),
  )
}

function size(bytes) {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** A call that brought no answer at all. */
export const failureView = words => [h('p', { class: 'message' }, inline(words))]
