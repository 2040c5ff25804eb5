import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describe as describeStatement, traceDatabase } from '../../src/db/traced.ts'
import { runInSpan } from '../../src/lib/spans.ts'
import { createTracer, type EndedSpan } from '../../src/lib/tracer.ts'
import { createTestDatabase } from '../support/harness.ts'

function createRecorder() {
  const ended: EndedSpan[] = []
  const root = createTracer({ ratio: 1, onEnd: span => ended.push(span) }).begin(undefined, 'root', {})
  assert.ok(root)
  return { root, ended }
}

describe('the summary of a statement', () => {
  it('is the operation and the first table, without any value', () => {
    const cases: [string, string, string | undefined][] = [
      ['select 1', 'select', undefined],
      ["\n  select name from applicants a join cases c on true where name = 'Anna'", 'select', 'applicants'],
      ['insert into public.audit (a) values ($1)', 'insert', 'audit'],
      ['update only documents set a = $1', 'update', 'documents'],
      ['delete from sessions where a = $1', 'delete', 'sessions'],
      ['with found as (select 1 from cases for update skip locked) select 1 from found', 'select', 'cases'],
      ['with new as (insert into events (a) select 1 returning a) select a from new', 'insert', 'events'],
      ['with old as (select 1 from cases) update cases set a = 1 from old', 'update', 'cases'],
      ['begin', 'begin', undefined],
    ]
    for (const [text, operation, table] of cases)
      assert.deepEqual(describeStatement(text), { operation, table }, text)
  })
})

describe('a traced database', () => {
  it('has a span for each statement that is sent, within its transaction, and none for a fragment', async () => {
    const db = traceDatabase(await createTestDatabase())
    const { root, ended } = createRecorder()
    const rows = await runInSpan(root, () =>
      db.transaction(async tx => {
        const fragment = tx`from companies where true`
        await tx`select 1 ${fragment}`
        await tx.unsafe('select 2 as two from cases').execute()
        return tx<{ three: number }[]>`select 3 as three`.values()
      }),
    )
    assert.deepEqual([...rows], [[3]])
    const [transaction] = ended.filter(({ name }) => name === 'transaction')
    assert.equal(transaction?.parentSpanId, root.spanId)
    const statements = ended.filter(({ kind }) => kind === 'client')
    assert.deepEqual(
      statements.map(({ name, parentSpanId }) => [name, parentSpanId]),
      [
        ['select companies', transaction?.spanId],
        ['select cases', transaction?.spanId],
        ['select', transaction?.spanId],
      ],
    )
  })

  it('records the SQLSTATE of a statement that failed, and of its transaction', async () => {
    const db = traceDatabase(await createTestDatabase())
    const { root, ended } = createRecorder()
    await assert.rejects(runInSpan(root, () => db.transaction(async tx => tx`select 1 / 0`)))
    assert.deepEqual(
      ended.map(({ name, errorType }) => [name, errorType]),
      [
        ['select', '22012'],
        ['transaction', '22012'],
      ],
    )
  })

  it('traces the access of limited callers, lookups and single statements; outside a span it records nothing', async () => {
    const db = traceDatabase(await createTestDatabase())
    const { root, ended } = createRecorder()
    await db.sql`select 1`
    assert.equal(ended.length, 0)
    await runInSpan(root, async () => {
      await db.sql`select 1 from companies`
      await db.lookup(async sql => sql`select 1 from cases`)
      await db.forCompanies(['none']).sql`select 1 from applicants`
    })
    assert.deepEqual(
      ended.map(({ name }) => name),
      ['select companies', 'select cases', 'select applicants'],
    )
    assert.equal(db.forCompanies(['x']) === db, false)
  })
})
