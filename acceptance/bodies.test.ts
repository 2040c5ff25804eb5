// Rules for request bodies: no duplicate names, no compression, UTF-8.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { newName } from './case-factories.ts'
import { call, credentials } from './client.ts'
import { expectInvalid, expectOk, expectProblem } from './people.ts'

const json = { 'content-type': 'application/json' }
const company = (body: string | Buffer, headers: Record<string, string> = {}) =>
  call({ method: 'POST', path: '/admin/v1/companies', body, headers: { ...json, ...headers } })
const named = () => JSON.stringify({ name: newName('Company') })
const upload = (headers: Record<string, string>) =>
  call({ method: 'POST', path: '/v2/document', body: '--b--\r\n', headers })
const token = (headers: Record<string, string>, body: string | Buffer = 'grant_type=client_credentials') =>
  call({
    method: 'POST',
    path: '/oauth/token',
    body,
    scopes: null,
    headers: {
      authorization: `Basic ${Buffer.from(`${credentials.clientId}:${credentials.clientSecret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
  })

describe('a JSON body', () => {
  it('with a duplicate name in one object is rejected with the pointer of that name', async () => {
    const name = newName('Company')
    const { errors } = await expectInvalid(
      company(`{"name":"${name}","code":"A1","name":"${name} 2"}`),
      '/name',
    )
    assert.match(errors[0].detail, /twice/)
    const applicant =
      '{"primaryApplicant":{"firstName":"Anna","lastName":"Schmidt","passports":[{},{"country":"DE","country":"FR"}]},"dependents":[]}'
    await expectInvalid(
      call({ method: 'POST', path: '/v2/applicant', body: applicant, headers: json }),
      '/primaryApplicant/passports/1/country',
    )
  })

  it('with thousands of unknown members is rejected with at most a hundred errors', async () => {
    const unknown = (count: number) => Array.from({ length: count }, (_, n) => `"unknown-${n}":1`).join(',')
    const put = (members: string) =>
      call({
        method: 'PUT',
        path: '/v2/applicant/employeenumber/unknown-members',
        body: `{"primaryApplicant":{${members}}}`,
        headers: json,
      })
    const { errors } = await expectProblem(put(unknown(900)), 400, 'invalid-request')
    assert.equal(errors.length, 100)
    await expectInvalid(put(unknown(45_000)), '/primaryApplicant')
  })

  it('with more than 100,000 values is rejected with 413', async () => {
    const items = Array.from({ length: 100_001 }, () => '1').join(',')
    const body = `{"primaryApplicant":{"passports":[${items}]}}`
    await expectProblem(
      call({ method: 'POST', path: '/v2/applicant', body, headers: json }),
      413,
      'payload-too-large',
    )
  })

  it('may begin with a byte order mark', async () => {
    await expectOk(company(`\ufeff${named()}`))
  })

  it('with a Content-Encoding other than identity is rejected with 415', async () => {
    const body = named()
    for (const encoding of ['gzip', 'deflate', 'br', 'zstd', 'x-made-up', 'identity, gzip']) {
      const sent = encoding === 'gzip' ? gzipSync(body) : body
      const { detail } = await expectProblem(
        company(sent, { 'content-encoding': encoding }),
        415,
        'unsupported-media-type',
      )
      assert.match(detail, /Content-Encoding/)
    }
    await expectOk(company(body, { 'content-encoding': 'Identity' }))
  })

  it('with a charset other than UTF-8 is rejected with 415', async () => {
    for (const charset of ['iso-8859-1', '"windows-1252"', 'UTF-16', 'utf-8x']) {
      const headers = { 'content-type': `application/json; charset=${charset}` }
      const { detail } = await expectProblem(company(named(), headers), 415, 'unsupported-media-type')
      assert.match(detail, /UTF-8/)
    }
    for (const charset of ['utf-8', 'UTF-8', '"UTF-8"', 'utf8'])
      await expectOk(company(named(), { 'content-type': `application/json;charset=${charset}` }))
  })
})

describe('a multipart body', () => {
  it('that is compressed, or in another charset than UTF-8, is rejected with 415', async () => {
    const type = 'multipart/form-data; boundary=b'
    await expectProblem(
      upload({ 'content-type': type, 'content-encoding': 'gzip' }),
      415,
      'unsupported-media-type',
    )
    await expectProblem(upload({ 'content-type': `${type}; charset=utf-16` }), 415, 'unsupported-media-type')
    await expectProblem(upload({ 'content-type': `${type}; charset=UTF-8` }), 400, 'invalid-request')
  })
})

describe('a form for a token', () => {
  it('that is compressed, or in another charset than UTF-8, is rejected with 415', async () => {
    const type = 'application/x-www-form-urlencoded'
    const compressed = await token({ 'content-encoding': 'gzip' }, gzipSync('grant_type=client_credentials'))
    assert.deepEqual([compressed.status, compressed.body.error], [415, 'invalid_request'])
    assert.match(compressed.body.error_description, /Content-Encoding/)
    const latin = await token({ 'content-type': `${type}; charset=latin1` })
    assert.deepEqual([latin.status, latin.body.error], [415, 'invalid_request'])
    assert.match(latin.body.error_description, /UTF-8/)
    assert.equal((await token({ 'content-type': `${type}; charset="utf-8"` })).status, 200)
  })
})

describe('a token request', () => {
  it('has at most 20 parameters', async () => {
    const many = Array.from({ length: 5_000 }, (_, n) => n.toString(36)).join('&')
    const response = await token({}, many.slice(0, 16_000))
    assert.equal(response.status, 400)
    assert.equal(response.body.error, 'invalid_request')
    assert.match(response.body.error_description, /20 parameters/)
  })
})
