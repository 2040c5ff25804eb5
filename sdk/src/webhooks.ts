// Verifies deliveries of webhooks: Standard Webhooks 1.0, with Web Crypto, which compares signatures in constant time.
import type { webhooks as Declared } from './api-types.ts'
import { CaseportError } from './errors.ts'

type BodyOf<Type extends keyof Declared> =
  Declared[Type]['post']['requestBody']['content']['application/json']

/** An event, told apart by `type`. */
export type WebhookEvent = {
  [Type in keyof Declared]: BodyOf<Type> & {
    /** The same in every delivery of this event. */
    id: string
  }
}[keyof Declared]

export type WebhookHeaders =
  | { get(name: string): string | null }
  | Record<string, string | readonly string[] | undefined>

export interface UnwrapOptions {
  /** Seconds that the time of a delivery may differ from ours, so that old ones cannot be sent again; 300 by default. */
  tolerance?: number
  now?: Date
}

const DEFAULT_TOLERANCE = 300
const PREFIX = 'whsec_'
const HMAC = { name: 'HMAC', hash: 'SHA-256' }

/**
 * Returns the event of a delivery, or throws `webhook-rejected`. `body` is the body as it arrived, before any parsing;
 * `secret` what the creation of the webhook returned, or several while a secret is rotated.
 */
export async function unwrap(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { tolerance = DEFAULT_TOLERANCE, now = new Date() }: UnwrapOptions = {},
): Promise<WebhookEvent> {
  const read = readerOf(headers)
  const [id, timestamp, signatures] = [
    read('webhook-id'),
    read('webhook-timestamp'),
    read('webhook-signature'),
  ]
  if (!id || !timestamp || !signatures)
    throw rejected('The headers webhook-id, webhook-timestamp and webhook-signature are required.')
  if (!/^\d{1,12}$/.test(timestamp)) throw rejected('webhook-timestamp is not a number of seconds.')
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > tolerance)
    throw rejected(`The delivery is older or newer than ${tolerance} seconds. Check the clock.`)

  const bytes = bytesOf(body)
  const signed = concatenate(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (!(await isSigned(signed, signatures, secrets)))
    throw rejected('No signature matches. Check the secret, and pass the body as it arrived.')
  return { ...parseEvent(bytes), id }
}

async function isSigned(
  content: Uint8Array<ArrayBuffer>,
  header: string,
  secrets: readonly string[],
): Promise<boolean> {
  const signatures = header
    .split(' ')
    .filter(part => part.startsWith('v1,'))
    .map(part => fromBase64(part.slice(3)))
  for (const secret of secrets) {
    const raw = fromBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret)
    if (!raw?.length) throw rejected('The secret is not one of a webhook: whsec_ and Base64.')
    const key = await crypto.subtle.importKey('raw', raw, HMAC, false, ['verify'])
    for (const signature of signatures)
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, content))) return true
  }
  return false
}

function readerOf(headers: WebhookHeaders): (name: string) => string | undefined {
  if (typeof headers.get === 'function') {
    const { get } = headers as { get(name: string): string | null }
    return name => get.call(headers, name) ?? undefined
  }
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return name => {
    const value = byName.get(name) as string | readonly string[] | undefined
    return typeof value === 'string' ? value : value?.[0]
  }
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof Uint8Array) return body
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  throw rejected('Pass the body as it arrived, as text or bytes; a parsed body cannot be verified.')
}

function parseEvent(bytes: Uint8Array): WebhookEvent {
  try {
    const event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (typeof event?.type === 'string') return event
  } catch {
    // Reported below, like JSON that is no event.
  }
  throw rejected('The body is signed, but is no event.')
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(first.length + second.length)
  joined.set(first)
  joined.set(second, first.length)
  return joined
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

const rejected = (detail: string) => new CaseportError('webhook-rejected', { detail })
