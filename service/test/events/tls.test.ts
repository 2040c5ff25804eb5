// Mail servers and receivers of webhooks with TLS: only the certificate authorities of the system are trusted. Operators add
// one with NODE_EXTRA_CA_CERTS; the tests add it to the same list while the process runs.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { SMTPServer } from 'smtp-server'
import { post } from '../../src/events/post.ts'
import { createMailer } from '../../src/reminders/notifications.worker.ts'
import { createTestDatabase, silent, testClock } from '../support/harness.ts'

const skip = spawnSync('openssl', ['version']).status !== 0 && 'needs openssl'
const folder = mkdtempSync(join(tmpdir(), 'caseport-tls-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** A new certificate authority, and a server certificate that it signed. */
function certificates() {
  const at = (name: string) => join(folder, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' })
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  writeFileSync(at('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1')
  openssl('req', '-x509', ...curve, '-keyout', at('ca.key'), '-out', at('ca.pem'), '-subj', '/CN=Test CA')
  openssl('req', ...curve, '-keyout', at('key'), '-out', at('request'), '-subj', '/CN=localhost')
  const signed = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-extfile', at('names')]
  openssl('x509', '-req', '-in', at('request'), ...signed, '-out', at('cert'))
  return {
    ca: readFileSync(at('ca.pem'), 'utf8'),
    key: readFileSync(at('key')),
    cert: readFileSync(at('cert')),
  }
}

const { ca, key, cert } = skip ? { ca: '', key: '', cert: '' } : certificates()
const before = getCACertificates('default')
const trusting = async (work: () => Promise<void>) => {
  setDefaultCACertificates([...before, ca])
  await work().finally(() => setDefaultCACertificates(before))
}

interface Secured {
  secure: boolean
  starttls: boolean
}

/** A mail server, and for each mail whether it was encrypted. */
async function mailServer({ secure, starttls }: Secured) {
  const mails: boolean[] = []
  const server = new SMTPServer({
    secure,
    key,
    cert,
    disabledCommands: starttls ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    closeTimeout: 50,
    onData(stream, session, callback) {
      stream.resume().on('end', () => {
        mails.push(session.secure)
        callback()
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  after(() => new Promise<void>(resolve => server.close(() => resolve())))
  return { mails, port: (server.server.address() as AddressInfo).port }
}

/** Sends one reminder through this server, and returns its state. */
async function remind(
  smtpUrl: string,
  { requireTls = true } = {},
): Promise<{ state: string; error: string | null }> {
  const { sql, ...db } = await createTestDatabase()
  const clock = testClock()
  const now = clock.now()
  await sql`
    insert into applicants (applicant_id, record, name_key, name_key_reversed, search_keys, created_at, updated_at)
    values ('anna', ${sql.json({ email: 'anna@example.com' })}, '', '', '{}', ${now}, ${now})`
  await sql`
    insert into documents (document_id, applicant_id, name, expiry_date, remind_about_renewal, created_at, updated_at)
    values ('permit', 'anna', 'Work permit', '2027-01-01', true, ${now}, ${now})`
  await sql`
    insert into notifications (notification_id, document_id, expiry_date, rung, due_on, state, next_attempt_at, created_at)
    values ('one', 'permit', '2027-01-01', '7 days', '2026-12-25', 'pending', ${now}, ${now})`
  const mail = { smtpUrl, from: 'renewals@example.com', cc: undefined, requireTls }
  const mailer = createMailer({ db: { sql, ...db }, clock, log: silent, mail })
  await mailer.send()
  await mailer.stop()
  const [row] = await sql<[{ state: string; error: string | null }]>`
    select state, last_error as error from notifications`
  return row
}

describe('a mail server behind TLS', { skip }, () => {
  for (const [scheme, secured] of [
    ['smtps', { secure: true, starttls: false }],
    ['smtp', { secure: false, starttls: true }],
  ] as const)
    it(`is used at ${scheme}:// only when its certificate authority is trusted`, async () => {
      const { mails, port } = await mailServer(secured)
      const url = `${scheme}://127.0.0.1:${port}`
      const rejected = await remind(url)
      assert.equal(rejected.state, 'pending')
      assert.match(rejected.error ?? '', /was not sent: E(SOCKET|TLS)/)
      assert.deepEqual(mails, [])
      await trusting(async () => assert.deepEqual(await remind(url), { state: 'sent', error: null }))
      assert.deepEqual(mails, [true])
    })

  it('gets no mail without TLS when the URL has requireTLS', async () => {
    const { mails, port } = await mailServer({ secure: false, starttls: false })
    const { state } = await remind(`smtp://127.0.0.1:${port}?requireTLS=true`, { requireTls: false })
    assert.equal(state, 'pending')
    assert.deepEqual(mails, [])
  })

  it('gets no mail without TLS, whatever the URL says, unless SMTP_TLS is off', async () => {
    const { mails, port } = await mailServer({ secure: false, starttls: false })
    for (const query of ['', '?requireTLS=false', '?ignoreTLS=true', '?opportunisticTLS=true']) {
      const { state, error } = await remind(`smtp://127.0.0.1:${port}${query}`)
      assert.equal(state, 'pending', query)
      assert.match(error ?? '', /was not sent: ETLS/, query)
    }
    assert.deepEqual(mails, [])
    const sent = await remind(`smtp://127.0.0.1:${port}`, { requireTls: false })
    assert.deepEqual(sent, { state: 'sent', error: null })
    assert.deepEqual(mails, [false])
  })
})

describe('a webhook at https', { skip }, () => {
  it('gets deliveries only when its certificate authority is trusted and its certificate has that name', async () => {
    const server = createServer({ key, cert }, (_request, response) => response.writeHead(204).end())
    await new Promise<void>(resolve => server.listen(0, '0.0.0.0', resolve))
    after(() => server.close())
    const { port } = server.address() as AddressInfo
    const send = (host: string) =>
      post({
        url: `https://${host}:${port}/`,
        headers: {},
        body: '{}',
        allowPrivate: true,
        timeoutMs: 5_000,
      })
    await assert.rejects(send('localhost'), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })
    await trusting(async () => {
      assert.equal(await send('localhost'), 204)
      assert.equal(await send('127.0.0.1'), 204)
      await assert.rejects(send('127.0.0.2'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
    })
  })
})
