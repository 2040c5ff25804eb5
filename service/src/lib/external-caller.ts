// The ids of callers with tokens of an external issuer: `oidc:<issuer>:<subject>:<client>`. The id of a local client has no
// colon, and that of a person begins with `user:`, so that no token of another issuer can name either.

export const EXTERNAL_PREFIX = 'oidc:'

/** No issuer has longer subjects or clients; a longer one would only fill the audit. */
const MAX_LENGTH = 255

/**
 * One part for each of issuer, subject and client, in which all but `A-Z a-z 0-9 . _ ~ @ | + = -` is percent-encoded. The
 * subject is empty for a token without one; the client is left out where it is the subject, or unknown.
 */
export const EXTERNAL_ID_PATTERN =
  '^oidc:[!-9;-~]{1,500}:([!-9;-~]{1,500}(:[!-9;-~]{1,500})?|:[!-9;-~]{1,500})$'
export const EXTERNAL_ID_EXPECTED =
  'oidc:<issuer>:<subject>, oidc:<issuer>:<subject>:<client> or oidc:<issuer>::<client>'

interface ExternalCaller {
  issuer: string
  subject: unknown
  client: unknown
}

/** The id of the caller, and all forms of it under which it can be blocked; undefined where a part is no usable text. */
export function externalCallerOf({
  issuer,
  subject,
  client,
}: ExternalCaller): { id: string; names: string[] } | undefined {
  const parts = [subject, client].map(part => (part === undefined || part === null ? '' : part))
  const [sub, by] = parts
  if (typeof sub !== 'string' || typeof by !== 'string' || !(sub || by)) return undefined
  if (sub.length > MAX_LENGTH || by.length > MAX_LENGTH) return undefined
  const prefix = externalPrefixOf(issuer)
  const ofSubject = sub && prefix + encode(sub)
  const ofClient = by && `${prefix}:${encode(by)}`
  const ofBoth = sub && by && sub !== by ? `${ofSubject}:${encode(by)}` : ''
  return { id: ofBoth || ofSubject || ofClient, names: [ofBoth, ofSubject, ofClient].filter(Boolean) }
}

/** The forms of the id of a caller under which it can be blocked. */
export function formsOfExternalId(id: string): string[] {
  const [scheme, issuer, subject = '', client = subject] = id.split(':')
  const prefix = `${scheme}:${issuer}:`
  return [id, ...(subject ? [prefix + subject] : []), `${prefix}:${client}`]
}

/** How the ids of all callers of this issuer begin. */
export const externalPrefixOf = (issuer: string): string =>
  `${EXTERNAL_PREFIX}${encode(issuer.replace(/^https?:\/\//i, '').replace(/\/$/, ''))}:`

export const isExternalId = (clientId: string): boolean => clientId.startsWith(EXTERNAL_PREFIX)

function encode(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^A-Za-z0-9._~@|+=-]+/g, part => encodeURIComponent(part).replace(/[!'()*]/g, escapeCharacter))
}

const escapeCharacter = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`
