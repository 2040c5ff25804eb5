// Regressions: malformed requests that once ended the process, or got a 5xx or a response without a problem document.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { before, describe, it } from 'node:test'
import { createCase } from '../../src/cases/cases.schema.ts'
import { createLog } from '../../src/log.ts'
import { expectProblem, fieldErrorsOf } from '../support/expect-problem.ts'
import { createTestApp } from '../support/harness.ts'

const lines: string[] = []
const test = await createTestApp({ log: createLog('info', { write: line => lines.push(line) }) })

let port = 0
let caseId = ''
before(async () => {
  for (const name of ['Acme GmbH', 'Acme Inc.'])
    await test.call({ method: 'POST', url: '/admin/v1/companies', body: { name } })
  caseId = (await test.call({ method: 'POST', url: '/v2/case', body: createCase.example })).body.caseId
  await test.app.listen({ port: 0, host: '127.0.0.1' })
  port = (test.app.server.address() as { port: number }).port
})

/** Sends the lines unchanged and returns everything that arrives until the server closes the connection. */
async function raw(lines: string[], { hangUp = false } = {}): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' })
  await once(socket, 'connect')
  socket.write(lines.join('\r\n'))
  if (hangUp) {
    await new Promise(resolve => setTimeout(resolve, 100))
    socket.destroy()
    return ''
  }
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

const upload = async (body: string) => {
  const response = await fetch(`http://127.0.0.1:${port}/v2/document`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await test.token()}`,
      'content-type': 'multipart/form-data; boundary=b',
    },
    body,
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: JSON.parse(text),
    text,
  }
}
const part = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; ${name}\r\n\r\n${value}\r\n`

describe('a malformed upload', () => {
  it('that ends within its file gets 400, wherever the file is', async () => {
    const fields = part('name="caseId"', caseId) + part('name="countryCode"', 'DE')
    const cut = part('name="document"; filename="a.pdf"', '%PDF-1.7 cut off')
    for (const body of [fields + cut, cut, `${cut}--b`]) {
      expectProblem(await upload(body), { status: 400, code: 'invalid-request' })
    }
  })

  it('with a part without a name gets 400', async () => {
    const response = await upload(`--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n`)
    expectProblem(response, { status: 400, code: 'invalid-request' })
  })
})

describe('the response to bytes that are no HTTP', () => {
  it('forbids caching, sniffing and framing, too', async () => {
    const response = await raw(['not a request', '', ''])
    assert.match(response, /^HTTP\/1\.1 400 /)
    for (const header of [
      /cache-control: no-store/,
      /x-content-type-options: nosniff/,
      /frame-ancestors 'none'/,
    ])
      assert.match(response, header)
  })

  it('has an id, as every error has', async () => {
    const response = await raw(['not a request', '', ''])
    const { instance, requestId } = JSON.parse(response.slice(response.indexOf('{')))
    assert.match(requestId, /^[0-9a-f-]{36}$/)
    assert.equal(instance, `urn:caseport:request:${requestId}`)
  })
})

describe('an unusual request', () => {
  it('with an unknown Expect header is handled as without', async () => {
    const response = await raw([
      'GET /v2/case/health HTTP/1.1',
      'Host: x',
      'Expect: wonders',
      'Connection: close',
      '',
      '',
    ])
    assert.match(response, /^HTTP\/1\.1 401 /)
    assert.match(response, /application\/problem\+json/)
  })

  it('to the token endpoint without a Host header gets 400', async () => {
    const response = await raw([
      'POST /oauth/token HTTP/1.1',
      'Content-Type: application/x-www-form-urlencoded',
      'Content-Length: 3',
      'Connection: close',
      '',
      'a=b',
    ])
    assert.match(response, /^HTTP\/1\.1 400 /)
    assert.match(response, /"error":"invalid_request"/)
  })

  it('with a very long id gets 404 for the record, not for the route', async () => {
    const response = await test.call({ url: `/v2/applicant/${'x'.repeat(2_000)}/dependents` })
    expectProblem(response, { status: 404, code: 'applicant-not-found' })
  })

  it('whose client hangs up while sending is not logged as an error', async () => {
    lines.length = 0
    const token = await test.token()
    await raw(
      [
        'POST /v2/applicant HTTP/1.1',
        'Host: x',
        `Authorization: Bearer ${token}`,
        'Content-Type: application/json',
        'Content-Length: 1000',
        '',
        '{"primaryApplicant":',
      ],
      { hangUp: true },
    )
    const logged = () => lines.map(line => JSON.parse(line)).filter(({ route }) => route === '/v2/applicant')
    for (let tries = 0; tries < 200 && logged().length === 0; tries++)
      await new Promise(resolve => setTimeout(resolve, 50))
    const entries = logged()
    assert.deepEqual(
      entries.map(({ level, status }) => ({ level, status })),
      [{ level: 30, status: 400 }],
    )
    assert.ok(!lines.some(line => line.includes('"level":50')), lines.join(''))
  })
})

describe('an error that a library logs', () => {
  it('is logged without its message', () => {
    lines.length = 0
    const error = Object.assign(new Error('Key (email)=(anna@example.com) already exists.'), {
      detail: 'anna@example.com',
      parameters: ['anna@example.com'],
    })
    test.app.log.error({ err: error, req: { url: '/anna' } }, 'it failed')
    test.app.log.error(error, 'it failed')
    assert.equal(lines.length, 2)
    assert.doesNotMatch(lines.join(), /anna/)
  })
})

describe('an error response', () => {
  it('explains that a text is blank', async () => {
    const response = await test.call({ method: 'POST', url: '/admin/v1/companies', body: { name: ' ' } })
    assert.equal(fieldErrorsOf(response)['/name'], 'Must have at least one visible character.')
  })

  it('explains that a text is too long', async () => {
    const primaryApplicant = { firstName: 'A', lastName: 'x'.repeat(5_000) }
    const response = await test.call({ method: 'POST', url: '/v2/applicant', body: { primaryApplicant } })
    const detail = fieldErrorsOf(response)['/primaryApplicant/lastName'] ?? ''
    assert.match(detail, /^Must have at most \d+ characters\.$/)
  })

  it('rejects the client ids . and .., which a path cannot contain', async () => {
    for (const clientId of ['.', '..']) {
      const body = { name: 'x', scopes: ['admin'], clientId }
      const response = await test.call({ method: 'POST', url: '/admin/v1/clients', body })
      expectProblem(response, { status: 400, code: 'invalid-request' })
    }
  })

  it('has its limits documented: the length of an Idempotency-Key', () => {
    const { paths, components } = test.document() as {
      paths: Record<string, { post: { parameters: { $ref?: string }[] } }>
      components: { parameters: Record<string, { name: string; schema: object }> }
    }
    const { IdempotencyKey: key } = components.parameters
    const references = paths['/v2/applicant']?.post.parameters.map(({ $ref }) => $ref)
    assert.ok(references?.includes('#/components/parameters/IdempotencyKey'))
    assert.equal(key?.name, 'Idempotency-Key')
    assert.deepEqual(key?.schema, { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]{1,255}$' })
  })
})
