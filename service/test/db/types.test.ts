import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createTestDatabase } from '../support/harness.ts'

const db = await createTestDatabase()

// Everything that has a meaning in an array literal, and text beyond ASCII.
const item = fc.oneof(
  fc.constantFrom(
    '',
    'NULL',
    'null',
    '{}',
    '{a,b}',
    ' a ',
    '"',
    '\\',
    '\\"',
    ',',
    "'",
    'a\nb',
    'Łukasz',
    '🙂',
  ),
  fc.string({ unit: 'grapheme' }).filter(text => !text.includes('\0')),
)

describe('an array parameter', () => {
  it('of text is stored and returned as it was sent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(item), { maxLength: 8 }), async items => {
        const [row] = await db.sql<{ items: unknown; json: unknown }[]>`
          select ${items}::text[] as items, to_jsonb(${items}::text[]) as json`
        assert.deepEqual(row?.items, items)
        assert.deepEqual(row?.json, items)
      }),
      { numRuns: 200 },
    )
  })

  it('of integers and big integers is returned as single ones are', async () => {
    const [row] = await db.sql`
      select ${[1, -2]}::int[] as integers, ${['9007199254740993', '1']}::bigint[] as large, 1 as one, 2::bigint as two`
    assert.deepEqual({ ...row }, { integers: [1, -2], large: ['9007199254740993', '1'], one: 1, two: '2' })
  })
})

describe('every array column of the schema', () => {
  it('has a type that the driver can read without asking the server for its types', async () => {
    const rows = await db.sql<{ type: string }[]>`
      select distinct a.atttypid::regtype::text as type
      from pg_attribute a
      join pg_class c on c.oid = a.attrelid and c.relkind = 'r'
      join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
      join pg_type t on t.oid = a.atttypid and t.typcategory = 'A'
      where a.attnum > 0 and not a.attisdropped`
    const known = ['text[]', 'integer[]', 'bigint[]']
    assert.deepEqual(
      rows.map(({ type }) => type).filter(type => !known.includes(type)),
      [],
    )
    assert.ok(rows.length > 0)
  })
})
