// Access tokens that must never be accepted: changed, unsigned, signed with other keys, or signed with the right key for
// another purpose. Each function returns one token with random details.
import { createHmac, createPublicKey, randomUUID } from 'node:crypto'
import { type CryptoKey, exportJWK, exportSPKI, type JWK, SignJWT } from 'jose'
import type { Random } from '../support/random.ts'

export interface Forge {
  random: Random
  /** Valid tokens of two clients. */
  good: string[]
  /** The service's own key, stolen from the database. */
  own: { kid: string; issuer: string; privateKey: CryptoKey; publicJwk: JWK }
  /** The external issuer that the service trusts. */
  external: { issuer: string; audience: string; kid: string; privateKey: CryptoKey }
  /** A key pair of the attacker, and the URL of its public key. */
  foreign: { url: string; privateKey: CryptoKey; publicKey: CryptoKey }
}

type Json = Record<string, unknown>

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const parts = (token: string) => token.split('.') as [string, string, string]
const decode = (part: string): Json => JSON.parse(Buffer.from(part, 'base64url').toString())
const now = () => Math.floor(Date.now() / 1000)

const ALL_SCOPES = {
  scope: 'applicants:read applicants:write cases:read cases:write documents:read documents:write admin',
}

const claimsOf = ({ own }: Forge): Json => ({
  client_id: 'attacker',
  sub: 'attacker',
  ...ALL_SCOPES,
  iss: own.issuer,
  aud: own.issuer,
  iat: now(),
  exp: now() + 3600,
  jti: randomUUID(),
})

const sign = (claims: Json, header: Json, key: CryptoKey) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', ...header } as never).sign(key)

const edited = (token: string, header: Json, payload: Json = {}) => {
  const [first, second, third] = parts(token)
  return `${encode({ ...decode(first), ...header })}.${encode({ ...decode(second), ...payload })}.${third}`
}

export const FORGERIES: Record<string, (forge: Forge) => string | Promise<string>> = {
  'a bit flipped': ({ random, good }) => {
    const bytes = Buffer.from(random.pick(good), 'latin1')
    const at = random.below(bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(7))
    return bytes.toString('latin1')
  },
  'a bit flipped before base64url encoding': ({ random, good }) => {
    const segments = parts(random.pick(good)).map(part => Buffer.from(part, 'base64url'))
    const bytes = random.pick(segments)
    const at = random.below(bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
    return segments.map(segment => segment.toString('base64url')).join('.')
  },
  'segments of two tokens': ({ random, good: [one = '', other = ''] }) => {
    const [a, b] = [parts(one), parts(other)]
    return random.pick([
      `${a[0]}.${b[1]}.${a[2]}`,
      `${a[0]}.${a[1]}.${b[2]}`,
      `${a[1]}.${a[0]}.${a[2]}`,
      `${a[2]}.${a[1]}.${a[0]}`,
      `${a[0]}.${a[1]}`,
      `${a[0]}.${a[1]}.`,
      `${one}.${a[2]}`,
      `.${a[1]}.${a[2]}`,
      `${a[0]}..${a[2]}`,
    ])
  },
  'another spelling': ({ random, good }) => {
    const token = random.pick(good)
    return random.pick([
      `${token}=`,
      `${token}==`,
      `${token}A`,
      token.slice(0, -1),
      `=${token}`,
      `${token.replaceAll('-', '+').replaceAll('_', '/')}~`,
      token.toUpperCase(),
    ])
  },
  'claims changed': ({ random, good }) =>
    edited(
      random.pick(good),
      {},
      random.pick<Json>([
        { ...ALL_SCOPES, x: 1 },
        { exp: now() + 10 ** 9 },
        { client_id: 'victim' },
        { iss: 'https://evil.example' },
        { aud: ['*'] },
        { scope: ['admin'] },
        { nbf: 0 },
      ]),
    ),
  'no algorithm': forge => {
    const { random, good } = forge
    const alg = random.pick(['none', 'None', 'NONE', 'nOnE', '', null, 0, [], 'ES256\0'])
    const [, , signature] = parts(random.pick(good))
    const header = { alg, typ: 'at+jwt', kid: forge.own.kid }
    return `${encode(header)}.${encode(claimsOf(forge))}.${random.pick(['', signature, 'AA'])}`
  },
  'the public key as a secret': async forge => {
    const { random, own } = forge
    const { x, y, crv, kty } = own.publicJwk
    const key = createPublicKey({ key: own.publicJwk as never, format: 'jwk' })
    const secret = random.pick<Buffer | string>([
      key.export({ type: 'spki', format: 'pem' }) as string,
      key.export({ type: 'spki', format: 'der' }) as Buffer,
      JSON.stringify(own.publicJwk),
      JSON.stringify({ kty, crv, x, y }),
      String(x),
      Buffer.concat([Buffer.from(String(x), 'base64url'), Buffer.from(String(y), 'base64url')]),
      '',
    ])
    const [alg, hash] = random.pick([
      ['HS256', 'sha256'],
      ['HS384', 'sha384'],
      ['HS512', 'sha512'],
    ] as const)
    const input = `${encode({ alg, typ: 'at+jwt', kid: own.kid })}.${encode(claimsOf(forge))}`
    return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`
  },
  'a foreign key in the header': async forge => {
    const { random, foreign, own } = forge
    const jwk = { ...(await exportJWK(foreign.publicKey)), kid: 'evil', alg: 'ES256', use: 'sig' }
    const pem = (await exportSPKI(foreign.publicKey)).replace(/-----[^-]+-----|\n/g, '')
    const header = random.pick<Json>([
      { jwk, kid: own.kid },
      { jwk },
      { jku: `${foreign.url}/jwks.json`, kid: 'evil' },
      { jku: `${foreign.url}/jwks.json`, kid: own.kid },
      { x5u: `${foreign.url}/chain.pem`, kid: own.kid },
      { x5c: [pem], kid: own.kid },
      { kid: 'evil' },
      { kid: own.kid },
      { kid: '../../../../dev/null' },
      { kid: "' or 1=1 --" },
      { kid: '\0' },
      { kid: 'x'.repeat(5_000) },
      {},
    ])
    return sign(claimsOf(forge), header, foreign.privateKey)
  },
  'a meaningless signature': forge => {
    const signature = forge.random.pick([
      Buffer.alloc(64),
      Buffer.alloc(0),
      Buffer.alloc(64, 0xff),
      forge.random.bytes(64),
      forge.random.bytes(72),
    ])
    return `${encode({ alg: 'ES256', typ: 'at+jwt', kid: forge.own.kid })}.${encode(claimsOf(forge))}.${signature.toString('base64url')}`
  },
  'signed with the own key, but not a valid access token': forge => {
    const { random, own } = forge
    const claims = claimsOf(forge)
    const [header, change] = random.pick<[Json, Json]>([
      [{}, { exp: now() - 1 - random.below(10 ** 6) }],
      [{}, { exp: undefined }],
      [{}, { exp: '9999999999' }],
      [{}, { nbf: now() + 600 }],
      [{}, { aud: 'https://other.example' }],
      [{}, { aud: undefined }],
      [{}, { iss: 'https://other.example' }],
      [{}, { iss: undefined }],
      [{}, { client_id: undefined }],
      [{}, { scope: undefined }],
      [{}, { scope: ['admin'] }],
      [{ typ: 'JWT' }, {}],
      [{ typ: undefined }, {}],
      [{ typ: 'dpop+jwt' }, {}],
    ])
    return sign({ ...claims, ...change }, { kid: own.kid, ...header }, own.privateKey)
  },
  'from the external issuer, but not for this service': forge => {
    const { random, external, own, foreign } = forge
    const claims = { ...claimsOf(forge), iss: external.issuer, aud: external.audience }
    const good = { kid: external.kid }
    return random.pick([
      () => sign({ ...claims, exp: now() - 1 - random.below(10 ** 6) }, good, external.privateKey),
      () => sign({ ...claims, exp: undefined }, good, external.privateKey),
      () => sign({ ...claims, aud: 'https://other.example' }, good, external.privateKey),
      () => sign({ ...claims, aud: undefined }, good, external.privateKey),
      () => sign({ ...claims, iss: `${external.issuer}/` }, good, external.privateKey),
      () => sign({ ...claims, nbf: now() + 600 }, good, external.privateKey),
      () => sign({ ...claims, exp: now() + 86_500 + random.below(10 ** 9) }, good, external.privateKey),
      () => sign({ ...claims, iat: now() - 86_500 - random.below(10 ** 9) }, good, external.privateKey),
      () => sign({ ...claims, iat: random.pick([undefined, now() + 600]) }, good, external.privateKey),
      () => sign({ ...claims, sub: undefined, client_id: undefined }, good, external.privateKey),
      () => sign(claims, { ...good, typ: random.pick(['logout+jwt', 'dpop+jwt', '']) }, external.privateKey),
      () => sign({ ...claims, nonce: 'n' }, { ...good, typ: 'JWT' }, external.privateKey),
      () => sign({ ...claims, at_hash: 'h' }, { ...good, typ: undefined }, external.privateKey),
      () => sign(claims, good, foreign.privateKey),
      () => sign(claims, { ...good, jku: `${foreign.url}/jwks.json` }, foreign.privateKey),
      () => sign(claims, { kid: own.kid }, own.privateKey),
      // The external issuer must not be able to issue the service's own tokens.
      () => sign(claimsOf(forge), { kid: own.kid }, external.privateKey),
      () => sign(claimsOf(forge), good, external.privateKey),
    ])()
  },
  'no token at all': ({ random }) =>
    random.pick([
      '',
      '..',
      '.',
      'null',
      'undefined',
      'e30.e30.',
      `${encode({})}.${encode({})}.${encode({})}`,
      'x'.repeat(9_000),
      random.bytes(200).toString('base64url'),
      `${encode([])}.${encode('x')}.AA`,
    ]),
}
