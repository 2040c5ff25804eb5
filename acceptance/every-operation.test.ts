// Tests of every operation in the OpenAPI document. A new operation is covered automatically.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { call, contract, credentials } from './client.ts'
import { createPerson, endedCookie, sameOrigin } from './visitors.ts'

const ALL_SCOPES = [...new Set(contract.operations.flatMap(({ scope }) => scope ?? []))]
const UPLOADS = new Set(['uploadDocument', 'uploadApplicantDocument', 'putDocumentFile', 'createImport'])
const secured = contract.operations.filter(({ scope }) => scope)

/** The path with an unknown id in place of its parameters. */
const filled = (path: string) => path.replace(/\{\w+\}/g, 'bm90aGluZyBoYXMgdGhpcyA=')

describe('the OpenAPI document', () => {
  it('names a scope for every operation of the APIs', () => {
    const open = contract.operations.filter(({ path, scope }) => /^\/(v2|admin)\//.test(path) && !scope)
    // Every caller may ask who it is. Which scope changes and exports need depends on what is asked for (changes.test.ts).
    assert.deepEqual(
      open.map(({ operationId, byCookie }) => [operationId, byCookie]),
      [
        ['getMe', true],
        ['listChanges', true],
        ['exportRecords', true],
      ],
    )
    assert.ok(secured.length > 40, `${secured.length} operations`)
  })

  it('describes the body of every operation that changes something by JSON', () => {
    const WITHOUT_JSON = [
      'uploadDocument',
      'uploadApplicantDocument',
      'putDocumentFile',
      'restoreDocument',
      'createMyCalendar',
      'disableClient',
      'enableClient',
      'replayWebhookDelivery',
      'inviteUser',
      'resetUser',
      'testWebhook',
      'createImport',
      'releaseImport',
      'cancelImport',
    ]
    const others = secured.filter(
      ({ method, takesJson }) => ['POST', 'PUT', 'PATCH'].includes(method) && !takesJson,
    )
    assert.deepEqual(others.map(({ operationId }) => operationId).sort(), WITHOUT_JSON.sort())
  })
})

/** Operations without a scope: for people alone, and those by which they sign in. */
const unscoped = contract.operations.filter(({ path, scope }) => /^\/(auth|admin)\//.test(path) && !scope)

for (const { operationId, method, path, byCookie } of contract.operations) {
  if (!byCookie) continue
  describe(`${operationId} by cookie: ${method} ${path}`, () => {
    it('rejects a session that has ended', async () => {
      const headers = { ...endedCookie, ...sameOrigin }
      const response = await call({ method, path: filled(path), scopes: null, headers })
      assert.equal(response.status, 401)
      assert.equal(response.body.code, 'session-required')
      assert.match(response.headers.get('www-authenticate') ?? '', /^Cookie/)
    })

    if (method !== 'GET')
      it('rejects a page of another origin', async () => {
        const headers = { ...endedCookie, origin: 'https://evil.example' }
        const response = await call({ method, path: filled(path), scopes: null, headers })
        assert.equal(response.status, 403)
        assert.equal(response.body.code, 'cross-origin')
      })
  })
}

for (const { operationId, method, path, byCookie, takesJson } of unscoped) {
  describe(`${operationId}: ${method} ${path}`, () => {
    const request = { method, path: filled(path), ...(takesJson && { body: {} }) }
    const person = byCookie ? createPerson() : undefined
    const send = async (rest: object) => {
      const headers = {
        ...sameOrigin,
        ...(await person)?.headers(),
        ...(rest as { headers?: object }).headers,
      }
      return call({ ...request, scopes: null, ...rest, headers })
    }

    if (byCookie && !takesJson)
      it('rejects an unknown query parameter, and names it', async () => {
        const response = await send({ path: `${request.path}?thereIsNoSuchParameter=1` })
        assert.equal(response.status, 400)
        const pointers = response.body.errors.map(({ pointer }: { pointer: string }) => pointer)
        assert.ok(pointers.includes('/thereIsNoSuchParameter'))
      })

    if (operationId === 'getMe')
      it('rejects a call without a token', async () => {
        const response = await call({ ...request, scopes: null })
        assert.equal(response.body.code, 'token-required')
      })
    else if (byCookie)
      it('rejects an access token, which is no person', async () => {
        const response = await call(request)
        assert.equal(response.status, 401)
        assert.equal(response.body.code, 'session-required')
      })
    else if (method !== 'GET')
      it('rejects a page of another origin', async () => {
        const response = await call({ ...request, scopes: null, headers: { origin: 'https://evil.example' } })
        assert.equal(response.status, 403)
        assert.equal(response.body.code, 'cross-origin')
      })

    if (method !== 'GET')
      it('rejects another media type, and a body that is too large', async () => {
        const text = await send({ body: 'a=b', headers: { 'content-type': 'text/csv' } })
        assert.equal(text.status, 415)
        assert.equal(text.body.code, 'unsupported-media-type')
        const large = await send({ body: { text: 'x'.repeat(1024 * 1024) } })
        assert.equal(large.status, 413)
        assert.equal(large.body.code, 'payload-too-large')
      })

    if (takesJson)
      it('rejects malformed JSON and an unknown field, and names it', async () => {
        const headers = { 'content-type': 'application/json' }
        for (const body of ['{"a":', '', '[]', 'null']) {
          const response = await send({ body, headers })
          assert.equal(response.status, 400)
          assert.equal(response.body.code, 'invalid-request')
        }
        const response = await send({ body: { thereIsNoSuchField: 1 } })
        assert.ok(
          response.body.errors.some((error: { pointer: string }) => error.pointer === '/thereIsNoSuchField'),
        )
      })
  })
}

for (const { operationId, method, path, scope, apiKey, takesJson } of secured) {
  const request = {
    method,
    path: filled(path),
    ...(takesJson && { body: {} }),
    ...(apiKey && { apiKey: credentials.apiKey }),
  }

  describe(`${operationId}: ${method} ${path}`, () => {
    it('rejects a call without a token', async () => {
      const response = await call({ ...request, scopes: null })
      assert.equal(response.status, 401)
      assert.equal(response.body.code, 'token-required')
      assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/)
    })

    it('rejects an invalid token', async () => {
      const response = await call({ ...request, token: 'eyJhbGciOiJub25lIn0.e30.' })
      assert.equal(response.status, 401)
      assert.equal(response.body.code, 'invalid-token')
    })

    it(`rejects a token with every scope but ${scope}`, async () => {
      const response = await call({ ...request, scopes: ALL_SCOPES.filter(other => other !== scope) })
      assert.equal(response.status, 403)
      assert.equal(response.body.code, 'insufficient-scope')
    })

    if (!takesJson)
      it('rejects an unknown query parameter, and names it', async () => {
        const response = await call({ ...request, path: `${request.path}?thereIsNoSuchParameter=1` })
        assert.equal(response.status, 400)
        assert.equal(response.body.code, 'invalid-request')
        const pointers = response.body.errors.map(({ pointer }: { pointer: string }) => pointer)
        assert.ok(pointers.includes('/thereIsNoSuchParameter'))
      })

    if (apiKey)
      it('rejects a missing and a wrong API key', async () => {
        for (const key of [undefined, 'wrong']) {
          const { apiKey: _right, ...bare } = request
          const response = await call({ ...bare, ...(key && { apiKey: key }) })
          assert.equal(response.status, 401)
          assert.equal(response.body.code, 'api-key-required')
        }
      })

    // An upload has another media type and limit.
    if (method !== 'GET' && !UPLOADS.has(operationId))
      it('rejects another media type, and a body that is too large', async () => {
        const text = await call({ ...request, body: 'a=b', headers: { 'content-type': 'text/csv' } })
        assert.equal(text.status, 415)
        assert.equal(text.body.code, 'unsupported-media-type')
        const large = await call({ ...request, body: { text: 'x'.repeat(1024 * 1024) } })
        assert.equal(large.status, 413)
        assert.equal(large.body.code, 'payload-too-large')
      })

    if (takesJson) {
      it('rejects malformed JSON', async () => {
        const headers = { 'content-type': 'application/json' }
        for (const body of ['{"a":', '', '[1,2', '"\\u0000"', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])]) {
          const response = await call({ ...request, body, headers })
          assert.equal(response.status, 400)
          assert.equal(response.body.code, 'invalid-request')
        }
      })

      it('rejects a body that is not a JSON object', async () => {
        for (const body of ['[]', '"text"', '3', 'null']) {
          const response = await call({ ...request, body, headers: { 'content-type': 'application/json' } })
          assert.equal(response.status, 400)
          assert.equal(response.body.code, 'invalid-request')
        }
      })

      it('rejects an unknown field, and names it', async () => {
        const response = await call({ ...request, body: { thereIsNoSuchField: 1 } })
        assert.equal(response.status, 400)
        assert.ok(
          response.body.errors.some((error: { pointer: string }) => error.pointer === '/thereIsNoSuchField'),
        )
      })
    }
  })
}
