import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Static, Type } from '../../src/lib/json-schema.ts'

test('an object requires the members that are not optional', () => {
  const schema = Type.Object(
    {
      id: Type.String({ maxLength: 3 }),
      note: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
    },
    { title: 'Thing' },
  )
  const value: Static<typeof schema> = { id: 'a' }
  value.note = null
  // @ts-expect-error a number is no note
  value.note = 1
  assert.equal(
    JSON.stringify(schema),
    '{"type":"object","required":["id"],"properties":{"id":{"type":"string","maxLength":3},"note":{"type":["string","null"]}},"title":"Thing"}',
  )
})

test('an object without required members has no list of them', () => {
  assert.deepEqual(JSON.parse(JSON.stringify(Type.Object({ a: Type.Optional(Type.Integer()) }))), {
    type: 'object',
    properties: { a: { type: 'integer' } },
  })
})

test('an optional member leaves the schema that it is made of as it is', () => {
  const text = Type.String()
  Type.Optional(text)
  assert.ok('required' in Type.Object({ text }))
})
