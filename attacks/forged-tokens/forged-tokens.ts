// Ten thousand forged tokens. Valid ones are tried before and after: a service that rejects everything proves nothing.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import { freePort } from '../../scripts/free-port.ts'
import { openKeyFile } from '../../service/src/lib/key-file.ts'
import { createSealer } from '../../service/src/lib/sealing.ts'
import type { Attack, Context } from '../attack.ts'
import { embeddedSql } from '../support/postgres-processes.ts'
import { createRandom } from '../support/random.ts'
import { runConcurrently } from '../support/run-concurrently.ts'
import { tokenOf } from '../support/service.ts'
import { startTarget } from '../support/target.ts'
import { openWire } from '../support/wire.ts'
import { FORGERIES, type Forge } from './forgeries.ts'

const CONNECTIONS = 64
const AUDIENCE = 'https://caseport.example'

export const forgedTokens: Attack = {
  name: 'forged-tokens',
  title: 'forged tokens',
  must: '0 accepted',
  breaks: ['token-signature', 'external-token-type', 'external-token-lifetime'],

  async run(context) {
    const total = context.quick ? 1_000 : 10_000
    const random = createRandom()
    const issuer = await startIssuer(context)
    const target = await startTarget(context, { OIDC_ISSUER: issuer.issuer, OIDC_AUDIENCE: AUDIENCE })
    const own = await stealKey(join(context.folder, 'data'))
    const good = [target.token, await tokenOf(target.service.url, 'cases:read applicants:read')]
    const external = {
      issuer: issuer.issuer,
      audience: AUDIENCE,
      kid: 'external',
      privateKey: issuer.privateKey,
    }
    const foreign = { url: issuer.url, ...(await generateKeyPair('ES256')) }
    const forge: Forge = { random, good, own, external, foreign }
    const kinds = Object.keys(FORGERIES)
    const findings: string[] = []
    const rejected = new Map<number, number>()

    const statusWith = async (token: string, wire = openWire(target.service.port)) => {
      const bytes = Buffer.from(
        `GET /v2/applicant/health HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`,
        'latin1',
      )
      const response = await wire.exchange({ bytes, method: 'GET' })
      return typeof response === 'string' ? response : response.status
    }
    const checkValidTokens = async () => {
      const externalToken = await new SignJWT({ client_id: 'attacker', scope: 'applicants:read' })
        .setProtectedHeader({ alg: 'ES256', kid: 'external' })
        .setIssuer(external.issuer)
        .setAudience(AUDIENCE)
        .setSubject('attacker')
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(external.privateKey)
      for (const token of [...good, externalToken])
        if ((await statusWith(token)) !== 200) findings.push('a valid token was rejected')
    }

    await checkValidTokens()
    const wires = Array.from({ length: CONNECTIONS }, () => openWire(target.service.port))
    const sent = await runConcurrently({
      total,
      concurrency: CONNECTIONS,
      until: () => findings.length >= 50,
      progress: context.progress,
      async each(index, worker) {
        const kind = kinds[index % kinds.length] as string
        const token = (await FORGERIES[kind]?.(forge)) ?? ''
        const response = await statusWith(token, wires[worker])
        if (response !== 401 && response !== 400)
          findings.push(`${kind}: ${response} for ${token.slice(0, 60)}…`)
        else rejected.set(response, (rejected.get(response) ?? 0) + 1)
      },
    })
    for (const wire of wires) wire.close()
    await checkValidTokens()
    if (issuer.fetched.size > 0)
      findings.push(`the service fetched a URL from a token's header: ${[...issuer.fetched]}`)
    const counts = [...rejected].map(([status, count]) => `${count} × ${status}`).join(', ')
    return {
      figures: `seed ${random.seed}: ${sent} tokens of ${kinds.length} kinds, ${findings.length} accepted; ${counts}; valid ones accepted before and after`,
      findings,
    }
  },
}

/** The external issuer that the service trusts; it also records requests for URLs that only a forged header names. */
async function startIssuer({ after }: Context) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'external', alg: 'ES256', use: 'sig' }
  const fetched = new Set<string>()
  const documents: Record<string, unknown> = {
    '/.well-known/openid-configuration': { issuer: url, jwks_uri: `${url}/keys` },
    '/keys': { keys: [jwk] },
  }
  const server = createServer((request, response) => {
    const document = documents[request.url ?? '']
    if (!document) fetched.add(request.url ?? '')
    response
      .writeHead(document ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(document ?? {}))
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return { issuer: url, url, privateKey, fetched }
}

/** The signing key from the database, opened with the key file. Even tokens signed with it must be rejected if expired or for another audience. */
async function stealKey(dataDir: string): Promise<Forge['own']> {
  const sql = embeddedSql(dataDir)
  const [row] = await sql<{ kid: string; issuer: string; sealed: string }[]>`
    select kid, issuer, private_jwk as sealed from signing_keys order by signs_from desc limit 1`
  await sql.end()
  if (!row) throw new Error('There is no signing key.')
  const { kid, issuer, sealed } = row
  const sealer = createSealer(openKeyFile(join(dataDir, 'encryption.key'), { error() {} }))
  const jwk: JWK = JSON.parse(sealer.unseal(sealed, { column: 'signing_keys.private_jwk', id: kid }))
  const { d: _private, ...publicJwk } = jwk
  return { kid, issuer, privateKey: (await importJWK(jwk, 'ES256')) as CryptoKey, publicJwk }
}
