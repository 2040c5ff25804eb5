// Limits of the structure of a JSON body, which keep one request from blocking the others.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseJson } from '../../src/http/json-body.ts'
import { structureErrorOf } from '../../src/http/json-structure.ts'
import { Problem } from '../../src/lib/problem.ts'

function problemOf(text: string): Problem | undefined {
  try {
    parseJson(Buffer.from(text))
    return undefined
  } catch (error) {
    assert.ok(error instanceof Problem, String(error))
    return error
  }
}

const members = (count: number, prefix = 'n') =>
  Array.from({ length: count }, (_, n) => `"${prefix}${n}":1`).join(',')
const items = (count: number, item = '1') => Array.from({ length: count }, () => item).join(',')

describe('a JSON body', () => {
  it('of a mebibyte with real records is accepted', () => {
    const tag = '{"tagName":"cost centre","value":"4711"}'
    const person = `{"firstName":"Anna","lastName":"Schmidt","middleName":null,"metaData":[${items(220, tag)}]}`
    const text = `{"primaryApplicant":${person},"dependents":[${items(99, person)}]}`
    assert.ok(text.length > 900_000 && text.length < 1_048_576, String(text.length))
    assert.equal(problemOf(text), undefined)
  })

  it('with more than 100,000 values is 413', () => {
    const spaced = items(100_001, ' 1 ')
    const texts = [
      `[${items(100_001)}]`,
      `[${items(50_001, '{}')}]`,
      `{"a":[${items(34_000, '[[]]')}]}`,
      `[${spaced}]`,
    ]
    for (const text of texts) {
      const problem = problemOf(text)
      assert.equal(problem?.kind.code, 'payload-too-large', text.slice(0, 20))
      assert.match(problem?.message ?? '', /more than 100000 values/)
    }
    assert.equal(problemOf(`[${items(99_990)}]`), undefined)
    assert.equal(
      problemOf(`["${','.repeat(200_000)}","${'['.repeat(200_000)}","\\"${'{'.repeat(200_000)}"]`),
      undefined,
    )
  })

  it('with an object of more than 1,000 members is 400, with the pointer of the object', () => {
    const texts: [string, string][] = [
      [`{${members(1_001)}}`, ''],
      [`{"a":{"b/c":[0,{${members(45_000)}}]}}`, '/a/b~1c/1'],
      [`{"x":{"y":[]},"a":[[],[{"z":1,"q":{${members(1_001)}}}]]}`, '/a/1/0/q'],
      [`{"n\\u0061me":{${members(1_001)}}}`, '/name'],
    ]
    for (const [text, pointer] of texts)
      assert.deepEqual(problemOf(text)?.errors, [
        { pointer, detail: 'Has more than 1000 members. Leave out those that do not exist.' },
      ])
    assert.equal(problemOf(`{${members(1_000)}}`), undefined)
  })

  it('nested deeper than 64 levels is 400', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${' '.repeat(5_000)}${']'.repeat(depth)}`
    assert.match(problemOf(nested(65))?.errors?.[0]?.detail ?? '', /deeper than 64/)
    assert.equal(problemOf(nested(64)), undefined)
    assert.match(problemOf('['.repeat(500_000))?.errors?.[0]?.detail ?? '', /deeper than 64/)
  })

  it('within the limits is not rejected for its structure, whatever it holds', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(3), (value, indent) => {
        const text = JSON.stringify({ value, padding: ' '.repeat(5_000) }, null, indent)
        assert.equal(structureErrorOf(text), undefined)
      }),
    )
  })

  it('that is not JSON is left to the parser', () => {
    const padding = ' '.repeat(5_000)
    for (const text of [`{"a":"${padding}`, `}]${padding}`, `,:,:${padding}`, `{"a":1,${padding}`])
      assert.match(problemOf(text)?.message ?? '', /not valid JSON/, text.trim())
  })

  it('that is hostile takes milliseconds', () => {
    const spread = Array.from({ length: 99 }, () => `{${members(990, '')}}`).join(',')
    const hostile: Record<string, string> = {
      'unknown members': `{"primaryApplicant":{${members(45_000, 'unknown-')}}}`,
      'many values': `[${items(500_000)}]`,
      'empty objects': `[${items(340_000, '{}')}]`,
      'many members in many objects': `[${spread}]`,
      'duplicates in many objects': `[${spread},{"a":1,"a":2}]`,
      'escapes in many objects': `["\\u0041",${spread}]`,
      'escapes in many items': `["\\u0041",${items(99_000, '"x"')}]`,
      'deep nesting': '['.repeat(1_000_000),
      newlines: `{${'\n'.repeat(1_000_000)}x`,
      'a missing value': `[${items(99_000)},]`,
      'escaped quotes': `["${'\\"'.repeat(500_000)}"]`,
      'an endless string': `["${'\\"'.repeat(500_000)}`,
      'a long number': `[${'1'.repeat(1_000_000)}]`,
    }
    for (const [what, text] of Object.entries(hostile)) {
      let best = Number.POSITIVE_INFINITY
      // The best of three: the machine may be busy, and code is compiled in the first round.
      for (let round = 0; round < 3; round++) {
        const began = process.cpuUsage()
        problemOf(text)
        const { user, system } = process.cpuUsage(began)
        best = Math.min(best, (user + system) / 1_000)
      }
      assert.ok(best < 150, `${what}: ${best} ms`)
    }
  })
})
