// The export of all records: one snapshot, at the pace of its client, and a cursor to go on from.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLineStream, ReaderGone } from '../../src/exports/line-stream.ts'
import { createTestApp } from '../support/harness.ts'

const person = (number: string) => ({
  employeeNumber: number,
  firstName: 'Anna',
  lastName: 'Schmidt',
  dateOfBirth: '1990-05-31',
})

async function setUp(t: TestContext) {
  const app = await createTestApp()
  // Connections that are kept alive would delay the end of the service.
  t.after(() => app.app.server.closeAllConnections())
  const put = async (number: string, fields: object = {}) => {
    const url = `/v2/applicant/employeenumber/${number}`
    const { status, text } = await app.call({
      method: 'PUT',
      url,
      body: { primaryApplicant: { ...person(number), ...fields } },
    })
    assert.ok(status < 300, text)
  }
  const exported = async (kind: string) => {
    const { status, text } = await app.call({ url: `/v2/export?kind=${kind}` })
    assert.equal(status, 200, text)
    const lines = text.trimEnd().split('\n')
    const { cursor } = JSON.parse(lines.at(-1) ?? '')
    return { records: lines.slice(0, -1).map(line => JSON.parse(line)), cursor: cursor as string }
  }
  /** Many families, straight into the table. */
  const fill = (count: number) => app.db.sql`
    insert into applicants (applicant_id, employee_number, record, name_key, name_key_reversed, search_keys, keys_version,
      created_at, updated_at)
    select 'filled-' || n, 'F-' || n,
      json_build_object('applicantId', 'filled-' || n, 'employeeNumber', 'F-' || n, 'jobTitle', repeat('x', 8000)),
      'name ' || n, 'eman ' || n, '{}', 1, now(), now()
    from generate_series(1, ${count}::integer) as n`
  /** Transactions that have sent no statement for a second: they wait for their client. */
  const snapshots = async () => {
    const [row] = await app.db.sql<[{ count: number }]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction'
        and state_change < clock_timestamp() - interval '1 second'`
    return row.count
  }
  return { ...app, put, exported, fill, snapshots }
}

/** A request that is read as slowly as the test wants. */
async function open(app: Awaited<ReturnType<typeof setUp>>, path: string) {
  const server = app.app.server
  if (!server.listening) await app.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.address() as AddressInfo
  const sent: ClientRequest = request({
    port,
    host: '127.0.0.1',
    path,
    headers: { authorization: `Bearer ${await app.token()}` },
  })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { sent, response }
}

async function eventually(check: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await check()) return
    await sleep(50)
  }
  assert.fail('It did not happen within ten seconds.')
}

describe('an export', () => {
  it('has every record as its read returns it, and a cursor from which only later changes follow', async t => {
    const app = await setUp(t)
    const { call, put, exported } = app
    await put('E-1', { documents: [{ name: 'Permit', expiryDate: '2030-01-01' }] })
    await call({
      method: 'PATCH',
      url: '/v2/applicant/employeenumber/E-1',
      body: { dependents: [{ firstName: 'Ben', lastName: 'Schmidt', relationship: 'Child' }] },
    })
    await put('E-2')
    await call({ method: 'POST', url: '/admin/v1/companies', body: { name: 'Acme' } })
    const company = { hostCompany: 'Acme', sendingCompany: 'Acme', billingCompany: 'Acme' }
    const created = await call({
      method: 'POST',
      url: '/v2/case',
      body: { caseType: 'Visa', ...company, applicant: { firstName: 'Eva', lastName: 'Berg' } },
    })
    const people = await exported('applicants')
    assert.equal(people.records.length, 3)
    for (const { primaryApplicant, dependents } of people.records) {
      const url = `/v2/applicant/${primaryApplicant.applicantId}`
      assert.deepEqual(primaryApplicant, (await call({ url })).body)
      assert.deepEqual(dependents, (await call({ url: `${url}/dependents` })).body)
    }
    const cases = await exported('cases')
    const { caseId } = created.body
    assert.deepEqual(cases.records, [(await call({ url: `/v2/case/${caseId}` })).body])
    const documents = await exported('documents')
    const { documentId } = documents.records[0]
    assert.deepEqual(documents.records, [(await call({ url: `/v2/document/${documentId}` })).body])

    const changes = async (cursor: string) =>
      (await call({ url: `/v2/changes?after=${cursor}` })).body.records.map(
        ({ type }: { type: string }) => type,
      )
    const settled = (await call({ url: '/v2/changes?after=now' })).body.nextCursor
    const { cursor } = await exported('cases')
    assert.equal(cursor, settled)
    assert.deepEqual(await changes(cursor), [])
    await put('E-2', { jobTitle: 'Baker' })
    assert.deepEqual(await changes(cursor), ['applicant.updated'])
  })

  it('is one snapshot: what changes while it is read is in the changes after its cursor', async t => {
    const app = await setUp(t)
    await app.fill(3_000)
    const { response } = await open(app, '/v2/export?kind=applicants')
    const [first] = (await once(response, 'readable')) && [response.read() as Buffer]
    await app.put('E-new')
    await app.put('F-2999', { jobTitle: 'Baker' })
    const chunks = [first, ...(await response.toArray())]
    const lines = Buffer.concat(chunks as Buffer[])
      .toString()
      .trimEnd()
      .split('\n')
    const { cursor } = JSON.parse(lines.pop() ?? '')
    assert.equal(lines.length, 3_000)
    const late = lines
      .map(line => JSON.parse(line).primaryApplicant)
      .find(({ employeeNumber }) => employeeNumber === 'F-2999')
    assert.notEqual(late.jobTitle, 'Baker')
    const { body } = await app.call({ url: `/v2/changes?after=${cursor}` })
    assert.deepEqual(
      body.records.map(({ type, employeeNumber }: Record<string, string>) => [type, employeeNumber]),
      [
        ['applicant.created', 'E-new'],
        ['applicant.updated', 'F-2999'],
      ],
    )
  })

  it('waits for its client, and ends its transaction when the client hangs up', async t => {
    const app = await setUp(t)
    await app.fill(6_000)
    const { sent, response } = await open(app, '/v2/export?kind=applicants')
    await once(response, 'readable')
    response.pause()
    await eventually(async () => (await app.snapshots()) === 1)
    sent.destroy()
    await eventually(async () => (await app.snapshots()) === 0)
  })

  it('has its audit entry before its first byte', async t => {
    const app = await setUp(t)
    await app.fill(500)
    const { sent, response } = await open(app, '/v2/export?kind=applicants')
    await once(response, 'readable')
    const rows = await app.db.sql`select action, outcome from audit where action = 'applicant.export'`
    assert.deepEqual([...rows], [{ action: 'applicant.export', outcome: 'ok' }])
    sent.destroy()
  })
})

describe('a stream of lines', () => {
  it('ends its writer when the reader takes nothing for too long', async () => {
    const { stream, write } = createLineStream({ stallMs: 50 })
    stream.pause()
    await assert.rejects(write('x'.repeat(200_000)), (error: unknown) => {
      return error instanceof ReaderGone && error.reason === 'stalled'
    })
  })

  it('ends its writer when the reader has gone', async () => {
    const { stream, write } = createLineStream({ stallMs: 10_000 })
    const writing = write('x'.repeat(200_000))
    stream.destroy()
    await assert.rejects(
      writing,
      (error: unknown) => error instanceof ReaderGone && error.reason === 'closed',
    )
    await assert.rejects(write('more'), ReaderGone)
  })
})
