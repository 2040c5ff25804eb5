// What each scope opens, and who can give which scopes to whom. The table of operations and scopes comes from the OpenAPI
// document, so that a new operation is covered automatically.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ownToken, UNKNOWN_ID } from './case-factories.ts'
import { baseUrl, call, contract, credentials } from './client.ts'
import { expectOk, expectProblem, type Fields, post } from './people.ts'

const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Fields
const SCOPES = Object.keys(document['components'].securitySchemes.oauth2.flows.clientCredentials.scopes)
const secured = contract.operations.filter(({ scope }) => scope)
const CLIENTS = '/admin/v1/clients'

describe('the scopes', () => {
  it('are those that operations need, and admin', () => {
    const needed = new Set(secured.map(({ scope }) => scope as string))
    assert.deepEqual([...needed, 'admin'].sort(), [...SCOPES].sort())
  })

  it('open the operator API part by part', () => {
    const scopeOf = (operationId: string) =>
      secured.find(operation => operation.operationId === operationId)?.scope
    const expected = {
      listCompanies: 'desk:read',
      createCompany: 'setup:write',
      listProcesses: 'desk:read',
      putProcess: 'setup:write',
      deleteProcess: 'setup:write',
      searchApplicants: 'desk:read',
      restoreApplicant: 'desk:write',
      patchCase: 'desk:write',
      addCaseStep: 'desk:write',
      addCaseNote: 'desk:write',
      listNotifications: 'desk:read',
      listClients: 'access:write',
      createClient: 'access:write',
      createWebhook: 'webhooks:write',
      testWebhook: 'webhooks:write',
      listAudit: 'audit:read',
    }
    assert.deepEqual(
      Object.fromEntries(Object.keys(expected).map(operationId => [operationId, scopeOf(operationId)])),
      expected,
    )
  })
})

/** Operations that need another scope beside their own. */
const SECOND: Record<string, string> = {
  getImportRowContent: 'applicants:read',
  mergeApplicantRecords: 'applicants:write',
  undoMerge: 'applicants:write',
}

for (const { operationId, method, path, scope: needed, takesJson } of secured)
  describe(`${operationId}: ${method} ${path}`, () => {
    it(`is open to ${needed} and to admin, and to no other scope alone`, async () => {
      const request = {
        method,
        path: path.replace(/\{\w+\}/g, UNKNOWN_ID),
        ...(takesJson && { body: {} }),
        apiKey: credentials.apiKey,
      }
      const open: string[] = []
      for (const scope of SCOPES) {
        const second = SECOND[operationId]
        const scopes = second && second !== scope ? [scope, second] : [scope]
        const { status, body } = await call({ ...request, scopes })
        assert.notEqual(status, 401, scope)
        if (status !== 403) open.push(scope)
        else assert.equal(body.code, 'insufficient-scope', scope)
      }
      assert.deepEqual(open.sort(), ['admin', needed].sort())
    })
  })

describe('POST /oauth/token', () => {
  const request = async (scopes: string[], scope: string) => {
    const client = await expectOk(post(CLIENTS, { name: 'Acceptance tests', scopes }))
    const basic = Buffer.from(`${client['clientId']}:${client['clientSecret']}`).toString('base64')
    return call({
      method: 'POST',
      path: '/oauth/token',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
      scopes: null,
    })
  }

  it('gives a client with admin any other scope alone', async () => {
    for (const scope of ['desk:read', 'applicants:read documents:write', 'admin']) {
      const { status, body } = await request(['admin'], scope)
      assert.equal(status, 200)
      assert.equal(body.scope, scope)
    }
    const narrow = (await request(['admin'], 'desk:read')).body.access_token
    assert.equal((await call({ path: '/admin/v1/companies', token: narrow })).status, 200)
    await expectProblem(call({ path: CLIENTS, token: narrow }), 403, 'insufficient-scope')
  })

  it('gives a client without admin only the scopes that it has', async () => {
    for (const scope of ['admin', 'desk:read desk:write', 'everything']) {
      const { status, body } = await request(['desk:read', 'access:write'], scope)
      assert.equal(status, 400)
      assert.equal(body.error, 'invalid_scope')
    }
  })
})

describe('a client with access:write and without admin', () => {
  const own = ['access:write', 'applicants:read']
  const strongerThan = async (scopes: string[]) =>
    (await expectOk(post(CLIENTS, { name: 'Acceptance tests', scopes })))['clientId'] as string

  it('creates clients with scopes that it has, and no others', async () => {
    const { token } = await ownToken(own)
    const create = (scopes: string[]) => post(CLIENTS, { name: 'Made by another', scopes }, { token })
    assert.equal((await create(['applicants:read'])).status, 201)
    assert.equal((await create(own)).status, 201)
    const problem = await expectProblem(
      create(['applicants:read', 'cases:write', 'admin']),
      403,
      'cannot-grant',
    )
    assert.match(problem['detail'], /cases:write, admin/)
    assert.deepEqual(
      problem['errors'].map(({ pointer }: Fields) => pointer),
      ['/scopes/1', '/scopes/2'],
    )
    for (const scope of SCOPES.filter(other => !own.includes(other)))
      await expectProblem(create([scope]), 403, 'cannot-grant')
  })

  it('has only the scopes of its token to give, whatever its client has', async () => {
    const scopes = ['access:write']
    await expectProblem(post(CLIENTS, { name: 'x', scopes: ['cases:read'] }, { scopes }), 403, 'cannot-grant')
    assert.equal((await post(CLIENTS, { name: 'Acceptance tests', scopes }, { scopes })).status, 201)
  })

  it('gets no secret and no key of a client that has more scopes, and cannot disable or enable it', async () => {
    const { token } = await ownToken(own)
    for (const scopes of [['admin'], ['applicants:read', 'applicants:write']]) {
      const at = `${CLIENTS}/${await strongerThan(scopes)}`
      const { keyId } = await expectOk(post(`${at}/api-keys`, { name: 'first' }))
      const before = await expectOk(call({ path: at }))
      const attempts = [
        post(`${at}/rotate-secret`, {}, { token }),
        post(`${at}/api-keys`, { name: 'second' }, { token }),
        call({ method: 'DELETE', path: `${at}/api-keys/${keyId}`, token }),
        call({ method: 'POST', path: `${at}/disable`, token }),
        call({ method: 'POST', path: `${at}/enable`, token }),
      ]
      for (const attempt of attempts) {
        const { detail } = await expectProblem(attempt, 403, 'cannot-grant')
        assert.ok(detail.includes(scopes.at(-1)), detail)
      }
      assert.deepEqual(await expectOk(call({ path: at })), before)
    }
  })

  it('changes a client that has no more scopes than itself', async () => {
    const { token } = await ownToken(own)
    const at = `${CLIENTS}/${await strongerThan(['applicants:read'])}`
    await expectOk(post(`${at}/rotate-secret`, {}, { token }))
    const { keyId } = await expectOk(post(`${at}/api-keys`, { name: 'first' }, { token }))
    assert.equal((await call({ method: 'DELETE', path: `${at}/api-keys/${keyId}`, token })).status, 204)
    for (const verb of ['disable', 'enable'])
      assert.equal((await call({ method: 'POST', path: `${at}/${verb}`, token })).status, 200)
  })
})
