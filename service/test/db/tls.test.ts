// sslmode of DATABASE_URL, against a real PostgreSQL with TLS and certificates of an authority made for the test.
import assert from 'node:assert/strict'
import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { connect } from '../../src/db/database.ts'
import { isTlsError, readTls } from '../../src/db/tls.ts'
import { waitForDatabase } from '../../src/db/wait-for-database.ts'
import { chooseAccount } from '../../src/embedded-postgres/account.ts'
import { StartError } from '../../src/lib/problem.ts'
import { type Authority, createAuthority, createCertificate } from '../support/certificates.ts'
import { createExternalPostgres, type ExternalPostgres } from '../support/external-postgres.ts'
import { silent } from '../support/harness.ts'

const root = mkdtempSync(join(tmpdir(), 'caseport-tls-'))
chmodSync(root, 0o755)
after(() => rmSync(root, { recursive: true, force: true, maxRetries: 20 }))

interface State {
  ssl: boolean
  version: string | null
}

/** Connects with these parameters; returns what the server says of the connection. */
async function stateOf(url: string): Promise<State> {
  const db = connect({ connection: { url }, log: silent, poolSize: 1 })
  try {
    const [row] = await db.sql<[State]>`select ssl, version from pg_stat_ssl where pid = pg_backend_pid()`
    return row
  } finally {
    await db.close()
  }
}

const START = { log: silent, seconds: 5 }

/** Starts as the service does, and returns why that failed. */
async function startError(url: string): Promise<string> {
  const db = connect({ connection: { url }, log: silent, poolSize: 1 })
  try {
    await waitForDatabase(db, { url, ...START })
  } catch (error) {
    assert.ok(error instanceof StartError, String(error))
    return error.message
  } finally {
    await db.close()
  }
  return assert.fail('it started')
}

describe('sslmode', { timeout: 220_000 }, () => {
  let authority: Authority
  let stranger: Authority
  let named: ExternalPostgres
  let addressed: ExternalPostgres
  let plain: ExternalPostgres
  const servers: ExternalPostgres[] = []
  after(() => Promise.all(servers.map(server => server.kill())))

  const startServer = async (name: string, alternativeNames?: string) => {
    const folder = join(root, name)
    const account = chooseAccount(join(folder, 'postgres'))
    const files =
      alternativeNames && createCertificate({ authority, folder: root, name, alternativeNames, account })
    const settings: Record<string, string> = files
      ? { ssl: 'on', ssl_cert_file: files.cert, ssl_key_file: files.key }
      : {}
    const server = await createExternalPostgres({ folder, settings })
    servers.push(server)
    return server
  }

  before(async () => {
    authority = createAuthority(root, 'authority')
    stranger = createAuthority(root, 'stranger')
    named = await startServer('named', 'DNS:localhost')
    addressed = await startServer('addressed', 'IP:127.0.0.1')
    plain = await startServer('plain')
  })

  const byAddress = (server: ExternalPostgres, query: string) => `${server.url}?${query}`
  const byName = (server: ExternalPostgres, query: string) =>
    byAddress(server, query).replace('@127.0.0.1:', '@localhost:')
  const trusting = (mode: string, { file } = authority) =>
    `sslmode=${mode}&sslrootcert=${encodeURIComponent(file)}`

  it('disable uses no TLS; allow, prefer and none use it where the server has it', async () => {
    assert.equal((await stateOf(byAddress(named, 'sslmode=disable'))).ssl, false)
    for (const query of ['sslmode=allow', 'sslmode=prefer', 'application_name=x']) {
      assert.equal((await stateOf(byAddress(named, query))).ssl, true, query)
      assert.equal((await stateOf(byAddress(plain, query))).ssl, false, query)
    }
  })

  it('require uses TLS with any certificate, unless there is a CA file', async () => {
    assert.equal((await stateOf(byAddress(named, 'sslmode=require'))).ssl, true)
    assert.equal((await stateOf(byAddress(named, trusting('require')))).ssl, true)
    await assert.rejects(stateOf(byAddress(named, trusting('require', stranger))), isTlsError)
  })

  it('verify-ca checks the authority of the certificate, and not its names', async () => {
    assert.equal((await stateOf(byAddress(named, trusting('verify-ca')))).ssl, true)
    assert.equal((await stateOf(byName(addressed, trusting('verify-ca')))).ssl, true)
    await assert.rejects(stateOf(byAddress(named, trusting('verify-ca', stranger))), isTlsError)
  })

  it('verify-full compares a host name with the names of the certificate, and an address with its addresses', async () => {
    assert.equal((await stateOf(byName(named, trusting('verify-full')))).ssl, true)
    assert.equal((await stateOf(byAddress(addressed, trusting('verify-full')))).ssl, true)
    // A certificate for localhost is not one for 127.0.0.1, nor the other way round.
    await assert.rejects(stateOf(byAddress(named, trusting('verify-full'))), isTlsError)
    await assert.rejects(stateOf(byName(addressed, trusting('verify-full'))), isTlsError)
    await assert.rejects(stateOf(byName(named, trusting('verify-full', stranger))), isTlsError)
  })

  it('verify-full holds for each of several hosts', async () => {
    const both = `${named.url.replace('@127.0.0.1:', '@localhost:').replace(/\/caseport$/, `,${addressed.host}/caseport`)}`
    assert.equal((await stateOf(`${both}?${trusting('verify-full')}`)).ssl, true)
    const reversed = addressed.url.replace(/\/caseport$/, `,localhost:${named.port}/caseport`)
    assert.equal((await stateOf(`${reversed}?${trusting('verify-full')}`)).ssl, true)
  })

  it('a server without TLS, an unknown authority and a wrong name are reported at the start, in one line', async () => {
    for (const mode of ['require', 'verify-full'])
      assert.match(
        await startError(byName(plain, trusting(mode))),
        /does not support TLS, which its sslmode requires/,
      )
    assert.match(
      await startError(byName(named, trusting('verify-ca', stranger))),
      /^TLS to the database .* Check sslmode/,
    )
    assert.match(
      await startError(byAddress(named, trusting('verify-full'))),
      /^TLS .*127\.0\.0\.1.*\(ERR_TLS_CERT_ALTNAME_INVALID\)/,
    )
  })

  it('a client certificate is presented where the server asks for one', async () => {
    const client = createCertificate({
      authority,
      folder: root,
      name: 'caseport',
      alternativeNames: 'DNS:client',
    })
    const server = await startServer('asking', 'DNS:localhost')
    await server.stop()
    appendFileSync(join(server.databaseDir, 'postgresql.auto.conf'), `ssl_ca_file = '${authority.file}'\n`)
    writeFileSync(join(server.databaseDir, 'pg_hba.conf'), 'hostssl all all all cert\n')
    await server.start()
    const query = trusting('verify-full')
    const own = `&sslcert=${encodeURIComponent(client.cert)}&sslkey=${encodeURIComponent(client.key)}`
    assert.equal((await stateOf(byName(server, query + own))).ssl, true)
    await assert.rejects(stateOf(byName(server, query)), /certificate/)
  })

  it('ssl_min_protocol_version is kept', async () => {
    const state = await stateOf(byName(named, `${trusting('verify-full')}&ssl_min_protocol_version=TLSv1.3`))
    assert.equal(state.version, 'TLSv1.3')
  })
})

describe('readTls', () => {
  const base = 'postgres://user:canary@db.example,10.0.0.1/caseport'

  it('removes its parameters from the URL and keeps all others', () => {
    assert.equal(readTls(base).url, base)
    assert.equal(readTls(`${base}?sslmode=disable`).url, base)
    assert.equal(
      readTls(`${base}?a=b%20c&sslmode=require&options=-c%20x%3Dy&sslnegotiation=direct`).url,
      `${base}?a=b%20c&options=-c%20x%3Dy&sslnegotiation=direct`,
    )
  })

  it('gives each host its own name to compare, and none below verify-full', () => {
    const full = readTls(`${base}?sslrootcert=system`)
    for (const host of ['db.example', '10.0.0.1']) {
      const options = full.forHost(host)
      assert.ok(typeof options === 'object')
      assert.equal(options.host, host)
      assert.equal(options.rejectUnauthorized, true)
      assert.equal(options.checkServerIdentity, undefined)
    }
    const loose = readTls(`${base}?sslmode=require`).forHost('db.example')
    assert.ok(typeof loose === 'object')
    assert.equal(loose.rejectUnauthorized, false)
  })

  it('reports what is wrong, without the password', () => {
    const fails = (query: string, message: RegExp) =>
      assert.throws(
        () => readTls(`${base}?${query}`),
        (error: unknown) => {
          assert.ok(error instanceof StartError)
          assert.match(error.message, /^DATABASE_URL: /)
          assert.match(error.message, message)
          assert.ok(!error.message.includes('canary'))
          return true
        },
      )
    fails('sslmode=no-verify', /one of disable, allow, prefer, require, verify-ca, verify-full/)
    fails('sslmode=', /one of disable/)
    fails('sslmode=require&sslrootcert=system', /expected sslmode=verify-full with sslrootcert=system/)
    fails(
      'sslmode=verify-full&sslrootcert=/none.crt',
      /sslrootcert \/none\.crt to be a file that the service can read \(ENOENT\)/,
    )
    fails('sslmode=require&sslcert=/x', /sslcert and sslkey together/)
    fails('sslmode=require&sslcrl=/x', /no sslcrl, which is not supported/)
    fails('sslmode=require&ssl_min_protocol_version=TLSv1', /TLSv1\.2 or TLSv1\.3/)
    const text = join(root, 'not-pem')
    writeFileSync(text, 'x')
    fails(`sslmode=verify-ca&sslrootcert=${text}`, /PEM/)
  })
})
