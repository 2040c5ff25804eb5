import assert from 'node:assert/strict'

interface Response {
  status: number
  headers: Record<string, unknown>
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at any response.
  body: any
}

/** Asserts what every problem document promises. */
export function expectProblem(response: Response, { status, code }: { status: number; code: string }): void {
  const { headers, body } = response
  assert.equal(response.status, status, JSON.stringify(body))
  assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8')
  assert.equal(body.code, code)
  assert.equal(body.status, status)
  assert.equal(body.type, `/docs#error-${code}`)
  assert.ok(typeof body.title === 'string' && body.title.length > 0)
  assert.ok(typeof body.detail === 'string' && body.detail.length > 0)
  assert.equal(body.requestId, headers['x-request-id'])
  assert.equal(body.instance, `urn:caseport:request:${body.requestId}`)
}

/** The details of the field errors of a problem document by pointer. */
export function fieldErrorsOf({ body }: Response): Record<string, string> {
  return Object.fromEntries(
    body.errors.map((error: { pointer: string; detail: string }) => [error.pointer, error.detail]),
  )
}
