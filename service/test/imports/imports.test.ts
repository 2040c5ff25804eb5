// Imports on the whole application: what cannot be seen through the API.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { limitByCaller } from '../../src/db/limited-access.ts'
import { createImportWorker } from '../../src/imports/imports.worker.ts'
import { readRow } from '../../src/imports/rows.ts'
import { createTestApp, silent } from '../support/harness.ts'

const app = await createTestApp()
const { sql } = app.db
const { sweep } = createImportWorker({
  db: limitByCaller(app.appDb),
  unlimited: app.appDb,
  clock: app.clock,
  log: silent,
  recorders: undefined as never,
  constraints: {},
  families: undefined as never,
  isAllowed: async () => true,
})

let made = 0
const newNumber = () => `E-${++made}`
const family = (number: string, fields: object = {}, dependents?: object[]) => ({
  primaryApplicant: { employeeNumber: number, firstName: 'Anna', lastName: 'Schmidt', ...fields },
  ...(dependents && { dependents }),
})
const child = (fields: object = {}) => ({
  firstName: 'Ben',
  lastName: 'Schmidt',
  relationship: 'Child',
  dateOfBirth: '2018-09-12',
  ...fields,
})
const ndjson = (rows: unknown[]) => rows.map(row => `${JSON.stringify(row)}\n`).join('')

const send = (rows: unknown[], query = '') => sendText(ndjson(rows), query)

async function sendText(body: string, query: string) {
  const response = await app.call({
    method: 'POST',
    url: `/v2/imports${query}`,
    body,
    headers: { 'content-type': 'application/x-ndjson', prefer: 'wait=60' },
  })
  assert.equal(response.status, 202, response.text)
  return response.body
}
/** Of this thread, in milliseconds: other processes do not add to it. */
function cpuTime() {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
const resultsOf = (importId: string) =>
  sql<{ row: number; outcome: string; code: string | null }[]>`
    select row, outcome, problem ->> 'code' as code from import_results where import_id = ${importId} order by position`

/** Events and audit entries since a moment, without ids. */
async function tracesSince(seq: { events: string; audit: string }) {
  const events = await sql`
    select type, data - 'employeeNumber' - 'applicantId' - 'documentId' - 'primaryApplicantId' as data
    from events where seq > ${seq.events} order by type, data::text`
  const audit = await sql<{ action: string; changes: { pointer: string }[] }[]>`
    select action, changes from audit
    where seq > ${seq.audit} and action in ('applicant.create', 'applicant.write', 'applicant.archive') order by action, seq`
  const withoutIds = (pointer: string) => pointer.replace(/\/[\w-]{23}=/g, '/{id}')
  return {
    events: events.map(({ type, data }) => [type, data]),
    audit: audit
      .map(({ action, changes }) => `${action} ${changes.map(({ pointer }) => withoutIds(pointer)).sort()}`)
      .sort(),
  }
}
async function position() {
  const [row] = await sql<[{ events: string; audit: string }]>`
    select coalesce((select max(seq) from events), 0)::text as events,
      coalesce((select max(seq) from audit), 0)::text as audit`
  return row
}

describe('an import', () => {
  it('fails at its next batch when the client that sent it was disabled, and applies nothing', async () => {
    const number = newNumber()
    const { importId } = await send([family(number)], '?dryRun=true')
    await sql`
      insert into clients (client_id, name, scopes, secret_hash, disabled_at)
      values ('disabled', '', ${['applicants:write']}, '', now())`
    await sql`
      update imports set status = 'running', released_at = now(), client_id = 'disabled'
      where import_id = ${importId}`
    // Imports run in order.
    await send([family(newNumber())])
    const { body } = await app.call({ url: `/v2/imports/${importId}` })
    assert.deepEqual([body.status, body.problem?.code], ['failed', 'import-not-allowed'])
    const { status } = await app.call({ url: `/v2/applicant/employeenumber/${number}` })
    assert.equal(status, 404)
  })

  it('counts its rows up to the total that is exact', async () => {
    const { importId } = await send([family(newNumber())])
    await sql`update imports set checked = 20000 where import_id = ${importId}`
    const { body } = await app.call({ url: `/v2/imports/${importId}/rows` })
    assert.equal(body.total, 10_001)
  })

  it('finds the few rows that differ among many that do not', async () => {
    const numbers = Array.from({ length: 1_500 }, newNumber)
    const rows = numbers.map(number => family(number, { jobTitle: 'Cook' }))
    await send(rows)
    const [first = '', written = '', ...others] = numbers
    await app.call({
      method: 'PATCH',
      url: `/v2/applicant/employeenumber/${written}`,
      body: { primaryApplicant: { jobTitle: 'Chef' } },
    })
    const changed = others[1_300] ?? ''
    const file = rows.map(row =>
      row.primaryApplicant.employeeNumber === changed ? family(changed, { jobTitle: 'Baker' }) : row,
    )
    const added = newNumber()
    const { importId, counts } = await send([...file, family(first), family(added)])
    const { total: _total, missing: _missing, ...outcomes } = counts
    assert.deepEqual(outcomes, { created: 1, updated: 2, unchanged: 1_498, rejected: 1 })
    const results = await resultsOf(importId)
    assert.deepEqual(
      results.map(({ row }) => row),
      Array.from({ length: 1_502 }, (_, index) => index + 1),
    )
    const differing = results.filter(({ outcome }) => outcome !== 'unchanged')
    assert.deepEqual(
      differing.map(({ row, outcome }) => [row, outcome]),
      [
        [2, 'updated'],
        [1_303, 'updated'],
        [1_501, 'rejected'],
        [1_502, 'created'],
      ],
    )
    assert.equal((await send([...file, family(added)])).counts.unchanged, 1_501)
  })

  it('leaves the events and audit entries that single requests leave', async () => {
    const states = [
      (number: string) =>
        family(
          number,
          {
            passports: [{ passportNumber: 'P1', country: 'DE' }],
            documents: [{ name: 'Permit' }, { name: 'Visa' }],
          },
          [child(), child({ firstName: 'Cleo' })],
        ),
      (number: string) =>
        family(
          number,
          {
            jobTitle: 'Cook',
            passports: [{ passportNumber: 'P1', country: 'DE', expiryDate: '2031-01-01' }],
            documents: [{ name: 'Visa', country: 'FR' }, { name: 'Card' }],
          },
          [child({ cityOfBirth: 'Bonn' }), child({ firstName: 'Dora' })],
        ),
      // Cleo and the permit come back.
      (number: string) =>
        family(number, { documents: [{ name: 'Permit' }] }, [
          child({ firstName: 'Cleo' }),
          child({ firstName: 'Dora' }),
        ]),
    ]
    const [single, imported] = [newNumber(), newNumber()]
    for (const state of states) {
      let before = await position()
      const response = await app.call({
        method: 'PUT',
        url: `/v2/applicant/employeenumber/${single}`,
        body: state(single),
      })
      assert.ok(response.status < 300, response.text)
      const expected = await tracesSince(before)
      before = await position()
      await send([state(imported)])
      assert.deepEqual(await tracesSince(before), expected)
    }
  })

  it('applies the rows of a batch one by one if the database rejects it', async () => {
    const numbers = Array.from({ length: 6 }, newNumber)
    // A rule that no plan knows.
    await sql.unsafe(
      `alter table applicants add constraint test_rule check (record ->> 'jobTitle' is distinct from 'Odd')`,
    )
    const done = await send(
      numbers.map((number, index) => family(number, { jobTitle: index === 2 ? 'Odd' : 'Cook' })),
    )
    await sql.unsafe('alter table applicants drop constraint test_rule')
    assert.deepEqual([done.status, done.counts.created, done.counts.rejected], ['completed', 5, 1])
    const results = await resultsOf(done.importId)
    assert.deepEqual([...results][2], { row: 3, outcome: 'rejected', code: 'internal-error' })
    const [events] = await sql`
      select count(*)::int as count from events
      where type = 'applicant.created' and data ->> 'employeeNumber' = any(${numbers})`
    assert.equal(events?.['count'], 5)
  })

  it('tries a row again that another transaction holds, and rejects nothing', async () => {
    const numbers = [newNumber(), newNumber(), newNumber()]
    await sql.unsafe(`
      create function test_hold() returns trigger language plpgsql as $$
      begin
        if new.record ->> 'jobTitle' = 'Held' then raise 'held' using errcode = 'lock_not_available'; end if;
        return new;
      end $$;
      create trigger test_hold before insert on applicants for each row execute function test_hold()`)
    const { importId } = await app
      .call({
        method: 'POST',
        url: '/v2/imports',
        body: ndjson(
          numbers.map((number, index) => family(number, { jobTitle: index === 1 ? 'Held' : 'Cook' })),
        ),
        headers: { 'content-type': 'application/x-ndjson', prefer: 'wait=2' },
      })
      .then(({ body }) => body)
    const held = await app.call({ url: `/v2/imports/${importId}` })
    assert.deepEqual([held.body.status, held.body.counts.rejected], ['running', 0])
    await sql.unsafe('drop trigger test_hold on applicants; drop function test_hold')
    // The next run goes on with it.
    await send([family(newNumber())])
    const { body } = await app.call({ url: `/v2/imports/${importId}` })
    assert.deepEqual([body.status, body.counts.created, body.counts.rejected], ['completed', 3, 0])
  })

  it('rejects a row whose error names a long member that ends in the middle of a character', async () => {
    const { importId, counts } = await send([family(newNumber(), { [`${'x'.repeat(99)}😀`]: 1 })])
    assert.equal(counts.rejected, 1)
    assert.deepEqual(
      [...(await resultsOf(importId))],
      [{ row: 1, outcome: 'rejected', code: 'invalid-request' }],
    )
  })

  it('serves requests between large rows that it checks', async () => {
    const members = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`u${index}`, 0]))
    const file = ndjson(Array.from({ length: 80 }, () => family(newNumber(), members)))
    const row = { row: 1, firstRow: 1, problem: null, outcome: null, changed: null, applicantId: null }
    const body = file.slice(0, file.indexOf('\n'))
    const began = cpuTime()
    for (let count = 0; count < 10; count++)
      readRow(
        { mode: 'replace', format: 'ndjson', hasDependents: true },
        { ...row, employeeNumber: 'E', body },
        [],
      )
    const ten = cpuTime() - began
    let [longest, last, isOver] = [0, cpuTime(), false]
    const measure = () => {
      longest = Math.max(longest, cpuTime() - last)
      last = cpuTime()
      if (!isOver) setImmediate(measure)
    }
    measure()
    const ended = await sendText(file, '?dryRun=true')
    isOver = true
    await app.call({ method: 'POST', url: `/v2/imports/${ended.importId}/cancel` })
    assert.equal(ended.counts.rejected, 80)
    assert.ok(longest < 2 * ten, `${longest} ms without a pause, and ${ten} ms for ten rows`)
  })

  it('counts the characters of a number as single requests do', async () => {
    const number = `${'😀'.repeat(40)}${newNumber()}`
    assert.equal((await send([family(number)])).counts.created, 1)
  })

  it('says of dependents whether the row of their primary applicant is missing or cannot be read', async () => {
    const [unreadable, missing] = [newNumber(), newNumber()]
    const sent = await app.call({
      method: 'POST',
      url: '/v2/imports',
      body: [
        'employeeNumber,firstName,lastName,primaryEmployeeNumber,relationship',
        `${unreadable},Anna`,
        `,Ben,Schmidt,${unreadable},Child`,
        `,Ben,Schmidt,${missing},Child`,
        '',
      ].join('\n'),
      headers: { 'content-type': 'text/csv', prefer: 'wait=60' },
    })
    assert.equal(sent.status, 202, sent.text)
    const { importId } = sent.body
    const details = await sql`
      select row, problem -> 'errors' -> 0 ->> 'detail' as detail from import_results
      where import_id = ${importId} order by row`
    assert.match(details[1]?.['detail'], /cannot be read/)
    assert.match(details[2]?.['detail'], /no row of this primary/)
    for (const row of [1, 2, 3]) {
      const { body } = await app.call({ url: `/v2/imports/${importId}/rows/${row}` })
      assert.equal(body.content, null)
    }
  })

  it('recognises a row that it has applied, until the row or the family changes', async () => {
    const number = newNumber()
    const row = family(number, { jobTitle: 'Cook' }, [child()])
    await send([row])
    const [print] = await sql`
      select f.hash, f.people from import_fingerprints f join applicants a using (applicant_id)
      where a.employee_number = ${number}`
    assert.equal(print?.['people'], 2)
    // Another value in the record, without a new version: only the fingerprint decides.
    await sql`
      update applicants set record = jsonb_set(record::jsonb, '{jobTitle}', '"Chef"')::json where employee_number = ${number}`
    assert.equal((await send([row])).counts.unchanged, 1)
    await sql`update applicants set version = version + 1 where employee_number = ${number}`
    assert.equal((await send([row])).counts.updated, 1)
    assert.equal((await send([family(number, { jobTitle: 'Chef' }, [child()])])).counts.updated, 1)
    assert.equal((await send([row], '?mode=merge')).counts.updated, 1)
    const dependent = await sql`
      update applicants d set version = d.version + 1 from applicants a
      where a.employee_number = ${number} and d.primary_id = a.applicant_id returning d.applicant_id`
    assert.equal(dependent.length, 1)
    assert.equal((await send([row])).counts.unchanged, 1)
  })

  it('runs after another one of the same company, and keeps its caller as the actor', async () => {
    const number = newNumber()
    const sent = await Promise.all([
      send([family(number, { jobTitle: 'Cook' })]),
      send([family(number, { jobTitle: 'Chef' })]),
    ])
    const outcomes = sent.map(({ counts }) => (counts.created ? 'created' : 'updated')).sort()
    assert.deepEqual(outcomes, ['created', 'updated'])
    const actors = await sql`
      select distinct client_id, operation_id from audit
      where action in ('applicant.create', 'applicant.write')
        and record_id = (select applicant_id from applicants where employee_number = ${number})`
    assert.deepEqual([...actors], [{ client_id: app.client.clientId, operation_id: 'createImport' }])
  })

  it('fails where its service has crashed while it received the file', async () => {
    const { importId } = await send([family(newNumber())])
    await sql`
      update imports set status = 'receiving', updated_at = ${new Date(app.clock.now().getTime() - 600_000)}
      where import_id = ${importId}`
    await sweep()
    const { body } = await app.call({ url: `/v2/imports/${importId}` })
    assert.deepEqual([body.status, body.problem.code], ['failed', 'import-interrupted'])
  })

  it('deletes the file when it has ended, and everything after 30 days', async () => {
    const { importId } = await send([family(newNumber())])
    const dry = await send([family(newNumber())], '?dryRun=true')
    const staged = (id: string) => sql`select from import_rows where import_id = ${id}`
    const contentOf = async (id: string) => (await app.call({ url: `/v2/imports/${id}/rows/1` })).body.content
    assert.equal(await contentOf(importId), null)
    assert.notEqual(await contentOf(dry.importId), null)
    // More than a sweep lists at once.
    await sql`
      insert into import_rows (import_id, row)
      select import_id, 1 from imports where status = 'completed' and not dry_run on conflict do nothing`
    assert.ok((await sql`select distinct import_id from import_rows`).length > 20)
    await sweep()
    assert.equal((await sql`select from import_rows where import_id <> ${dry.importId}`).length, 0)
    assert.equal((await resultsOf(importId)).length, 1)
    assert.equal((await staged(dry.importId)).length, 1)
    app.clock.advance(8 * 86_400)
    await sweep()
    assert.equal((await staged(dry.importId)).length, 0)
    const [ended] = await sql`select status from imports where import_id = ${dry.importId}`
    assert.equal(ended?.['status'], 'cancelled')
    app.clock.advance(31 * 86_400)
    await sweep()
    assert.equal((await sql`select from imports where import_id = ${importId}`).length, 0)
    assert.equal((await resultsOf(importId)).length, 0)
  })
})
