// Secrets and signatures according to Standard Webhooks 1.0.
import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

export function newSecret(): string {
  return PREFIX + randomBytes(32).toString('base64')
}

interface Message {
  /** The event's id: the same in each attempt, so that receivers can detect duplicates. */
  id: string
  sentAt: Date
  body: string
  /** More than one while an old secret is still valid. */
  secrets: string[]
}

export function signedHeaders({ id, sentAt, body, secrets }: Message): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000))
  const signatures = secrets.map(secret => `v1,${hmac(secret, `${id}.${timestamp}.${body}`)}`)
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

function hmac(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  return createHmac('sha256', key).update(content).digest('base64')
}
