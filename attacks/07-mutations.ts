// The ways in which a request is spoilt. Each takes the request and changes it in place.
import { gzipSync } from 'node:zlib'
import { BOUNDARY, multipart, type Request } from './07-requests.ts'
import type { Random } from './random.ts'
import type { Json } from './samples.ts'

type Mutation = (request: Request, random: Random) => void

const HOSTILE_TEXT = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfff',
  '\u202e\ufeff\u200b',
  '𝕬👩‍👩‍👧‍👦',
  "'; drop table applicants; --",
  '<script>alert(1)</script>',
  '{{7*7}}',
  '../../../../etc/passwd',
  '%00%ff',
  'x'.repeat(501),
  'x'.repeat(20_001),
  'é'.repeat(300),
  '9'.repeat(400),
  '0000-00-00',
  '2026-02-30',
  '9999-12-31T23:59:59.999999999+99:99',
  '+275760-09-13',
  'P999999999999Y',
  'NaN',
  '-0',
  '\r\nX-Injected: yes',
]

/** JSON text, because some of these have no other form. */
const HOSTILE_JSON = [
  'null',
  'true',
  '-1',
  '0.1',
  '1e999',
  '-1e999',
  '9007199254740993',
  '123456789012345678901234567890',
  '1e-400',
  '-0',
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '{"a":{"b":[1,{"c":null}]}}',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"toString":"x","valueOf":1,"hasOwnProperty":true}',
  `${'['.repeat(70)}${']'.repeat(70)}`,
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
  `[${'1,'.repeat(2_000)}1]`,
]

const HOSTILE_SEGMENTS = [
  '%00',
  '%ff%fe',
  '%c0%ae%c0%ae',
  '%ed%a0%80',
  '%zz',
  '%',
  '%2',
  '..',
  '.',
  '%2e%2e',
  '%2E',
  '%2f%2f',
  '%252e%252e%252f',
  '',
  '%20',
  '*',
  ';a=b',
  '%F0%9F%91%A9',
  '\xff\xfe',
  'x'.repeat(129),
  'x'.repeat(513),
  'x'.repeat(7_000),
  '%41'.repeat(400),
  'null',
  '__proto__',
  'constructor',
  '-1',
  "'%20or%201=1--",
  '%0d%0aX-Injected:%20yes',
]

const HEADERS: [string, string[]][] = [
  ['Content-Type', ['', 'text/plain', 'application/json; charset=utf-16', 'application/jsonp', 'application/xml', 'multipart/form-data', 'application/x-www-form-urlencoded', 'APPLICATION/JSON', 'application/json, application/json', ';;;', '\xff\xff', 'application/json;charset="utf-8']],
  ['Content-Encoding', ['gzip', 'br', 'identity', 'zstd', 'x']],
  ['Accept', ['', 'text/html', '*/*;q=0', 'image/*', '\xff']],
  ['Authorization', ['', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer a.b.c', 'Bearer \xff', `Bearer ${'x'.repeat(9_000)}`, 'Digest x']],
  ['X-API-Key', ['', 'x', '\xff\xfe', 'x'.repeat(5_000)]],
  ['Idempotency-Key', ['', ' ', 'a b', '\xe9', 'k'.repeat(255), 'k'.repeat(256), 'k'.repeat(8_000), '"k"']],
  ['If-Match', ['', '*', 'W/"x"', '"', '"a', '"a", "b"', '\xff', 'x'.repeat(5_000)]],
  ['If-None-Match', ['', '*', 'W/"x"', '"a', '"a" "b"', '\xff', '*, "a"']],
  ['If-Range', ['', '"x"', 'yesterday', '\xff']],
  ['Range', ['', 'bytes=', 'bytes=0-', 'bytes=-0', 'bytes=9-1', 'bytes=0-0,2-3', 'bytes=99999999999999999999-', 'bytes=-99999999999999999999', 'lines=1-2', '\xff']],
  ['X-Request-Id', ['', 'a b', '\xff', 'x'.repeat(5_000), '<script>']],
  ['traceparent', ['', '00-0-0-0', '\xff', 'ff-00000000000000000000000000000001-0000000000000001-01']],
  ['Expect', ['100-continue', '200-ok', '']],
  ['Host', ['', 'a b', '\xff', 'x'.repeat(5_000), '[::1', 'evil.example']],
  ['X-Forwarded-For', ['', '1.2.3.4, evil', '\xff', '::1']],
  ['X-HTTP-Method-Override', ['DELETE', 'TRACE']],
  ['Content-Length', ['-1', 'x', '+5', '0x10', '99999999999999999999', '5, 5']],
  ['Transfer-Encoding', ['gzip', 'chunked, chunked', 'identity', 'xchunked', ' chunked']],
  ['Connection', ['upgrade', 'close', 'x', 'keep-alive, close']],
  ['Upgrade', ['websocket', 'h2c', 'x']],
  ['Cookie', ['a=b; '.repeat(500)]],
  ['Origin', ['null', 'https://evil.example']],
] // biome-ignore format: a table

const utf8 = (text: string) => Buffer.from(text).toString('latin1')

function set(request: Request, name: string, value: string): void {
  request.headers = request.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase())
  request.headers.push([name, value])
}

/** Every place in a JSON value, as the object or list that holds it and the name within. */
function places(value: Json): [holder: Json, name: string][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.keys(value).flatMap(name => [[value, name] as [Json, string], ...places(value[name])])
}

const MARK = '"\u0001here\u0001"'

/** The body with this text in one place, put in as text because `1e999` and doubled keys have no value. */
function put(request: Request, random: Random, text: string): void {
  const copy = structuredClone(request.json)
  const found = places(copy)
  if (found.length === 0) {
    request.body = Buffer.from(text)
    return
  }
  const [holder, name] = random.pick(found)
  holder[name] = JSON.parse(MARK.replaceAll('\u0001', '\\u0001'))
  request.body = Buffer.from(JSON.stringify(copy).replace(MARK.replaceAll('\u0001', '\\u0001'), () => text))
}

const change = (request: Request, edit: (copy: Json) => void) => {
  const copy = structuredClone(request.json)
  edit(copy)
  request.json = copy
  request.body = Buffer.from(JSON.stringify(copy))
}

const ofJson: Record<string, Mutation> = {
  'a hostile value': (request, random) => put(request, random, random.pick(HOSTILE_JSON)),
  'hostile text': (request, random) => put(request, random, JSON.stringify(random.pick(HOSTILE_TEXT))),
  'a lone surrogate as bytes': (request, random) => {
    put(request, random, '"@@"')
    const at = request.body.indexOf('@@')
    request.body = Buffer.concat([
      request.body.subarray(0, at),
      Buffer.from([0xed, 0xa0, 0x80]),
      request.body.subarray(at + 2),
    ])
  },
  'a field taken out': (request, random) =>
    change(request, copy => {
      const found = places(copy)
      if (found.length === 0) return
      const [holder, name] = random.pick(found)
      if (Array.isArray(holder)) holder.splice(Number(name), 1)
      else delete holder[name]
    }),
  'an unknown field': (request, random) =>
    change(request, copy => {
      const holders = [copy, ...places(copy).map(([holder, name]) => holder[name])].filter(
        value => typeof value === 'object' && value !== null && !Array.isArray(value),
      )
      if (holders.length > 0)
        random.pick(holders)[random.pick(['firstNmae', '', 'x'.repeat(300), '\0', 'ключ', 'a/b~c'])] = 1
    }),
  'a doubled key': (request, random) => {
    const text = request.body.toString()
    const key = /"(\w+)":/.exec(text)?.[1] ?? 'a'
    request.body = Buffer.from(text.replace('{', `{"${key}":${random.pick(HOSTILE_JSON)},`))
  },
  'a list a thousand long': (request, random) =>
    change(request, copy => {
      const lists = places(copy).filter(
        ([holder, name]) => Array.isArray(holder[name]) && holder[name].length > 0,
      )
      if (lists.length === 0) return
      const [holder, name] = random.pick(lists)
      holder[name] = Array.from({ length: random.pick([101, 1_000]) }, () => holder[name][0])
    }),
}

const ofBody: Record<string, Mutation> = {
  'cut off': (request, random) => {
    request.body = request.body.subarray(0, random.below(request.body.length))
  },
  'one byte changed': (request, random) => {
    request.body = Buffer.from(request.body)
    if (request.body.length > 0) request.body[random.below(request.body.length)] = random.below(256)
  },
  'bad UTF-8': (request, random) => {
    const at = random.below(request.body.length + 1)
    const bad = random.pick([[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf8, 0x88], [0xc0, 0xaf], [0]])
    request.body = Buffer.concat([request.body.subarray(0, at), Buffer.from(bad), request.body.subarray(at)])
  },
  'another encoding': (request, random) => {
    const text = request.body.toString()
    request.body = random.pick([
      Buffer.from(text, 'utf16le'),
      Buffer.from(`\ufeff${text}`),
      gzipSync(text),
      Buffer.from(text).toReversed() as Buffer,
    ])
  },
  'another value altogether': (request, random) => {
    request.body = Buffer.from(
      random.pick([
        ...HOSTILE_JSON,
        '',
        ' ',
        '\n',
        'undefined',
        "{'a':1}",
        '{a:1}',
        '{} {}',
        '//x\n{}',
        '{"a":1,}',
        'a=b&c=d',
      ]),
    )
  },
  'random bytes': (request, random) => {
    request.body = random.bytes(random.below(2_000))
  },
  'told wrongly how long it is': (request, random) => {
    request.framing = random.pick(['none', 'short', 'bad-chunk', 'chunked'])
  },
}

const ofMultipart: Record<string, Mutation> = {
  'parts that are not as expected': (request, random) => {
    const good: [string, string, string?][] = [
      ['caseId', 'x'],
      ['countryCode', 'DE'],
      ['document', '%PDF-', 'a.pdf'],
    ]
    const parts = random.pick<[string, string, string?][]>([
      [],
      good.slice(1),
      [...good, ...good],
      [...good, ['document', '%PDF-', 'b.pdf']],
      [['document', 'no file'], ...good.slice(0, 2)],
      [['caseId', 'x', 'a.pdf'], ...good.slice(1)],
      [...good, ['', 'x']],
      [...good, ['x'.repeat(5_000), 'x']],
      [...good, ['name', 'x'.repeat(20_000)]],
      [...good, ['name', '\0']],
      [...good, ['expiryDate', '2026-02-30']],
      [...good, ['country', '\xff\xfe']],
      [
        ['countryCode', 'XX'],
        ['caseId', '../..'],
        ['document', '', ''],
      ],
      Array.from({ length: 50 }, (): [string, string] => ['name', 'x']),
    ])
    request.body = multipart(parts)
  },
  'a boundary that does not fit': (request, random) =>
    set(
      request,
      'Content-Type',
      random.pick([
        'multipart/form-data',
        'multipart/form-data; boundary=',
        'multipart/form-data; boundary=other',
        `multipart/form-data; boundary=${'x'.repeat(300)}`,
        'multipart/form-data; boundary="',
        'multipart/mixed; boundary=x',
        `multipart/form-data; boundary*=UTF-8''${BOUNDARY}`,
        'multipart/form-data; boundary=\xff',
      ]),
    ),
  'headers of a part that cannot be': (request, random) => {
    const line = random.pick([
      '',
      'Content-Disposition: form-data',
      'Content-Disposition: form-data; name=',
      'Content-Disposition: attachment; name="document"; filename="a"',
      `Content-Disposition: form-data; name="document"; filename*=UTF-8''%ff%zz`,
      'Content-Disposition: form-data; name="document"; filename="\xff\0\r\nX: y"',
      `X: ${'y'.repeat(20_000)}`,
      'Content-Transfer-Encoding: base64',
      `${'X: y\r\n'.repeat(200)}X: z`,
    ])
    request.body = Buffer.from(`--${BOUNDARY}\r\n${line}\r\n\r\nx\r\n--${BOUNDARY}--\r\n`, 'latin1')
  },
}

const ofAll: Record<string, Mutation> = {
  'a path segment': (request, random) => {
    const segments = request.path.split('/')
    const own = request.template.split('/').flatMap((part, index) => (part.startsWith('{') ? [index] : []))
    // Mostly where a parameter stands: elsewhere the path is simply another one.
    const index = own.length > 0 && random.chance(0.8) ? random.pick(own) : 1 + random.below(segments.length)
    segments[index] = random.pick(HOSTILE_SEGMENTS)
    request.path = segments.join('/')
  },
  'a query parameter': (request, random) => {
    const values = [
      '',
      ...HOSTILE_TEXT.map(text => encodeURIComponent(text.toWellFormed())),
      '%ff',
      '%zz',
      '%',
      '1e999',
      '-1',
      '0x10',
      '1001',
      '99999999999999999999',
      '[]',
      '\xff',
    ]
    const value = random.pick(values)
    const known = request.query.map(([name]) => name)
    const odd = [
      'startDate[]',
      'a',
      '__proto__',
      'constructor',
      '%00',
      '%ff',
      '',
      'maxRecords',
      'nextCursor',
      'prevCursor',
      'offset',
      'type',
    ]
    const name = known.length > 0 && random.chance(0.6) ? random.pick(known) : random.pick(odd)
    if (random.chance(0.5)) request.query = request.query.filter(([other]) => other !== name)
    request.query.push([name, value])
    if (random.chance(0.1)) for (let times = 0; times < 1_000; times++) request.query.push([name, '1'])
  },
  'a header': (request, random) => {
    const [name, values] = random.pick(HEADERS)
    set(request, name, random.pick(values))
  },
  'a doubled header': (request, random) => {
    if (request.headers.length > 0) request.headers.push(random.pick(request.headers))
  },
  'headers that cannot be': (request, random) => {
    request.headers.push(
      random.pick<[string, string]>([
        ['X', 'y'.repeat(20_000)],
        ['X\0', 'y'],
        ['X', 'a\0b'],
        ['X Y', 'z'],
        ['', 'z'],
        ['X', 'a\r\n folded'],
        ['X', 'a\nb'],
        [utf8('ключ'), 'z'],
      ]),
    )
    if (random.chance(0.2))
      for (let count = 0; count < 500; count++) request.headers.push([`X-${count}`, 'y'])
  },
  'no Host': request => {
    request.headers = request.headers.filter(([name]) => name !== 'Host')
  },
  'another method': (request, random) => {
    request.method = random.pick([
      'GET',
      'HEAD',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'OPTIONS',
      'TRACE',
      'CONNECT',
      'PROPFIND',
      'get',
      'NONSENSE',
      'X'.repeat(1_000),
    ])
  },
  'another version': (request, random) => {
    request.version = random.pick([
      'HTTP/1.0',
      'HTTP/2.0',
      'HTTP/0.9',
      'HTTP/1.2',
      'http/1.1',
      'XTTP/1.1',
      '',
    ])
  },
}

/** Spoils a request in one to three ways. */
export function spoil(request: Request, random: Random): void {
  const media = request.headers.find(([name]) => name === 'Content-Type')?.[1] ?? ''
  const fitting = [
    ...Object.entries(ofAll),
    ...(request.json === undefined ? [] : [...Object.entries(ofJson), ...Object.entries(ofJson)]),
    ...(request.body.length > 0 ? Object.entries(ofBody) : []),
    ...(media.startsWith('multipart') ? Object.entries(ofMultipart) : []),
  ]
  const ways = 1 + random.below(random.chance(0.7) ? 1 : 3)
  for (let way = 0; way < ways; way++) {
    const [name, mutation] = random.pick(fitting)
    mutation(request, random)
    request.spoilt.push(name)
  }
}
