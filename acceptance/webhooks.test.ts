import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newName } from './case-factories.ts'
import { call } from './client.ts'
import { byId, createFamilyWithDependent, expectOk, post, put } from './people.ts'

const path = '/admin/v1/webhooks'
const today = new Date().toISOString().slice(0, 10)
const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
const MISSING = `${path}/bm90aGluZyBoYXMgdGhpcyA=`

/** RFC 6761 reserves this name: it never resolves, so that nothing is sent. */
const url = 'https://receiver.invalid/hook'

const create = async (body: object = {}) => {
  const response = await call({ method: 'POST', path, body: { url, ...body } })
  assert.equal(response.status, 201, JSON.stringify(response.body))
  return response
}
const at = (webhookId: string, rest = '') => `${path}/${encodeURIComponent(webhookId)}${rest}`

/** The deliveries of a webhook, once each of these records has one; there may be others from concurrent tests. */
async function deliveriesOf(webhookId: string, recordIds: string[], query: Record<string, string> = {}) {
  const all = new URLSearchParams({ startDate: today, endDate: tomorrow, maxRecords: '1000', ...query })
  for (let tries = 0; ; tries++) {
    const response = await call({ path: at(webhookId, `/deliveries?${all}`) })
    assert.equal(response.status, 200)
    const seen = new Set(response.body.records.map((one: { recordId: string }) => one.recordId))
    if (recordIds.every(id => seen.has(id)) || tries === 100) return response.body.records
    await sleep(100)
  }
}

const createApplicant = () =>
  call({
    method: 'POST',
    path: '/v2/applicant',
    body: { primaryApplicant: { firstName: 'Ada', lastName: 'Hook' } },
  })

describe('POST /admin/v1/webhooks', () => {
  it('creates a webhook and returns its secret once', async () => {
    const { body, headers } = await create({ description: 'HR', eventTypes: ['case.created'] })
    assert.match(body.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(Buffer.from(body.secret.slice(6), 'base64').length, 32)
    assert.equal(headers.get('location'), at(body.webhookId))
    const { secret: _secret, ...rest } = body
    assert.deepEqual((await call({ path: at(body.webhookId) })).body, rest)
    const { body: list } = await call({ path })
    assert.deepEqual(
      list.find((one: { webhookId: string }) => one.webhookId === body.webhookId),
      rest,
    )
    assert.deepEqual(
      [rest.url, rest.description, rest.eventTypes, rest.active, rest.disabledReason],
      [url, 'HR', ['case.created'], true, null],
    )
  })

  it('creates another one each time, unless the Idempotency-Key is the same', async () => {
    const send = async (key?: string) => {
      const headers = key ? { 'idempotency-key': key } : {}
      return (await call({ method: 'POST', path, body: { url }, headers })).body.webhookId
    }
    assert.notEqual(await send(), await send())
    const key = newName('webhook').replaceAll(' ', '-')
    assert.equal(await send(key), await send(key))
  })

  it('lists the known event types when it rejects an unknown one', async () => {
    const response = await call({
      method: 'POST',
      path,
      body: { url, eventTypes: ['case.created', 'case.eaten'] },
    })
    assert.equal(response.status, 400)
    const [error] = response.body.errors
    assert.equal(error.pointer, '/eventTypes/1')
    assert.match(error.detail, /case\.created.*document\.renewal_due/)
  })

  for (const bad of [
    'ftp://example.com/hook',
    'example.com',
    'https://me:secret@example.com/hook',
    'http://127.0.0.1/hook',
    'http://[::ffff:10.0.0.1]/hook',
    'http://169.254.169.254/latest',
    'http://localhost/hook',
  ])
    it(`rejects ${bad}`, async () => {
      const response = await call({ method: 'POST', path, body: { url: bad } })
      assert.equal(response.status, 400)
      assert.equal(response.body.errors[0].pointer, '/url')
    })
})

describe('GET and PATCH /admin/v1/webhooks/{webhookId}', () => {
  it('changes only the fields in the body, for the version that If-Match names', async () => {
    const { webhookId } = (await create({ description: 'first' })).body
    const read = await call({ path: at(webhookId) })
    const etag = read.headers.get('etag') ?? ''
    assert.equal((await call({ path: at(webhookId), headers: { 'if-none-match': etag } })).status, 304)
    const patch = (body: object) =>
      call({ method: 'PATCH', path: at(webhookId), body, headers: { 'if-match': etag } })
    const changed = await patch({ active: false, eventTypes: ['case.note_added'] })
    assert.equal(changed.status, 200)
    assert.deepEqual(
      [changed.body.active, changed.body.eventTypes, changed.body.description, changed.body.url],
      [false, ['case.note_added'], 'first', url],
    )
    const late = await patch({ active: true })
    assert.equal(late.status, 412)
    assert.equal(late.body.code, 'version-mismatch')
    const local = await call({ method: 'PATCH', path: at(webhookId), body: { url: 'http://10.0.0.1/' } })
    assert.equal(local.status, 400)
  })

  it('responds with 404 for an unknown webhook', async () => {
    for (const request of [
      { path: MISSING },
      { method: 'PATCH', path: MISSING, body: {} },
      { method: 'DELETE', path: MISSING },
      { method: 'POST', path: `${MISSING}/rotate-secret`, body: {} },
      { path: `${MISSING}/deliveries?startDate=${today}&endDate=${today}` },
      { method: 'POST', path: `${MISSING}/replay`, body: { startDate: today, endDate: today } },
    ]) {
      const response = await call(request)
      assert.equal(response.status, 404)
      assert.equal(response.body.code, 'webhook-not-found')
    }
  })
})

describe('POST /admin/v1/webhooks/{webhookId}/rotate-secret', () => {
  it('returns a new secret', async () => {
    const { webhookId, secret } = (await create()).body
    const rotated = await call({ method: 'POST', path: at(webhookId, '/rotate-secret'), body: {} })
    assert.equal(rotated.status, 200)
    assert.match(rotated.body.secret, /^whsec_/)
    assert.notEqual(rotated.body.secret, secret)
    const bad = await call({
      method: 'POST',
      path: at(webhookId, '/rotate-secret'),
      body: { graceSeconds: -1 },
    })
    assert.equal(bad.body.errors[0].pointer, '/graceSeconds')
  })
})

describe('DELETE /admin/v1/webhooks/{webhookId}', () => {
  it('deletes it', async () => {
    const { webhookId } = (await create()).body
    assert.equal((await call({ method: 'DELETE', path: at(webhookId) })).status, 204)
    assert.equal((await call({ path: at(webhookId) })).status, 404)
  })
})

describe('deliveries', () => {
  it('are created from events, listed by date, and paged by cursor', async () => {
    const { webhookId } = (await create({ eventTypes: ['applicant.created'] })).body
    const made = [await createApplicant(), await createApplicant()]
    const ids = made.map(({ body }) => body.primaryApplicant.applicantId)
    const deliveries = await deliveriesOf(webhookId, ids)
    const records = deliveries.map((one: { recordId: string }) => one.recordId)
    for (const { body } of made) assert.ok(records.includes(body.primaryApplicant.applicantId))
    assert.equal(deliveries[0].eventType, 'applicant.created')
    assert.match(deliveries[0].eventId, /^evt_/)
    const page = (query: string) =>
      call({ path: at(webhookId, `/deliveries?startDate=${today}&endDate=${tomorrow}&${query}`) })
    const first = await page('maxRecords=1')
    assert.equal(first.body.records.length, 1)
    assert.match(first.headers.get('link') ?? '', new RegExp(`^<${at(webhookId).replace('%3D', '(=|%3D)')}/`))
    const second = await page(`maxRecords=1&nextCursor=${first.body.nextCursor}`)
    assert.notEqual(second.body.records[0].deliveryId, first.body.records[0].deliveryId)
    const { body: wrong } = await page('nextCursor=AAAA')
    assert.equal(wrong.code, 'invalid-cursor')
    assert.equal((await page('state=delivered')).body.records.length, 0)
    assert.equal((await page('state=eaten')).status, 400)
  })

  it('are created when an operator restores a dependent', async () => {
    const { webhookId } = (await create({ eventTypes: ['dependent.restored'] })).body
    const { id, primary, dependentId } = await createFamilyWithDependent()
    await expectOk(put(byId(id), { primaryApplicant: primary, dependents: [] }))
    await expectOk(post(`/admin/v1/applicants/${encodeURIComponent(dependentId)}/restore`, {}))
    const deliveries = await deliveriesOf(webhookId, [dependentId])
    const own = deliveries.filter((one: { recordId: string }) => one.recordId === dependentId)
    assert.deepEqual(
      own.map((one: { eventType: string }) => one.eventType),
      ['dependent.restored'],
    )
  })

  it('are replayed, one or those of a date range', async () => {
    const { webhookId } = (await create({ eventTypes: ['applicant.created'] })).body
    const { body: made } = await createApplicant()
    const [{ deliveryId, eventId }] = await deliveriesOf(webhookId, [made.primaryApplicant.applicantId])
    const replay = (id: string, headers = {}) =>
      call({ method: 'POST', path: at(webhookId, `/deliveries/${id}/replay`), headers })
    const again = await replay(deliveryId)
    assert.equal(again.status, 202)
    assert.equal(again.body.eventId, eventId)
    assert.notEqual(again.body.deliveryId, deliveryId)
    assert.equal((await replay('dlv_none')).body.code, 'delivery-not-found')
    const key = { 'idempotency-key': `replay-${deliveryId}` }
    const kept = await replay(deliveryId, key)
    assert.deepEqual((await replay(deliveryId, key)).body, kept.body)
    assert.equal((await replay(again.body.deliveryId, key)).body.code, 'idempotency-key-reused')

    const later = (await create({ eventTypes: ['applicant.created'] })).body.webhookId
    const range = (body: object, headers = {}) =>
      call({ method: 'POST', path: at(later, '/replay'), body, headers })
    const days = { startDate: today, endDate: tomorrow }
    const rangeKey = { 'idempotency-key': `range-${later}` }
    const all = await range(days, rangeKey)
    assert.equal(all.status, 202)
    assert.ok(all.body.deliveries >= 1)
    assert.deepEqual((await range(days, rangeKey)).body, all.body)
    assert.equal((await range({ startDate: today, endDate: today }, rangeKey)).status, 422)
    for (const body of [
      { startDate: tomorrow, endDate: today },
      { startDate: '2026-01-01', endDate: '2026-02-01' },
      { startDate: '2026-02-30', endDate: today },
    ])
      assert.equal((await range(body)).status, 400)
  })
})
