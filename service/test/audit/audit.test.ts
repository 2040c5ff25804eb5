// What the audit has of requests: every response of an operation has an entry before it is sent.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTestApp, createTestDatabase, type TestApp } from '../support/harness.ts'

interface Row {
  clientId: string
  action: string
  recordId: string
  recordIds: string[] | null
  outcome: string
  status: number | null
  code: string | null
  method: string | null
  operationId: string | null
  address: string | null
  changes: { pointer: string; before: unknown; after: unknown }[] | null
}

const PERSON = { primaryApplicant: { firstName: 'Anna', lastName: 'Schmidt' } }

/** The entries of one request, right after its response. */
async function entriesOf({ db }: TestApp, requestId: string): Promise<Row[]> {
  const rows = await db.sql<Row[]>`
    select client_id as "clientId", action, record_id as "recordId", record_ids as "recordIds", outcome, status, code,
      method, operation_id as "operationId", address, changes
    from audit where request_id = ${requestId} order by seq`
  return [...rows]
}

let count = 0

/** Sends a request, and returns its response with its entries. */
async function audited(app: TestApp, request: Parameters<TestApp['call']>[0]) {
  const requestId = `request-${++count}`
  const response = await app.call({ ...request, headers: { ...request.headers, 'x-request-id': requestId } })
  return { ...response, entries: await entriesOf(app, requestId) }
}

describe('the audit of a request', async () => {
  const app = await createTestApp()
  const create = async () => {
    const { body } = await app.call({ method: 'POST', url: '/v2/applicant', body: PERSON })
    return body.primaryApplicant.applicantId as string
  }

  it('has a read before its response arrives', async () => {
    const applicantId = await create()
    const { status, entries } = await audited(app, { url: `/v2/applicant/${applicantId}` })
    assert.equal(status, 200)
    assert.deepEqual(entries, [
      {
        clientId: app.client.clientId,
        action: 'applicant.read',
        recordId: applicantId,
        recordIds: null,
        outcome: 'ok',
        status: 200,
        code: null,
        method: 'GET',
        operationId: 'getApplicant',
        address: '127.0.0.1',
        changes: null,
      },
    ])
  })

  it('has each of many concurrent reads', async () => {
    const applicantId = await create()
    const reads = await Promise.all(
      Array.from({ length: 50 }, () => audited(app, { url: `/v2/applicant/${applicantId}` })),
    )
    for (const { status, entries } of reads) {
      assert.equal(status, 200)
      assert.deepEqual(
        entries.map(({ recordId }) => recordId),
        [applicantId],
      )
    }
  })

  it('has the fields that a write has changed, with their values before and after', async () => {
    const body = {
      primaryApplicant: { ...PERSON.primaryApplicant, passports: [{ passportNumber: 'C01', country: 'DE' }] },
    }
    const created = await audited(app, { method: 'POST', url: '/v2/applicant', body })
    const { applicantId, passports } = created.body.primaryApplicant
    const { passportId } = passports[0]
    assert.deepEqual(created.entries[0]?.status, 201)
    assert.deepEqual(
      created.entries[0]?.changes?.filter(({ pointer }) => /Name$/.test(pointer)),
      [
        { pointer: '/firstName', before: null, after: 'Anna' },
        { pointer: '/lastName', before: null, after: 'Schmidt' },
      ],
    )
    const merged = await audited(app, {
      method: 'PATCH',
      url: `/v2/applicant/${applicantId}`,
      body: { primaryApplicant: { jobTitle: 'Pilot', passports: [{ passportId, issuedBy: 'Berlin' }] } },
    })
    assert.equal(merged.status, 200)
    assert.deepEqual(
      merged.entries.map(({ action, changes, operationId }) => ({ action, changes, operationId })),
      [
        {
          action: 'applicant.write',
          operationId: 'mergeApplicant',
          changes: [
            { pointer: '/jobTitle', before: null, after: 'Pilot' },
            { pointer: `/passports/${passportId}/issuedBy`, before: null, after: 'Berlin' },
          ],
        },
      ],
    )
    const repeated = await audited(app, {
      method: 'PATCH',
      url: `/v2/applicant/${applicantId}`,
      body: { primaryApplicant: { jobTitle: 'Pilot' } },
    })
    assert.deepEqual(
      repeated.entries.map(({ action, changes }) => [action, changes]),
      [['applicant.read', null]],
    )
  })

  it('has calls that are refused, with the code of the error and without what was sent', async () => {
    const unknown = 'AAAAAAAAAAAAAAAAAAAAAAA='
    const refusals = [
      { request: { url: `/v2/applicant/${unknown}`, scopes: null }, code: 'token-required', status: 401 },
      {
        request: { url: `/v2/applicant/${unknown}`, scopes: ['cases:read' as const] },
        code: 'insufficient-scope',
        status: 403,
      },
      { request: { url: `/v2/applicant/${unknown}` }, code: 'applicant-not-found', status: 404 },
    ]
    for (const { request, code, status } of refusals) {
      const { entries } = await audited(app, request)
      assert.deepEqual(
        entries.map(entry => [entry.action, entry.outcome, entry.status, entry.code, entry.recordId]),
        [['request.reject', 'refused', status, code, unknown]],
      )
    }
    const secret = await audited(app, { url: '/v2/applicant/employeenumber/Schmidt-1990' })
    assert.equal(secret.status, 404)
    assert.doesNotMatch(JSON.stringify(secret.entries), /Schmidt/)
    const invalid = await audited(app, { method: 'POST', url: '/v2/applicant', body: { firstNmae: 'Anna' } })
    assert.deepEqual(
      invalid.entries.map(({ outcome, code, changes }) => [outcome, code, changes]),
      [['refused', 'invalid-request', null]],
    )
  })

  it('has token requests, issued and refused, with the client if it exists', async () => {
    const { clientId, clientSecret } = app.client
    const request = async (form: Record<string, string>) => {
      const requestId = `request-${++count}`
      await app.app.inject({
        method: 'POST',
        url: '/oauth/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-request-id': requestId },
        payload: new URLSearchParams({ grant_type: 'client_credentials', ...form }).toString(),
      })
      const entries = await entriesOf(app, requestId)
      return entries.map(entry => [entry.action, entry.outcome, entry.clientId, entry.recordId, entry.code])
    }
    assert.deepEqual(await request({ client_id: clientId, client_secret: clientSecret }), [
      ['token.issue', 'ok', clientId, clientId, null],
    ])
    assert.deepEqual(await request({ client_id: clientId, client_secret: 'a-wrong-secret-0123456789' }), [
      ['token.issue', 'refused', '', clientId, 'invalid_client'],
    ])
    assert.deepEqual(await request({ client_id: clientSecret, client_secret: clientSecret }), [
      ['token.issue', 'refused', '', '', 'invalid_client'],
    ])
  })

  it('has one entry for a list, with the ids of its records, and finds it by each of them', async () => {
    const body = {
      ...PERSON,
      dependents: [0, 1, 2].map(each => ({
        ...PERSON.primaryApplicant,
        firstName: `C${each}`,
        relationship: 'Child',
      })),
    }
    const { body: family } = await app.call({ method: 'POST', url: '/v2/applicant', body })
    const ids: string[] = family.dependents.map(({ applicantId }: { applicantId: string }) => applicantId)
    const { entries } = await audited(app, {
      url: `/v2/applicant/${family.primaryApplicant.applicantId}/dependents`,
    })
    assert.deepEqual(
      entries.map(({ action, recordIds, recordId }) => ({ action, recordId, recordIds })),
      [{ action: 'applicant.read', recordId: ids[0], recordIds: ids }],
    )
    const today = app.clock.now().toISOString().slice(0, 10)
    for (const recordId of ids) {
      const query = new URLSearchParams({
        startDate: today,
        endDate: today,
        recordId,
        action: 'applicant.read',
      })
      const { body: page } = await app.call({ url: `/admin/v1/audit?${query}` })
      assert.deepEqual(
        page.records.map((record: { recordIds: string[] }) => record.recordIds),
        [ids],
      )
    }
  })

  it('has reads of clients, webhooks, companies, processes, notifications and of itself', async () => {
    const today = app.clock.now().toISOString().slice(0, 10)
    const range = `startDate=${today}&endDate=${today}`
    const reads = {
      '/admin/v1/clients': 'client.list',
      [`/admin/v1/clients/${app.client.clientId}`]: 'client.read',
      '/admin/v1/webhooks': 'webhook.list',
      '/admin/v1/companies': 'company.list',
      '/admin/v1/processes': 'process.list',
      [`/admin/v1/notifications?${range}`]: 'notification.list',
      [`/admin/v1/audit?${range}`]: 'audit.list',
      [`/admin/v1/audit/export?from=${today}&to=${today}`]: 'audit.export',
      '/admin/v1/applicants?q=schmidt': 'applicant.search',
    }
    for (const [url, action] of Object.entries(reads)) {
      const { status, entries } = await audited(app, { url })
      assert.deepEqual([status, entries.map(entry => entry.action)], [200, [action]], url)
    }
  })

  it('has the replay of an Idempotency-Key', async () => {
    const request = {
      method: 'POST' as const,
      url: '/v2/applicant',
      body: PERSON,
      headers: { 'idempotency-key': 'audited' },
    }
    const first = await audited(app, request)
    const second = await audited(app, request)
    assert.equal(second.headers['idempotent-replayed'], 'true')
    assert.deepEqual(
      [first, second].map(({ entries }) => entries.map(({ action }) => action)),
      [['applicant.create'], ['request.replay']],
    )
  })

  it('never has a secret', async () => {
    const made = await app.call({
      method: 'POST',
      url: '/admin/v1/clients',
      body: { name: 'x', scopes: ['cases:read'] },
    })
    const { clientId, clientSecret } = made.body
    const rotated = await app.call({
      method: 'POST',
      url: `/admin/v1/clients/${clientId}/rotate-secret`,
      body: {},
    })
    const key = await app.call({
      method: 'POST',
      url: `/admin/v1/clients/${clientId}/api-keys`,
      body: { name: 'k' },
    })
    const webhook = await app.call({
      method: 'POST',
      url: '/admin/v1/webhooks',
      body: { url: 'https://hooks.example.com/x', eventTypes: [] },
    })
    const turned = await app.call({
      method: 'POST',
      url: `/admin/v1/webhooks/${webhook.body.webhookId}/rotate-secret`,
      body: {},
    })
    const secrets = [
      clientSecret,
      rotated.body.clientSecret,
      key.body.apiKey,
      webhook.body.secret,
      turned.body.secret,
    ]
    const rows = await app.db.sql`select a::text as text from audit a`
    const text = rows.map(row => row['text']).join('\n')
    assert.match(text, /hooks\.example\.com/)
    for (const secret of secrets) {
      assert.ok(typeof secret === 'string' && secret.length > 10)
      assert.ok(!text.includes(secret))
    }
  })

  it('leaves health checks out, and calls that reach no operation', async () => {
    const { entries } = await audited(app, { url: '/v2/applicant/health' })
    assert.deepEqual(entries, [])
    const refused = await audited(app, { url: '/v2/applicant/health', scopes: null })
    assert.equal(refused.entries.length, 1)
    const nowhere = await audited(app, { url: '/wp-login.php', scopes: null })
    assert.deepEqual([nowhere.status, nowhere.entries], [404, []])
  })
})

describe('while audit entries cannot be written', async () => {
  const db = await createTestDatabase()
  let isFailing = false
  const app = await createTestApp({
    db: {
      ...db,
      append: work =>
        isFailing
          ? Promise.reject(Object.assign(new Error('No space left on device'), { code: '53100' }))
          : db.append(work),
    },
  })
  const { body } = await app.call({ method: 'POST', url: '/v2/applicant', body: PERSON })
  const url = `/v2/applicant/${body.primaryApplicant.applicantId}`
  const today = app.clock.now().toISOString().slice(0, 10)

  it('reads are rejected with 503, and disclose nothing', async () => {
    for (const path of [url, '/admin/v1/clients', `/admin/v1/audit/export?from=${today}&to=${today}`]) {
      isFailing = true
      const { status, headers, body: problem, text } = await app.call({ url: path })
      isFailing = false
      assert.deepEqual([status, problem.code, headers['retry-after']], [503, 'database-unavailable', '2'])
      assert.equal(headers['etag'], undefined)
      assert.doesNotMatch(text, /Schmidt|test-client/)
      assert.equal((await app.call({ url: path })).status, 200)
    }
  })

  it('a caller does not learn either that a record is missing', async () => {
    isFailing = true
    const missing = await app.call({ url: '/v2/applicant/AAAAAAAAAAAAAAAAAAAAAAA=' })
    const unknown = await app.call({ url: '/v2/applicant/employeenumber/NOBODY' })
    isFailing = false
    for (const { status, body: problem } of [missing, unknown])
      assert.deepEqual([status, problem.code], [503, 'database-unavailable'])
  })

  it('a request without a token stays rejected', async () => {
    isFailing = true
    const refused = await app.call({ url, scopes: null })
    isFailing = false
    assert.equal(refused.status, 401)
  })

  it('no token is issued', async () => {
    isFailing = true
    const response = await app.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: app.client.clientId,
        client_secret: app.client.clientSecret,
      }).toString(),
    })
    isFailing = false
    assert.equal(response.statusCode, 503)
    assert.equal(response.json().error, 'temporarily_unavailable')
    assert.equal(response.json().access_token, undefined)
  })
})

describe('an export of many entries', () => {
  it('is complete for a client that reads slowly', async () => {
    const app = await createTestApp()
    const total = 3_000
    await app.db.sql`
      insert into audit (at, client_id, request_id, action, record_id, outcome, status, changes)
      select now() - interval '1 hour', 'hr', 'r' || n, 'applicant.write', 'a' || n, 'ok', 200,
        json_build_array(json_build_object('pointer', '/text', 'after', repeat('x', 4000)))
      from generate_series(1, ${total}) as n`
    const url = await app.app.listen({ port: 0, host: '127.0.0.1' })
    const now = Date.now()
    const range = new URLSearchParams({
      from: new Date(now - 86_400_000).toISOString(),
      to: new Date(now + 86_400_000).toISOString(),
    })
    const headers = { authorization: `Bearer ${await app.token()}` }
    const response = await fetch(`${url}/admin/v1/audit/export?${range}`, { headers })
    assert.equal(response.status, 200)
    await sleep(500)
    const lines = (await response.text()).trim().split('\n')
    assert.ok(lines.length >= total, `${lines.length} entries`)
  })
})
