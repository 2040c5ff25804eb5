// Reading a JSON body: names that an object holds twice, and the byte order mark.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseJson } from '../../src/http/json-body.ts'
import { Problem } from '../../src/lib/problem.ts'

/** The pointers of the errors, or the parsed value if there are none. */
function read(text: string): unknown {
  try {
    return parseJson(Buffer.from(text))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.errors?.map(({ pointer }) => pointer)
  }
}

/** A JSON value in which objects are lists of members, so that a name can be there twice. */
type Node = { scalar: unknown } | { items: Node[] } | { members: [string, Node][] }

const { node } = fc.letrec<{ node: Node }>(tie => ({
  node: fc.oneof(
    { depthSize: 'small' },
    fc
      .oneof(
        fc.string(),
        fc.integer(),
        fc.double({ noNaN: true }),
        fc.constantFrom(true, false, null, '":', '\\"":'),
      )
      .map(scalar => ({ scalar })),
    fc.array(tie('node'), { maxLength: 4 }).map(items => ({ items })),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', 'c/d', '~', '"', '":', 'é', ''), tie('node')), {
        maxLength: 4,
      })
      .map(members => ({ members })),
  ),
}))

interface Writing {
  space: string
  /** Whether every character of a text is escaped. */
  escapes: boolean
}

const escapeAt = (text: string, at: number) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`

const quoted = (text: string, { escapes }: Writing) =>
  escapes
    ? `"${Array.from({ length: text.length }, (_, at) => escapeAt(text, at)).join('')}"`
    : JSON.stringify(text)

function write(value: Node, writing: Writing): string {
  const { space } = writing
  const list = (parts: string[]) => parts.join(`${space},${space}`)
  if ('items' in value) return `[${space}${list(value.items.map(item => write(item, writing)))}${space}]`
  if ('members' in value) {
    const members = value.members.map(
      ([name, member]) => `${quoted(name, writing)}${space}:${space}${write(member, writing)}`,
    )
    return `{${space}${list(members)}${space}}`
  }
  return typeof value.scalar === 'string' ? quoted(value.scalar, writing) : JSON.stringify(value.scalar)
}

function duplicatesOf(value: Node, pointer = ''): string[] {
  if ('items' in value) return value.items.flatMap((item, at) => duplicatesOf(item, `${pointer}/${at}`))
  if (!('members' in value)) return []
  const at = (name: string) => `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  const names = value.members.map(([name]) => name)
  return [
    ...names.filter((name, index) => names.indexOf(name) < index).map(at),
    ...value.members.flatMap(([name, member]) => duplicatesOf(member, at(name))),
  ]
}

describe('a duplicate name in a JSON body', () => {
  it('is rejected with its pointer, wherever it is', () => {
    const texts: [string, string[]][] = [
      ['{"a":1,"a":1}', ['/a']],
      ['{"a":null,"b":2,"a":{}}', ['/a']],
      ['{"a":[{"b":1},{"b":1,"c":[],"b":2}]}', ['/a/1/b']],
      ['{"a/b":1,"a/b":2,"~":3,"~":4}', ['/a~1b', '/~0']],
      ['{"name":"x","n\\u0061me":"y"}', ['/name']],
      ['{ "a" : 1 ,\n\t"a" : 2 }', ['/a']],
      ['{"a":1e2,"a":100}', ['/a']],
      ['{"":1,"":2}', ['/']],
      ['{"a":{"x":1,"x":2},"a":{"y":1,"y":2}}', ['/a/x', '/a', '/a/y']],
    ]
    for (const [text, pointers] of texts) assert.deepEqual(read(text), pointers, text)
  })

  it('is not found in other objects, nor in text that looks like a name', () => {
    for (const text of [
      '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}',
      '{"a":"\\"a\\":","b":"\\"b\\": \\"b\\":","c":":"}',
      '{"a":": \\\\","b":"\\\\\\":"}',
      '{"a":"a","b":"a","A":1}',
      '["a","a",":",":"]',
    ])
      assert.deepEqual(read(text), JSON.parse(text), text)
  })

  it('is found in any value, however it is written', () => {
    const writing = fc.record({ space: fc.constantFrom('', ' ', '\n\t'), escapes: fc.boolean() })
    fc.assert(
      fc.property(node, writing, (value, how) => {
        const text = write(value, how)
        const expected = [...new Set(duplicatesOf(value))]
        const found = read(text)
        if (expected.length === 0) assert.deepEqual(found, JSON.parse(text), text)
        else assert.deepEqual((found as string[]).toSorted(), expected.toSorted(), text)
      }),
      { numRuns: 5_000 },
    )
  })

  it('is rejected briefly and quickly in a hostile body', () => {
    const start = performance.now()
    const many = `{${Array.from({ length: 90_000 }, () => '"abcd":1').join(',')}}`
    assert.deepEqual(read(many), ['/abcd'])
    const names = Array.from({ length: 40_000 }, (_, n) => `"n${n}":1`).join(',')
    assert.equal((read(`{${names},${names}}`) as string[]).length, 100)
    const long = `"${'k'.repeat(400_000)}":1`
    assert.deepEqual(read(`{${long},${long}}`), [''])
    assert.deepEqual(read(`{"a":"${'\\\\'.repeat(400_000)}","a":1}`), ['/a'])
    const deep = '['.repeat(200_000) + ']'.repeat(200_000)
    for (const text of [`{"a":${deep},"a":1}`, `{"a":1,"a":${deep}}`]) assert.deepEqual(read(text), [''])
    assert.ok(performance.now() - start < 5_000)
  })
})

describe('a byte order mark', () => {
  it('is accepted at the beginning of a body, and is an empty body by itself', () => {
    assert.deepEqual(read('\ufeff{"a":"\ufeffb"}'), { a: '\ufeffb' })
    assert.throws(() => parseJson(Buffer.from('\ufeff')), /empty/)
    assert.throws(() => parseJson(Buffer.from('\ufeff\ufeff{}')), /not valid JSON/)
  })
})
