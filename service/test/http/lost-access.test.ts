// Requests that last, whose caller loses its access while they do.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCase } from '../../src/cases/cases.schema.ts'
import { createTestApp } from '../support/harness.ts'
import { createPerson } from '../support/people.ts'

const test = await createTestApp({ config: { tokenTtl: 3_600 } })
const BOUNDARY = 'x-boundary-x'
const part = (name: string, value: string, file = '') =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n${value}`
const multipart = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }

let caseId = ''
let companyId = ''
let downloadUrl = ''
let clients = 0

before(async () => {
  await test.app.listen({ port: 0, host: '127.0.0.1' })
  for (const name of ['Acme GmbH', 'Acme Inc.']) {
    const { body } = await test.call({ method: 'POST', url: '/admin/v1/companies', body: { name } })
    companyId = body.companyId
  }
  caseId = (await test.call({ method: 'POST', url: '/v2/case', body: createCase.example })).body.caseId
  const file = Buffer.concat([
    Buffer.from(`${part('caseId', caseId)}\r\n${part('countryCode', 'DE')}\r\n`),
    Buffer.from(`${part('document', '%PDF-1.7\n', '; filename="scan.pdf"')}`),
    randomBytes(40_000_000),
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ])
  const { body } = await test.call({ method: 'POST', url: '/v2/document', headers: multipart, body: file })
  downloadUrl = `/v2/document/${body.documentId}/file`
  await test.db.sql`
    insert into applicants (applicant_id, employee_number, record, name_key, name_key_reversed, search_keys, keys_version,
      company_set_id, created_at, updated_at)
    select 'filled-' || n, 'F-' || n,
      json_build_object('applicantId', 'filled-' || n, 'employeeNumber', 'F-' || n, 'jobTitle', repeat('x', 8000)),
      'name ' || n, 'eman ' || n, '{}', 1, null, now(), now()
    from generate_series(1, 6000) as n`
  await test.db.sql`
    insert into audit (at, client_id, request_id, action, record_id, outcome, status, changes)
    select now(), 'filled', 'r', 'applicant.write', 'filled-' || n, 'ok', 200,
      jsonb_build_array(jsonb_build_object('pointer', '/jobTitle', 'before', null, 'after', repeat('x', 8000)))
    from generate_series(1, 4000) as n`
})
afterEach(() => test.app.server.closeAllConnections())

/** A client of its own, with the headers of its requests. */
async function newClient(fields: object = {}) {
  clients += 1
  const clientId = `reader-${clients}`
  const body = {
    clientId,
    name: clientId,
    scopes: ['applicants:read', 'documents:read', 'documents:write'],
    ...fields,
  }
  const created = await test.call({ method: 'POST', url: '/admin/v1/clients', body })
  assert.equal(created.status, 201, created.text)
  const response = await test.app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `grant_type=client_credentials&client_id=${clientId}&client_secret=${created.body.clientSecret}`,
  })
  return { clientId, headers: { authorization: `Bearer ${response.json().access_token}` } }
}

const disable = (clientId: string) =>
  test.call({ method: 'POST', url: `/admin/v1/clients/${clientId}/disable` })

async function newPerson(roles: string[]) {
  const { user, visitor } = await createPerson(test, { roles })
  const cookie = `caseport=${visitor.cookies.get('caseport')}`
  const patch = (body: object) => test.call({ method: 'PATCH', url: `/admin/v1/users/${user.userId}`, body })
  return { headers: { cookie }, patch, visitor }
}

function send(path: string, options: RequestOptions): ClientRequest {
  const { port } = test.app.server.address() as AddressInfo
  return request({ port, host: '127.0.0.1', path, agent: false, ...options })
}

/** A response of which the first bytes were read, and no more. */
async function open(path: string, headers: Record<string, string>): Promise<IncomingMessage> {
  const sent = send(path, { headers })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  assert.equal(response.statusCode, 200)
  await once(response, 'readable')
  return response
}

/** Waits for five seconds at most. */
async function ended(): Promise<boolean> {
  for (let tries = 0; tries < 100 && test.app.inFlight.count() > 0; tries++) await sleep(50)
  return test.app.inFlight.count() === 0
}

/** The rest of the response, and whether it was whole. */
async function readOn(response: IncomingMessage) {
  const chunks: Buffer[] = []
  const whole = await (async () => {
    for await (const chunk of response) chunks.push(chunk)
    return true
  })().catch(() => false)
  return { whole, text: Buffer.concat(chunks).toString('latin1') }
}

async function assertCutOff(
  path: string,
  headers: Record<string, string>,
  lose: () => Promise<{ status: number }>,
) {
  const response = await open(path, headers)
  assert.ok((await lose()).status < 300)
  assert.ok(await ended(), `${path} still runs`)
  const { whole, text } = await readOn(response)
  assert.equal(whole, false)
  assert.doesNotMatch(text, /^\{"cursor":/m)
}

describe('a response that lasts is cut off within five seconds', () => {
  it('when its client is disabled: an export and a download', async () => {
    for (const path of ['/v2/export?kind=applicants', downloadUrl]) {
      const { clientId, headers } = await newClient()
      await assertCutOff(path, headers, () => disable(clientId))
    }
  })

  it('when its person is disabled: an export and the export of the audit', async () => {
    const range = `from=${new Date(Date.now() - 3_600_000).toISOString()}&to=${new Date(Date.now() + 3_600_000).toISOString()}`
    for (const path of ['/v2/export?kind=applicants', `/admin/v1/audit/export?${range}`]) {
      const { headers, patch } = await newPerson(['auditor'])
      await assertCutOff(path, headers, () => patch({ active: false }))
    }
  })

  it('when its person signs out, or loses a role', async () => {
    const leaving = await newPerson(['viewer'])
    await assertCutOff('/v2/export?kind=applicants', leaving.headers, () =>
      leaving.visitor.call({ method: 'DELETE', url: '/auth/v1/session' }),
    )
    const demoted = await newPerson(['viewer', 'auditor'])
    await assertCutOff('/v2/export?kind=applicants', demoted.headers, () =>
      demoted.patch({ roles: ['viewer'] }),
    )
  })

  it('when its client is limited to companies', async () => {
    const { clientId, headers } = await newClient()
    await assertCutOff('/v2/export?kind=applicants', headers, () =>
      test.call({ method: 'PATCH', url: `/admin/v1/clients/${clientId}`, body: { companies: [companyId] } }),
    )
  })
})

describe('a request that lasts', () => {
  it('is 401 where its response has not begun: a wait for changes', async () => {
    const { clientId, headers } = await newClient()
    const waiting = send('/v2/changes?after=now&wait=20', { headers })
    waiting.end()
    const responded = once(waiting, 'response')
    await sleep(200)
    await disable(clientId)
    const [response] = (await responded) as [IncomingMessage]
    assert.equal(response.statusCode, 401)
    assert.match(String(response.headers['www-authenticate']), /^Bearer /)
    assert.match((await readOn(response)).text, /"invalid-token"/)
  })

  it('stores no file whose client was disabled during the upload', async () => {
    const { clientId, headers } = await newClient()
    const upload = send('/v2/document', { method: 'POST', headers: { ...headers, ...multipart } })
    const closed = once(upload, 'close').catch(() => {})
    upload.write(`${part('caseId', caseId)}\r\n${part('countryCode', 'DE')}\r\n`)
    upload.write(part('document', '%PDF-1.7\n', '; filename="late.pdf"'))
    await sleep(200)
    await disable(clientId)
    await closed
    assert.ok(await ended())
    const { body } = await test.call({ url: `/admin/v1/documents?caseId=${caseId}` })
    const names = body.records.map(({ fileName }: { fileName: string }) => fileName)
    assert.deepEqual(names, ['scan.pdf'])
  })

  it('goes on where only its token has expired, or its person has gained a role', async () => {
    const { headers } = await newClient()
    const { headers: cookie, patch } = await newPerson(['viewer'])
    const [ofClient, ofPerson] = [
      await open('/v2/export?kind=applicants', headers),
      await open('/v2/export?kind=applicants', cookie),
    ]
    await patch({ roles: ['viewer', 'auditor'] })
    test.clock.advance(2 * 3_600)
    await sleep(5_000)
    for (const response of [ofClient, ofPerson]) {
      const { whole, text } = await readOn(response)
      assert.ok(whole)
      assert.match(text, /\{"cursor":"[^"]+"\}\n$/)
    }
  })
})
