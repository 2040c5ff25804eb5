// Mutations of a body.
import { gzipSync } from 'node:zlib'
import type { Random } from '../support/random.ts'
import { BOUNDARY, type Mutation, multipart, type Request, setHeader } from '../support/requests.ts'
import type { Json } from '../support/samples.ts'
import { HOSTILE_JSON, HOSTILE_TEXT } from './hostile-values.ts'

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

export const ofJson: Record<string, Mutation> = {
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

export const ofBody: Record<string, Mutation> = {
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

export const ofMultipart: Record<string, Mutation> = {
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
    setHeader(
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
