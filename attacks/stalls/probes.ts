// Requests that are small to send and slow to process, unless the service bounds the work. Each is at most a mebibyte.
import type { Dataset } from '../support/dataset.ts'

export interface Probe {
  name: string
  /** Sent at the same time, each on a connection of its own. */
  requests: Buffer[]
}

interface Request {
  line: string
  headers?: string[]
  body?: string | Buffer
}

const MEBIBYTE = 1024 * 1024
const ROOM = 4_096

/** As many parts as a body of a mebibyte has room for, separated by commas. */
function fill(part: (index: number) => string): string {
  const parts: string[] = []
  for (let length = ROOM; ; parts.push(part(parts.length))) {
    length += part(parts.length).length + 1
    if (length > MEBIBYTE) return parts.join(',')
  }
}

const times = (count: number, part: (index: number) => string, separator = ',') =>
  Array.from({ length: count }, (_, index) => part(index)).join(separator)

export function createProbes(token: string, { documentId = '', caseId = '' }: Dataset): Probe[] {
  const bearer = `Authorization: Bearer ${token}`
  const json = 'Content-Type: application/json'
  const form = 'Content-Type: application/x-www-form-urlencoded'

  const probe = (name: string, { line, headers = [], body = '' }: Request, count = 1): Probe => {
    const bytes = Buffer.from(body)
    const head = [`${line} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers]
    if (bytes.length > 0) head.push(`Content-Length: ${bytes.length}`)
    const request = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes])
    return { name, requests: Array.from({ length: count }, () => request) }
  }
  const bodyProbe = (name: string, body: string, line = 'PUT /v2/applicant/employeenumber/STALL-1') =>
    probe(name, { line, headers: [bearer, json], body })
  const times3 = ({ name, requests }: Probe): Probe => ({
    name: `${name}, three at once`,
    requests: [...requests, ...requests, ...requests],
  })
  const person = (members: string) =>
    `{"primaryApplicant":{"firstName":"A","lastName":"B"${members && `,${members}`}}}`
  const family = (dependents: string) =>
    `{"primaryApplicant":{"firstName":"A","lastName":"B"},"dependents":[${dependents}]}`
  const spread = times(99, () => `{${times(990, n => `"${n.toString(36)}":1`)}}`)

  const bodies = [
    bodyProbe('unknown members', person(times(45_000, n => `"unknown-${n}":1`))),
    bodyProbe('unknown members, similar', person(times(990, n => `"alternateTelephone${n.toString(36)}":1`))),
    bodyProbe(
      'unknown members in many objects, similar',
      family(times(90, () => `{${times(400, n => `"alternateTelephone${n.toString(36)}":1`)}}`)),
    ),
    bodyProbe('unknown members, short', person(fill(n => `"${n.toString(36)}":1`))),
    bodyProbe('unknown members in many objects', family(spread)),
    times3(bodyProbe('wrong items', person(`"passports":[${times(99_000, () => '1')}]`))),
    bodyProbe('wrong items, as many as fit', person(`"passports":[${fill(() => '1')}]`)),
    // Several at once, because each must take a small part of the limit.
    times3(bodyProbe('empty dependents', family(times(49_000, () => '{}')))),
    bodyProbe('empty dependents, as many as fit', family(fill(() => '{}'))),
    bodyProbe('duplicate names', person(fill(() => '"a":1'))),
    bodyProbe('a duplicate name among many', family(`${spread},{"a":1,"a":2}`)),
    bodyProbe('escapes among many items', person(`"x":["\\u0041",${fill(() => '1')}]`)),
    bodyProbe('escapes in many objects', family(`{"\\u0041":1},${spread}`)),
    bodyProbe('deep arrays', '['.repeat(MEBIBYTE - ROOM)),
    bodyProbe('deep arrays, closed', '['.repeat(MEBIBYTE / 2 - ROOM) + ']'.repeat(MEBIBYTE / 2 - ROOM)),
    bodyProbe('deep objects', '{"a":'.repeat(200_000)),
    bodyProbe('newlines before an error', `{${'\n'.repeat(MEBIBYTE - ROOM)}x`),
    bodyProbe('a missing value at the end', `[${times(99_000, () => '1')},]`),
    bodyProbe('escaped quotes', person(`"middleName":"${'\\"'.repeat(500_000)}"`)),
    bodyProbe('backslashes', person(`"middleName":"${'\\\\'.repeat(500_000)}"`)),
    bodyProbe('an endless string', `{"a":"${'\\"'.repeat(500_000)}`),
    bodyProbe('a name of spaces', `{"primaryApplicant":{"firstName":"${' '.repeat(1_000_000)}"}}`),
    bodyProbe(
      'a name of zero-width spaces',
      `{"primaryApplicant":{"firstName":"${'\u200b'.repeat(340_000)}"}}`,
    ),
    bodyProbe('an e-mail address of @', person(`"email":"${'@'.repeat(1_000_000)}"`)),
    bodyProbe('an employee number of spaces', person(`"employeeNumber":"x${' '.repeat(1_000_000)}"`)),
    bodyProbe('a date of digits', person(`"dateOfBirth":"${'1'.repeat(1_000_000)}"`)),
    bodyProbe(
      'a schedule of half a million days',
      person(`"documents":[{"name":"x","expiryReminder":"${times(500_000, () => '1')}"}]`),
    ),
    bodyProbe('a number of a million digits', person(`"x":${'1'.repeat(1_000_000)}`)),
    bodyProbe(
      'scopes that do not exist',
      `{"name":"x","scopes":[${times(99_000, n => `"s${n}"`)}]}`,
      'POST /admin/v1/clients',
    ),
    bodyProbe(
      'objects that must be unique',
      `{"name":"x","scopes":[${times(33_000, n => `{"a":${n}}`)}]}`,
      'POST /admin/v1/clients',
    ),
    probe(
      'as many tags as a family can have',
      {
        line: 'PUT /v2/applicant/employeenumber/STALL-2',
        headers: [bearer, json],
        body: person(
          `"metaData":[${times(500, n => `{"tagName":"tag ${n}","value":"${'v'.repeat(400)}"}`)}]`,
        ),
      },
      2,
    ),
  ]

  const tokens = (name: string, body: string, headers: string[] = []) =>
    probe(name, { line: 'POST /oauth/token', headers: [form, ...headers], body }, 24)
  const forms = [
    tokens('token parameters', times(5_000, n => n.toString(36), '&').slice(0, 16_000)),
    tokens('token parameters, encoded', times(5_000, () => '%', '&').slice(0, 16_000)),
    tokens(
      'token scopes',
      `grant_type=client_credentials&client_id=x&client_secret=y&scope=${'a+'.repeat(7_900)}`,
    ),
    tokens('encoded client ids', 'grant_type=client_credentials', [
      `Authorization: Basic ${Buffer.from(`${'%25'.repeat(3_000)}:y`).toString('base64')}`,
    ]),
    tokens(
      'secrets of an unknown client',
      'grant_type=client_credentials&client_id=nobody&client_secret=wrong',
    ),
  ]

  const get = (name: string, path: string, headers: string[] = []) =>
    probe(name, { line: `GET ${path}`, headers: [bearer, ...headers] }, 10)
  const file = `/v2/document/${encodeURIComponent(documentId)}/file`
  const long = (text: string) => text.repeat(Math.floor(14_000 / text.length))
  const heads = [
    get('query parameters', `/v2/documents?${times(3_500, n => n.toString(36), '&')}`.slice(0, 14_000)),
    get(
      'query parameters, similar',
      `/v2/documents?${times(1_000, n => `maxRecord${n}`, '&')}`.slice(0, 14_000),
    ),
    get('a long cursor', `/v2/documents?startDate=2026-01-01&endDate=2026-01-02&nextCursor=${long('A')}`),
    get('a long search', `/admin/v1/applicants?q=${long('%20')}`),
    get('a long path', `/v2/applicant/${long('a/')}`),
    get('a path of parentheses', `/v2/applicant/${long('(')}`),
    get('a path of colons and stars', `/v2/${long(':a*')}`),
    get('a path of escapes', `/v2/applicant/employeenumber/${long('%2F')}`),
    get('thousands of ranges', file, [`Range: bytes=${long('0-0,')}`]),
    get('a range of digits', file, [`Range: bytes=${long('1')}-`]),
    get('thousands of ETags', '/v2/applicant/employeenumber/STALL', [`If-None-Match: ${long('"a",')}`]),
    get('thousands of commas', '/v2/applicant/employeenumber/STALL', [`If-None-Match: ${long(',')}`]),
    get('thousands of encodings', '/docs', [`Accept-Encoding: ${long('*;q=0.0 ,')}`]),
    get('a trace of zeros', '/healthz', [`traceparent: 00-${long('0')}`]),
    get('a Content-Type of spaces', '/healthz', [`Content-Type: a/b;${long(' ')}charset`]),
    get(
      'thousands of headers',
      '/healthz',
      Array.from({ length: 1_900 }, () => 'a: b'),
    ),
    get('addresses', '/healthz', [`X-Forwarded-For: ${long('1.1.1.1,')}`]),
    probe(
      'a token of dots',
      { line: 'GET /v2/case/health', headers: [`Authorization: Bearer ${long('.')}`] },
      10,
    ),
    probe(
      'an encoded token',
      { line: 'GET /v2/case/health', headers: [`Authorization: Bearer ${long('e30.')}`] },
      10,
    ),
  ]

  const upload = (name: string, boundary: string, body: string) =>
    probe(name, {
      line: 'POST /v2/document',
      headers: [bearer, `Content-Type: multipart/form-data; boundary=${boundary}`],
      body,
    })
  const field = (name: string, value: string, boundary = 'b') =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const fileOf = (content: string, boundary: string) =>
    `${field('caseId', caseId, boundary)}${field('countryCode', 'DE', boundary)}--${boundary}\r\n` +
    `Content-Disposition: form-data; name="document"; filename="a.pdf"\r\n\r\n%PDF-1.7 ${content}\r\n--${boundary}--\r\n`
  const dashes = (length: number) => '-'.repeat(length)
  const size = MEBIBYTE - 32 * 1024
  const uploads = [
    upload('a long boundary', dashes(8_000), fileOf(dashes(size), dashes(8_000))),
    upload('a boundary of dashes', dashes(70), fileOf(dashes(size), dashes(70))),
    upload('almost a boundary', dashes(70), fileOf(`\r\n--${dashes(69)}x`.repeat(13_000), dashes(70))),
    upload('thousands of parts', 'b', field('caseId', 'x').repeat(16_000)),
    upload('parts without a head', 'b', '--b\r\n\r\nx\r\n'.repeat(90_000)),
    upload(
      'a long head of a part',
      'b',
      `--b\r\nContent-Disposition: form-data; ${'x=y; '.repeat(190_000)}\r\n\r\nx\r\n--b--`,
    ),
    upload('thousands of heads of a part', 'b', `--b\r\n${'a: b\r\n'.repeat(160_000)}\r\n\r\nx\r\n--b--`),
    upload('folded heads of a part', 'b', `--b\r\nA: b\r\n${' x\r\n'.repeat(240_000)}\r\n\r\nx\r\n--b--`),
    upload('a preamble', 'b', '\r\n'.repeat(500_000)),
    upload('an unknown part with a long name', 'b', field('countryCod'.repeat(700), 'x').repeat(20)),
  ]
  return [...bodies, ...forms, ...heads, ...uploads]
}
