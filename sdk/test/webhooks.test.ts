import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { newSecret, signedHeaders } from '../../service/src/events/signature.ts'
import { unwrap, type WebhookEvent } from '../src/webhooks.ts'

const secret = newSecret()
const body = JSON.stringify({
  type: 'case.status_changed',
  timestamp: '2026-03-02T10:15:00.000Z',
  data: { applicantId: 'a', employeeNumber: 'É-1', caseId: 'c', from: 'open', to: 'closed' },
})
const signed = (changes: object = {}) =>
  signedHeaders({ id: 'msg_1', sentAt: new Date(), body, secrets: [secret], ...changes })
const REJECTED = { name: 'CaseportError', code: 'webhook-rejected' }

describe('webhooks.unwrap', () => {
  it('returns the event of a delivery that the service signed, with its id', async () => {
    const event = await unwrap(body, signed(), secret)
    assert.deepEqual(event, { ...JSON.parse(body), id: 'msg_1' })
  })

  it('narrows the event by its type', async () => {
    const event: WebhookEvent = await unwrap(body, signed(), secret)
    assert.ok(event.type === 'case.status_changed')
    assert.equal(event.data.to, 'closed')
  })

  it('accepts bytes, Headers, and headers in capitals or lists', async () => {
    const headers = signed()
    const bytes = new TextEncoder().encode(body)
    await unwrap(bytes, new Headers(headers), secret)
    await unwrap(bytes.buffer, headers, secret)
    const capitals = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
    )
    await unwrap(body, capitals, secret)
  })

  it('accepts either secret while one is rotated', async () => {
    const next = newSecret()
    await unwrap(body, signed({ secrets: [next, secret] }), secret)
    await unwrap(body, signed(), [next, secret])
  })

  it('is compatible with the test vector of Standard Webhooks', async () => {
    const vector = {
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: '1614265330',
      body: '{"test": 2432232314}',
      signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    }
    const headers = {
      'webhook-id': vector.id,
      'webhook-timestamp': vector.timestamp,
      'webhook-signature': vector.signature,
    }
    const now = new Date(1614265330_000)
    // The signature is right, but the body has no type.
    await assert.rejects(unwrap(vector.body, headers, vector.secret, { now }), /is signed, but is no event/)
  })

  it('rejects a body, id or time that was changed, and another secret', async () => {
    const headers = signed()
    await assert.rejects(unwrap(`${body} `, headers, secret), REJECTED)
    await assert.rejects(unwrap(body, { ...headers, 'webhook-id': 'msg_2' }, secret), REJECTED)
    const later = String(Number(headers['webhook-timestamp']) + 1)
    await assert.rejects(unwrap(body, { ...headers, 'webhook-timestamp': later }, secret), REJECTED)
    await assert.rejects(unwrap(body, headers, newSecret()), REJECTED)
  })

  it('rejects a signature that is cut, empty, no Base64, or of another version', async () => {
    const headers = signed()
    const signature = headers['webhook-signature'] ?? ''
    for (const value of [signature.slice(0, -4), 'v1,', 'v1,***', signature.replace('v1,', 'v1a,'), ' '])
      await assert.rejects(unwrap(body, { ...headers, 'webhook-signature': value }, secret), REJECTED, value)
  })

  it('rejects a delivery from before or after the tolerance, and accepts one within', async () => {
    const now = new Date('2026-03-02T10:15:00Z')
    const at = (seconds: number) => signed({ sentAt: new Date(now.getTime() + seconds * 1000) })
    for (const seconds of [-301, 301])
      await assert.rejects(unwrap(body, at(seconds), secret, { now }), REJECTED)
    for (const seconds of [-299, 299]) await unwrap(body, at(seconds), secret, { now })
    await unwrap(body, at(-900), secret, { now, tolerance: 1_000 })
  })

  it('rejects missing headers, a secret that is none, and a parsed body', async () => {
    const { 'webhook-signature': _, ...unsigned } = signed()
    await assert.rejects(unwrap(body, unsigned, secret), REJECTED)
    await assert.rejects(unwrap(body, signed(), 'whsec_'), REJECTED)
    await assert.rejects(unwrap(JSON.parse(body), signed(), secret), REJECTED)
  })

  it('rejects an empty secret even if the signature was made with an empty key', async () => {
    const headers = signed()
    const content = `msg_1.${headers['webhook-timestamp']}.${body}`
    const forged = createHmac('sha256', '').update(content).digest('base64')
    await assert.rejects(unwrap(body, { ...headers, 'webhook-signature': `v1,${forged}` }, ''), REJECTED)
  })
})
