import assert from 'node:assert/strict'

interface Answer {
  status: number
  headers: Record<string, unknown>
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever the service answers.
  body: any
}

/** What every error promises, whatever went wrong. */
export function expectProblem(answer: Answer, { status, code }: { status: number; code: string }): void {
  const { headers, body } = answer
  assert.equal(answer.status, status, JSON.stringify(body))
  assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8')
  assert.equal(body.code, code)
  assert.equal(body.status, status)
  assert.equal(body.type, `/docs#error-${code}`)
  assert.ok(typeof body.title === 'string' && body.title.length > 0)
  assert.ok(typeof body.detail === 'string' && body.detail.length > 0)
  assert.equal(body.requestId, headers['x-request-id'])
  assert.equal(body.instance, `urn:caseport:request:${body.requestId}`)
}

/** The faults of a problem document by their pointers. */
export function faultsOf({ body }: Answer): Record<string, string> {
  return Object.fromEntries(
    body.errors.map((fault: { pointer: string; detail: string }) => [fault.pointer, fault.detail]),
  )
}
