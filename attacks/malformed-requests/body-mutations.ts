// Mutations of a body.
import { gzipSync } from 'node:zlib'
import type { Random } from '../support/random.ts'
import { BOUNDARY, type Mutation, multipart, type Request, setHeader } from '../support/requests.ts'
import type { Json } from '../support/samples.ts'
import { HOSTILE_JSON, HOSTILE_TEXT } from './hostile-values.ts'

/** All fields and items of a JSON value, as parent and key. */
function fieldsOf(value: Json): [parent: Json, name: string][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.keys(value).flatMap(name => [[value, name] as [Json, string], ...fieldsOf(value[name])])
}

const MARK = '"\u0001here\u0001"'

/** Replaces one field by raw JSON text, because `1e999` and duplicate keys cannot be expressed as values. */
function replaceField(request: Request, random: Random, text: string): void {
  const copy = structuredClone(request.json)
  const found = fieldsOf(copy)
  if (found.length === 0) {
    request.body = Buffer.from(text)
    return
  }
  const [parent, name] = random.pick(found)
  parent[name] = JSON.parse(MARK.replaceAll('\u0001', '\\u0001'))
  request.body = Buffer.from(JSON.stringify(copy).replace(MARK.replaceAll('\u0001', '\\u0001'), () => text))
}

const change = (request: Request, edit: (copy: Json) => void) => {
  const copy = structuredClone(request.json)
  edit(copy)
  request.json = copy
  request.body = Buffer.from(JSON.stringify(copy))
}

export const jsonMutations: Record<string, Mutation> = {
  'a hostile value': (request, random) => replaceField(request, random, random.pick(HOSTILE_JSON)),
  'hostile text': (request, random) =>
    replaceField(request, random, JSON.stringify(random.pick(HOSTILE_TEXT))),
  'a lone surrogate as bytes': (request, random) => {
    replaceField(request, random, '"@@"')
    const at = request.body.indexOf('@@')
    request.body = Buffer.concat([
      request.body.subarray(0, at),
      Buffer.from([0xed, 0xa0, 0x80]),
      request.body.subarray(at + 2),
    ])
  },
  'a missing field': (request, random) =>
    change(request, copy => {
      const found = fieldsOf(copy)
      if (found.length === 0) return
      const [parent, name] = random.pick(found)
      if (Array.isArray(parent)) parent.splice(Number(name), 1)
      else delete parent[name]
    }),
  'an unknown field': (request, random) =>
    change(request, copy => {
      const parents = [copy, ...fieldsOf(copy).map(([parent, name]) => parent[name])].filter(
        value => typeof value === 'object' && value !== null && !Array.isArray(value),
      )
      if (parents.length > 0)
        random.pick(parents)[random.pick(['firstNmae', '', 'x'.repeat(300), '\0', 'ключ', 'a/b~c'])] = 1
    }),
  'a duplicate key': (request, random) => {
    const text = request.body.toString()
    const key = /"(\w+)":/.exec(text)?.[1] ?? 'a'
    request.body = Buffer.from(text.replace('{', `{"${key}":${random.pick(HOSTILE_JSON)},`))
  },
  'a long list': (request, random) =>
    change(request, copy => {
      const lists = fieldsOf(copy).filter(
        ([parent, name]) => Array.isArray(parent[name]) && parent[name].length > 0,
      )
      if (lists.length === 0) return
      const [parent, name] = random.pick(lists)
      parent[name] = Array.from({ length: random.pick([101, 1_000]) }, () => parent[name][0])
    }),
}

export const bodyMutations: Record<string, Mutation> = {
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
  'another value': (request, random) => {
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
  'wrong framing': (request, random) => {
    request.framing = random.pick(['none', 'short', 'bad-chunk', 'chunked'])
  },
}

export const multipartMutations: Record<string, Mutation> = {
  'unexpected parts': (request, random) => {
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
  'a mismatched boundary': (request, random) =>
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
  'invalid part headers': (request, random) => {
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
