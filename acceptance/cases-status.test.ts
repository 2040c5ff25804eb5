// Status transitions of a case, and conditional changes.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { adminCase, CASE_STATUSES, caseAt, newCase, setStatus, UNKNOWN_ID } from './case-factories.ts'
import { expectInvalid, expectOk, expectProblem, get, patch } from './people.ts'

const ALLOWED = new Set(['open pending', 'pending open', 'open closed', 'pending closed', 'closed open'])

/** A new case in this status. */
async function caseThatIs(status: string): Promise<string> {
  const { caseId } = await newCase()
  if (status !== 'open') await expectOk(setStatus(caseId, status))
  return caseId
}

describe('PATCH /admin/v1/cases/{caseId}', () => {
  for (const from of CASE_STATUSES)
    for (const to of CASE_STATUSES.filter(other => other !== from)) {
      const allowed = ALLOWED.has(`${from} ${to}`)
      it(`${allowed ? 'allows' : 'rejects'} the transition from ${from} to ${to}`, async () => {
        const caseId = await caseThatIs(from)
        const before = await get(caseAt(caseId))
        if (allowed) {
          const changed = await setStatus(caseId, to)
          assert.equal(changed.status, 200)
          assert.equal(changed.body.status, to)
          const after = await get(caseAt(caseId))
          assert.deepEqual(after.body, changed.body)
          assert.equal(after.headers.get('etag'), changed.headers.get('etag'))
          const { status: _was, updatedAt: _then, closedAt: _ended, ...rest } = before.body
          const { status: _is, updatedAt, closedAt: _end, ...same } = after.body
          assert.deepEqual(same, rest)
          assert.ok(updatedAt > before.body.updatedAt)
        } else {
          await expectProblem(setStatus(caseId, to), 409, 'invalid-transition')
          const after = await get(caseAt(caseId))
          assert.equal(after.bytes.toString(), before.bytes.toString())
        }
      })
    }

  it('is a no-op for the current status', async () => {
    for (const status of CASE_STATUSES) {
      const caseId = await caseThatIs(status)
      const before = await get(caseAt(caseId))
      assert.equal((await setStatus(caseId, status)).status, 200)
      const after = await get(caseAt(caseId))
      assert.equal(after.bytes.toString(), before.bytes.toString())
    }
  })

  it('returns the closing time while the case is closed', async () => {
    const { caseId, body } = await newCase()
    assert.equal(body['closedAt'], null)
    const before = Date.now()
    const closed = await expectOk(setStatus(caseId, 'closed'))
    assert.match(closed['closedAt'], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
    assert.ok(Math.abs(Date.parse(closed['closedAt']) - before) < 60_000)
    assert.equal((await expectOk(setStatus(caseId, 'open')))['closedAt'], null)
    assert.equal((await expectOk(setStatus(caseId, 'pending')))['closedAt'], null)
  })

  it('does not change the steps when it closes a case', async () => {
    const { caseId, steps } = await newCase()
    assert.deepEqual((await expectOk(setStatus(caseId, 'closed')))['steps'], steps)
  })

  it('is accepted only for the version that If-Match names', async () => {
    const { caseId } = await newCase()
    const etag = (await get(caseAt(caseId))).headers.get('etag') ?? ''
    const since = (tag: string, status: string) => setStatus(caseId, status, { headers: { 'if-match': tag } })
    const changed = await since(etag, 'pending')
    assert.equal(changed.status, 200)
    await expectProblem(since(etag, 'open'), 412, 'version-mismatch')
    await expectProblem(since('"no such state"', 'open'), 412, 'version-mismatch')
    assert.equal((await get(caseAt(caseId))).body.status, 'pending')
    assert.equal((await since(changed.headers.get('etag') ?? '', 'open')).status, 200)
    assert.equal((await since('*', 'pending')).status, 200)
  })

  it('accepts one of two concurrent changes that are based on the same version', async () => {
    const { caseId } = await newCase()
    const etag = (await get(caseAt(caseId))).headers.get('etag') ?? ''
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => setStatus(caseId, 'pending', { headers: { 'if-match': etag } })),
    )
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 412, 412, 412, 412, 412])
  })

  it('responds with 404 for an unknown case, and rejects an invalid body', async () => {
    await expectProblem(setStatus(UNKNOWN_ID, 'closed'), 404, 'case-not-found')
    await expectProblem(setStatus('x', 'closed'), 404, 'case-not-found')
    const { caseId } = await newCase()
    await expectInvalid(patch(adminCase(caseId), {}), '')
    for (const status of ['Open', 'done', '', null, 1])
      await expectInvalid(patch(adminCase(caseId), { status }), '/status')
    await expectInvalid(patch(adminCase(caseId), { status: 'closed', closedAt: '2026-01-01' }), '/closedAt')
  })
})
