import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { CaseportError, isCaseportError } from '../src/errors.ts'
import { requestPath } from '../src/node.ts'
import { startProxy } from './support/faulty-proxy.ts'
import {
  ANNA,
  aroundToday,
  BASE_URL,
  CLIENT_AUTH,
  connect,
  connectNewCompany,
  newCase,
  newName,
} from './support/service.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const caseport = connect()
const proxy = await startProxy()
const throughProxy = () => connect({ baseUrl: proxy.url })
const family = { primaryApplicant: ANNA }
const requestsTo = (path: string) => proxy.seen.filter(request => request.path === path)

describe('tokens of client credentials', () => {
  it('are requested once for many concurrent calls, and kept', async () => {
    const client = throughProxy()
    const before = requestsTo('/oauth/token').length
    await Promise.all(Array.from({ length: 20 }, () => client.companies.list()))
    await client.companies.list()
    assert.equal(requestsTo('/oauth/token').length - before, 1)
  })

  it('are renewed before they expire', async t => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const client = throughProxy()
    await client.companies.list()
    const before = requestsTo('/oauth/token').length
    // A token is valid for 3,600 seconds and renewed in the last minute.
    t.mock.timers.tick(3_535_000)
    await client.companies.list()
    assert.equal(requestsTo('/oauth/token').length - before, 0)
    t.mock.timers.tick(10_000)
    await client.companies.list()
    assert.equal(requestsTo('/oauth/token').length - before, 1)
  })

  it('are requested again after the service rejected one', async () => {
    const client = throughProxy()
    await client.companies.list()
    const before = requestsTo('/oauth/token').length
    const body = JSON.stringify({ code: 'invalid-token', status: 401, title: 'Invalid.', detail: 'Invalid.' })
    proxy.plan('/admin/v1/companies', { kind: 'respond', status: 401, body })
    await client.companies.list()
    assert.equal(requestsTo('/oauth/token').length - before, 1)
  })

  it('are requested again after a lost connection to the token endpoint', async () => {
    proxy.plan('/oauth/token', { kind: 'drop' }, { kind: 'respond', status: 503 })
    await throughProxy().companies.list()
  })

  it('have only the scopes that were asked for', async () => {
    const limited = connect({ auth: { ...CLIENT_AUTH, scopes: ['cases:read'] } })
    await assert.rejects(limited.companies.list(), { code: 'insufficient-scope', status: 403 })
  })

  it('are refused to a wrong secret, without a retry', async () => {
    const auth = { ...CLIENT_AUTH, clientId: newName('nobody'), clientSecret: 'wrong' }
    const before = requestsTo('/oauth/token').length
    const call = connect({ baseUrl: proxy.url, auth }).companies.list()
    await assert.rejects(call, { code: 'invalid_client', status: 401 })
    assert.equal(requestsTo('/oauth/token').length - before, 1)
  })

  it('are not requested from the target of a redirect, which would get the secret', async t => {
    const bodies: string[] = []
    const target = createServer(async (request, response) => {
      bodies.push(await text(request))
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ access_token: 'stolen', expires_in: 3600 }))
    }).listen(0, '127.0.0.1')
    t.after(() => target.close())
    await once(target, 'listening')
    const location = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`
    for (const status of [302, 307, 308]) {
      proxy.plan('/oauth/token', { kind: 'respond', status, headers: { location } })
      const call = throughProxy().companies.list()
      await assert.rejects(call, (error: unknown) => {
        assert.ok(isCaseportError(error, 'invalid-response'))
        assert.equal(error.status, status)
        assert.ok(error.message.includes(`redirects to ${location}`), error.message)
        return true
      })
    }
    assert.deepEqual(bodies, [])
  })

  it('do not end for other callers when one caller aborts', async () => {
    const client = throughProxy()
    const controller = new AbortController()
    const aborted = client.companies.list({ signal: controller.signal })
    const other = client.companies.list()
    controller.abort()
    await assert.rejects(aborted, { name: 'AbortError' })
    assert.ok(Array.isArray(await other))
  })
})

describe('other kinds of authentication', () => {
  it('sends the token of a function, and asks it again when the token is rejected', async () => {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: CLIENT_AUTH.clientId,
      client_secret: CLIENT_AUTH.clientSecret,
    })
    const response = await fetch(`${BASE_URL}/oauth/token`, { method: 'POST', body: form })
    const { access_token: token } = (await response.json()) as { access_token: string }
    const tokens = ['expired', token]
    const client = connect({ auth: { kind: 'token', token: () => tokens.shift() ?? token } })
    assert.ok(Array.isArray(await client.companies.list()))
    const fixed = connect({ auth: { kind: 'token', token: 'expired' } })
    await assert.rejects(fixed.companies.list(), { code: 'invalid-token', status: 401 })
  })

  it('ends with the signal and at the deadline while a token of a function is awaited', async () => {
    const client = connect({ auth: { kind: 'token', token: () => new Promise<string>(() => {}) } })
    const reason = new Error('enough')
    const controller = new AbortController()
    setTimeout(() => controller.abort(reason), 50)
    await assert.rejects(client.companies.list({ signal: controller.signal }), reason)
    await assert.rejects(client.companies.list({ deadline: 50 }), { code: 'deadline-exceeded' })
  })

  it('sends cookies and no token in cookie mode', async () => {
    const sent: RequestInit[] = []
    const client = connect({
      auth: { kind: 'cookie' },
      fetch: async (_url, init) => {
        sent.push(init ?? {})
        return Response.json([])
      },
    })
    await client.companies.list()
    assert.equal(sent[0]?.credentials, 'include')
    assert.equal(new Headers(sent[0]?.headers).has('authorization'), false)
  })

  it('gets 401 from the service in cookie mode without a session', async () => {
    const client = connect({ auth: { kind: 'cookie' } })
    await assert.rejects(client.companies.list(), { code: 'token-required', status: 401 })
  })
})

describe('checks of health', () => {
  it('need no valid credentials', async () => {
    const client = connect({ baseUrl: proxy.url, auth: { ...CLIENT_AUTH, clientSecret: 'wrong' } })
    const before = proxy.seen.length
    assert.deepEqual(await client.health.live(), { status: 'ok' })
    assert.deepEqual(await client.health.ready(), { status: 'ok' })
    const seen = proxy.seen.slice(before)
    assert.deepEqual(
      seen.map(({ path, headers }) => [path, headers.authorization]),
      [
        ['/healthz', undefined],
        ['/readyz', undefined],
      ],
    )
    await assert.rejects(client.health.cases(), { code: 'invalid_client' })
  })
})

describe('errors', () => {
  it('have code, status, detail, fields and request id of the problem document', async () => {
    const body = { primaryApplicant: { firstName: 'Anna', dateOfBirth: '1990-02-30' } }
    // @ts-expect-error lastName is missing.
    const call = caseport.applicants.create(body)
    await assert.rejects(call, (error: unknown) => {
      assert.ok(isCaseportError(error, 'invalid-request'))
      assert.equal(error.status, 400)
      const pointers = error.errors.map(({ pointer }) => pointer).sort()
      assert.deepEqual(pointers, ['/primaryApplicant/dateOfBirth', '/primaryApplicant/lastName'])
      assert.match(error.requestId ?? '', /\S/)
      assert.match(error.message, /^invalid-request: .*\/primaryApplicant\//)
      return true
    })
  })

  it('narrow to the codes that are asked for', async () => {
    const error = await caseport.cases.get('bm9uZQ==').catch((error: unknown) => error)
    assert.ok(error instanceof CaseportError)
    assert.equal(isCaseportError(error, 'case-not-found', 'invalid-request'), true)
    assert.equal(isCaseportError(error, 'version-mismatch'), false)
    assert.equal(isCaseportError(new Error('other')), false)
    if (isCaseportError(error, 'case-not-found')) {
      const code: 'case-not-found' = error.code
      assert.equal(code, 'case-not-found')
    }
  })

  it('name a service that cannot be reached', async () => {
    const call = connect({ baseUrl: 'http://127.0.0.1:9', retries: 0 }).api.GET('/healthz')
    await assert.rejects(call, { code: 'network-error', status: 0 })
  })

  it('name a response that is no JSON, and one of a proxy', async () => {
    const html = { kind: 'respond', headers: { 'content-type': 'text/html' }, body: '<html>' } as const
    proxy.plan('/admin/v1/companies', { ...html, status: 200 }, { ...html, status: 413 })
    const client = throughProxy()
    await assert.rejects(client.companies.list(), { code: 'invalid-response' })
    await assert.rejects(client.companies.list(), { code: 'invalid-response', status: 413 })
  })

  it('name the target of a redirect', async () => {
    const headers = { location: 'https://caseport.example.com/' }
    proxy.plan('/admin/v1/companies', { kind: 'respond', status: 301, headers })
    await assert.rejects(throughProxy().companies.list(), /https:\/\/caseport\.example\.com/)
  })

  it('reject a path parameter that would lead to another operation', async () => {
    for (const number of ['', '.', '..'])
      await assert.rejects(caseport.applicants.getByNumber(number), {
        code: 'invalid-argument',
        errors: [{ pointer: '/employeeNumber', detail: 'Must not be empty, "." or "..".' }],
      })
    await assert.rejects(caseport.documents.download('..'), { code: 'invalid-argument' })
  })

  it('reject a base URL that is none', () => {
    assert.throws(() => connect({ baseUrl: 'caseport' }), { code: 'invalid-argument' })
  })

  it('reject a base URL with more than an address, and do not repeat the password in it', () => {
    for (const baseUrl of [
      'https://anna:hunter2@caseport.example.com',
      'https://anna@caseport.example.com',
      'https://:hunter2@caseport.example.com',
      'https://caseport.example.com/?tenant=hunter2',
      'https://caseport.example.com?',
      'https://caseport.example.com/#',
      'htp://anna:hunter2@caseport.example.com',
    ])
      assert.throws(
        () => connect({ baseUrl }),
        (error: unknown) => {
          assert.ok(isCaseportError(error, 'invalid-argument'))
          assert.match(
            error.message,
            /baseUrl: Expected an http or https URL without user, query or fragment/,
          )
          assert.doesNotMatch(error.message, /hunter2/)
          return true
        },
      )
  })
})

describe('retries', () => {
  it('repeat a read after lost connections, a cut response and errors of a proxy', async () => {
    const number = newName('E')
    await caseport.applicants.replaceByNumber(number, family)
    const path = `/v2/applicant/employeenumber/${number}`
    proxy.plan(path, { kind: 'drop' }, { kind: 'cut', after: 40 }, { kind: 'respond', status: 502 })
    const person = await throughProxy().applicants.getByNumber(number)
    assert.equal(person.lastName, 'Schmidt')
    assert.equal(requestsTo(path).length, 4)
  })

  it('repeat a POST with the same key, so that a lost response creates no second record', async () => {
    const employeeNumber = newName('E')
    const first = proxy.seen.length
    proxy.plan('/v2/applicant', { kind: 'lose-response' }, { kind: 'lose-response' })
    const created = await throughProxy().applicants.create({
      primaryApplicant: { ...ANNA, employeeNumber },
    })
    const posts = proxy.seen.slice(first).filter(({ path }) => path === '/v2/applicant')
    const keys = new Set(posts.map(({ headers }) => headers['idempotency-key']))
    assert.equal(posts.length, 3)
    assert.equal(keys.size, 1)
    assert.match([...keys][0] as string, /^[0-9a-f]{32}$/)
    const stored = await caseport.applicants.getByNumber(employeeNumber)
    assert.equal(stored.applicantId, created.primaryApplicant.applicantId)
  })

  it('repeat a POST by its path with the same key', async () => {
    const [name, first] = [newName('Company'), proxy.seen.length]
    const path = '/admin/v1/companies'
    proxy.plan(path, { kind: 'lose-response' })
    const request = { method: 'POST', headers: { 'content-type': 'application/json' } }
    const response = await requestPath(throughProxy(), path, { ...request, body: JSON.stringify({ name }) })
    assert.equal(response.status, 201)
    const posts = proxy.seen.slice(first).filter(seen => seen.path === path)
    assert.equal(posts.length, 2)
    assert.equal(new Set(posts.map(({ headers }) => headers['idempotency-key'])).size, 1)
  })

  it('send the key of the caller', async () => {
    const employeeNumber = newName('E')
    const body = { primaryApplicant: { ...ANNA, employeeNumber } }
    const idempotencyKey = newName('key')
    const first = await caseport.applicants.create(body, { idempotencyKey })
    assert.deepEqual(await caseport.applicants.create(body, { idempotencyKey }), first)
    const other = { primaryApplicant: { ...ANNA, employeeNumber: newName('E') } }
    await assert.rejects(caseport.applicants.create(other, { idempotencyKey }), {
      code: 'idempotency-key-reused',
    })
  })

  it('do not repeat a POST that accepts no key after a lost response', async () => {
    const client = throughProxy()
    const url = 'https://receiver.invalid/tested'
    const { webhookId } = await client.webhooks.create({ url, active: false })
    const path = `/admin/v1/webhooks/${encodeURIComponent(webhookId)}/test`
    proxy.plan(path, { kind: 'lose-response' })
    await assert.rejects(client.webhooks.test(webhookId), { code: 'network-error' })
    assert.equal(requestsTo(path).length, 1)
  })

  it('return the secret of a client that a lost response has created', async () => {
    const client = throughProxy()
    const name = newName('client')
    proxy.plan('/admin/v1/clients', { kind: 'lose-response' })
    const { clientId, clientSecret } = await client.clients.create({ name, scopes: ['cases:read'] })
    assert.ok(clientSecret)
    const named = (await caseport.clients.list()).filter(one => one.name === name)
    assert.deepEqual(
      named.map(one => one.clientId),
      [clientId],
    )
  })

  it('do not repeat a conditional write after a lost response, which would conflict with itself', async () => {
    const number = newName('E')
    const client = throughProxy()
    const { primaryApplicant } = await client.applicants.replaceByNumber(number, family)
    const path = `/v2/applicant/employeenumber/${number}`
    const before = requestsTo(path).length
    proxy.plan(path, { kind: 'lose-response' })
    const body = { primaryApplicant: { jobTitle: 'Engineer' } }
    const call = client.applicants.mergeByNumber(number, body, { ifMatch: primaryApplicant })
    await assert.rejects(call, { code: 'network-error' })
    assert.equal(requestsTo(path).length - before, 1)
  })

  it('wait as long as Retry-After says', async () => {
    const headers = { 'retry-after': '1' }
    proxy.plan('/admin/v1/processes', { kind: 'respond', status: 429, headers })
    const client = throughProxy()
    await client.companies.list()
    const started = Date.now()
    await client.processes.list()
    assert.ok(Date.now() - started >= 1_000)
  })

  it('end at the deadline', async () => {
    const client = throughProxy()
    await client.companies.list()
    proxy.plan('/admin/v1/processes', { kind: 'hang' })
    const started = Date.now()
    await assert.rejects(client.processes.list({ deadline: 300 }), { code: 'deadline-exceeded' })
    assert.ok(Date.now() - started < 5_000)
  })

  it('treat a DELETE whose first response was lost as done', async () => {
    const name = newName('Process')
    const client = throughProxy()
    await client.processes.replace(name, { steps: ['One'] })
    proxy.plan(`/admin/v1/processes/${name}`, { kind: 'lose-response' })
    await client.processes.delete(name)
    await assert.rejects(client.processes.delete(name), { code: 'process-not-found' })
  })

  it('do not take 404 of a proxy for the proof that a DELETE was done', async () => {
    const name = newName('Process')
    const client = throughProxy()
    await client.processes.replace(name, { steps: ['One'] })
    const route = JSON.stringify({ code: 'route-not-found', title: 'T', detail: 'D' })
    for (const body of ['<html>', route]) {
      proxy.plan(`/admin/v1/processes/${name}`, { kind: 'drop' }, { kind: 'respond', status: 404, body })
      await assert.rejects(client.processes.delete(name), { status: 404 })
    }
    await client.processes.delete(name)
  })
})

describe('versions of records', () => {
  it('ifMatch with a record writes over it, and rejects it once it is old', async () => {
    const number = newName('E')
    await caseport.applicants.replaceByNumber(number, family)
    const read = await caseport.applicants.getByNumber(number)
    const body = { primaryApplicant: { jobTitle: 'Engineer' } }
    const saved = await caseport.applicants.mergeByNumber(number, body, { ifMatch: read })
    const conflict = caseport.applicants.mergeByNumber(
      number,
      { primaryApplicant: { jobTitle: 'Director' } },
      { ifMatch: read },
    )
    await assert.rejects(conflict, { code: 'version-mismatch', status: 412 })
    const again = { primaryApplicant: { jobTitle: 'Director' } }
    const third = await caseport.applicants.mergeByNumber(number, again, {
      ifMatch: saved.primaryApplicant,
    })
    assert.equal(third.primaryApplicant.jobTitle, 'Director')
    const etag = caseport.etagOf(third)
    await caseport.applicants.mergeByNumber(number, body, { ifMatch: etag })
  })

  it('ifMatch rejects an object that was not read', async () => {
    const call = async () => caseport.applicants.merge('id', {}, { ifMatch: { ...ANNA } })
    await assert.rejects(call, { code: 'invalid-argument' })
  })

  it('ifNoneMatch returns the same object until the record changes', async () => {
    const created = await newCase(caseport)
    const read = await caseport.cases.get(created.caseId)
    assert.equal(await caseport.cases.get(created.caseId, { ifNoneMatch: read }), read)
    await caseport.cases.update(created.caseId, { status: 'pending' }, { ifMatch: read })
    const changed = await caseport.cases.get(created.caseId, { ifNoneMatch: read })
    assert.equal(changed.status, 'pending')
  })
})

describe('lists', () => {
  it('read all records over pages, from the first one on', async () => {
    const { caseport, company } = await connectNewCompany()
    const { caseId } = await newCase(caseport, company)
    for (let count = 1; count <= 5; count++)
      await caseport.cases.notes.add(caseId, { content: `Note ${count}`, author: 'R. Okafor' })
    const expected = await caseport.cases.notes.listForCase(caseId)
    const list = caseport.cases.notes.list({ ...aroundToday(), maxRecords: 2 })
    const found = []
    for await (const note of list) if (note.caseId === caseId) found.push(note)
    assert.deepEqual(found, expected)

    const steps = await caseport.cases.steps.list({ ...aroundToday(), maxRecords: 3 }).toArray()
    const own = steps.filter(step => step.caseId === caseId).map(step => step.stepId)
    const listed = await caseport.cases.steps.listForCase(caseId)
    assert.deepEqual(own.sort(), listed.map(step => step.stepId).sort())
  })

  it('return pages with their cursors, the first page, and a limited number of records', async () => {
    const { caseport, company } = await connectNewCompany()
    const { caseId } = await newCase(caseport, company)
    const steps = caseport.cases.steps.list({ ...aroundToday(), maxRecords: 2 })
    let count = 0
    for await (const page of steps.pages()) {
      assert.ok(page.records.length <= 2)
      count += 1
      if (page.records.some(step => step.caseId === caseId)) break
    }
    assert.ok(count >= 1)
    const first = await steps.first()
    assert.equal(first.prevCursor, null)
    assert.equal(typeof first.nextCursor, 'string')
    assert.deepEqual(await steps.toArray(3), (await steps.toArray()).slice(0, 3))
    assert.deepEqual(await steps.toArray(0), [])
  })

  it('continue at a cursor', async () => {
    const { caseport, company } = await connectNewCompany()
    await newCase(caseport, company)
    const query = { ...aroundToday(), maxRecords: 2 }
    const { nextCursor } = await caseport.cases.steps.list(query).first()
    assert.ok(nextCursor)
    const rest = await caseport.cases.steps.list({ ...query, nextCursor }).toArray()
    const all = await caseport.cases.steps.list(query).toArray()
    assert.deepEqual(rest, all.slice(2))
  })

  it('search people', async () => {
    const lastName = newName('Searched')
    await caseport.applicants.create({ primaryApplicant: { ...ANNA, lastName } })
    const found = await caseport.applicants.search({ q: lastName }).toArray()
    assert.deepEqual(
      found.map(person => person.lastName),
      [lastName],
    )
  })
})

describe('api', () => {
  it('calls an operation by its path, with the same errors', async () => {
    const { data } = await caseport.api.GET('/admin/v1/companies')
    assert.ok(Array.isArray(data))
    const call = caseport.api.GET('/v2/case/{caseId}', { params: { path: { caseId: 'bm9uZQ==' } } })
    await assert.rejects(call, { code: 'case-not-found' })
  })
})

describe('requestPath', () => {
  /** A file of two chunks, the second of which is sent when `next` is called. */
  const startFile = async (t: TestContext, contentType: string) => {
    const { promise, resolve: next } = Promise.withResolvers<string | undefined>()
    let requests = 0
    const server = createServer(async (_request, response) => {
      requests += 1
      response.writeHead(200, { 'content-type': contentType }).write('"first,')
      const last = await promise
      if (last === undefined) response.destroy()
      else response.end(last)
    }).listen(0, '127.0.0.1')
    t.after(() => server.close().closeAllConnections())
    await once(server, 'listening')
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = connect({ baseUrl, auth: { kind: 'token', token: 't' }, deadline: 300, retries: 1 })
    return { client, next, requests: () => requests }
  }

  it('ends with a signal that is aborted after garbage was collected', async t => {
    let requested = () => {}
    const arrived = new Promise<void>(resolve => {
      requested = resolve
    })
    const server = createServer(() => requested()).listen(0, '127.0.0.1')
    t.after(() => server.close().closeAllConnections())
    await once(server, 'listening')
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = connect({ baseUrl, auth: { kind: 'token', token: 't' }, deadline: 5_000, retries: 0 })
    const controller = new AbortController()
    const [{ signal }, reason] = [controller, new Error('enough')]
    const rejection = Promise.all([
      assert.rejects(requestPath(client, '/file', { signal }), reason),
      assert.rejects(client.companies.list({ signal }), reason),
      assert.rejects(client.api.GET('/admin/v1/companies', { signal }), reason),
    ])
    await arrived
    for (let count = 0; count < 5; count++) {
      collectGarbage()
      await new Promise(resolve => setTimeout(resolve, 20))
    }
    controller.abort(reason)
    await rejection
  })

  it('streams a file, for longer than its deadline', async t => {
    const { client, next } = await startFile(t, 'application/pdf')
    const response = await requestPath(client, '/file', { stream: true })
    const chunks: string[] = []
    for await (const chunk of response.body ?? []) {
      chunks.push(Buffer.from(chunk).toString())
      setTimeout(next, 600, 'second"')
    }
    assert.deepEqual(chunks, ['"first,', 'second"'])
  })

  it('fails with network-error if a stream breaks off, and ends it with the signal', async t => {
    const { client, next } = await startFile(t, 'application/pdf')
    const broken = await requestPath(client, '/file', { stream: true })
    const ended = await requestPath(client, '/file', { stream: true, signal: AbortSignal.timeout(400) })
    await assert.rejects(ended.text(), { name: 'TimeoutError' })
    next(undefined)
    await assert.rejects(broken.text(), { code: 'network-error' })
  })

  it('reads JSON within the deadline, also when it may stream', async t => {
    const { client, requests } = await startFile(t, 'application/json; charset=utf-8')
    await assert.rejects(requestPath(client, '/json', { stream: true }), { code: 'deadline-exceeded' })
    assert.equal(requests(), 1)
  })

  it('streams nothing where there is no body', async () => {
    const company = await caseport.companies.create({ name: newName('Company') })
    const path = `/admin/v1/companies/${company.companyId}`
    const headers = { 'if-none-match': caseport.etagOf(company) }
    const response = await requestPath(caseport, path, { headers, stream: true })
    assert.deepEqual([response.status, response.body], [304, null])
  })
})

describe('a client that may write but not read', () => {
  it('gets identifiers from a write', async () => {
    const writer = connect({ auth: { ...CLIENT_AUTH, scopes: ['applicants:write'] } })
    const saved = await writer.applicants.replaceByNumber(newName('E'), family)
    assert.match(saved.primaryApplicant.applicantId, /\S/)
    assert.equal(saved.primaryApplicant.firstName, undefined)
    await assert.rejects(writer.applicants.get(saved.primaryApplicant.applicantId), {
      code: 'insufficient-scope',
    })
  })
})

describe('changes of employee numbers', () => {
  it('send the API key', async () => {
    const [from, to] = [newName('E'), newName('E')]
    await caseport.applicants.replaceByNumber(from, family)
    const changed = await caseport.applicants.changeNumber(from, to, ANNA)
    assert.equal(changed.employeeNumber, to)
    const { apiKey: _, ...without } = { apiKey: '', baseUrl: BASE_URL, auth: CLIENT_AUTH }
    const { createCaseport } = await import('../src/caseport.ts')
    const call = createCaseport(without).applicants.changeNumber(to, newName('E'), ANNA)
    await assert.rejects(call, { code: 'api-key-required', status: 401 })
  })
})
