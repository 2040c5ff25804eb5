// What a case team does: lists in pages, merges, papers; and people who sign in.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { totpCode } from '../../scripts/totp-code.ts'
import { isCaseportError } from '../src/errors.ts'
import { createSessionFetch } from '../src/node.ts'
import { startProxy } from './support/faulty-proxy.ts'
import { ANNA, BASE_URL, CLIENT_AUTH, connect, newCase, newName } from './support/service.ts'

const caseport = connect()
const PASSWORD = 'a bakery in the fog'
const pdf = (text: string) => new Blob([`%PDF-1.7 ${text}`], { type: 'application/pdf' })
const sha256 = (text: string) => createHash('sha256').update(`%PDF-1.7 ${text}`).digest('hex')

const tokenIn = ({ url }: { url: string }) => new URL(url).searchParams.get('invitation') ?? ''
const signedOut = () => connect({ auth: { kind: 'cookie' }, fetch: createSessionFetch(BASE_URL), retries: 0 })

/** A new user, who has accepted the invitation and is signed in. */
async function newPerson() {
  const email = `${newName('person')}@example.com`
  const { userId, invitation } = await caseport.users.create({
    email,
    name: 'Ruth Okafor',
    roles: ['case-manager'],
  })
  const person = signedOut()
  await person.session.acceptInvitation({ token: tokenIn(invitation), password: PASSWORD })
  return { person, email, userId }
}

async function twoRecords() {
  const lastName = newName('Twice')
  const [kept, absorbed] = await Promise.all(
    ['K', 'A'].map(prefix =>
      caseport.applicants.create({
        primaryApplicant: { ...ANNA, lastName, employeeNumber: newName(prefix) },
      }),
    ),
  )
  assert.ok(kept && absorbed)
  return { lastName, kept: kept.primaryApplicant, absorbed: absorbed.primaryApplicant }
}

describe('page', () => {
  it('reads one page forwards and backwards, with the number of all records', async () => {
    const lastName = newName('Paged')
    for (let count = 0; count < 3; count++)
      await caseport.applicants.create({ primaryApplicant: { ...ANNA, lastName } })
    const list = caseport.applicants.search({ q: lastName, maxRecords: 2 })
    const first = await list.page()
    assert.deepEqual([first.records.length, first.total, first.prevCursor], [2, 3, null])
    const second = await list.page({ nextCursor: first.nextCursor })
    assert.deepEqual([second.records.length, second.total, second.nextCursor], [1, 3, null])
    const back = await list.page({ prevCursor: second.prevCursor })
    assert.deepEqual(back.records, first.records)
  })

  it('replaces the cursor that the list was made with', async () => {
    const lastName = newName('Paged')
    for (let count = 0; count < 3; count++)
      await caseport.applicants.create({ primaryApplicant: { ...ANNA, lastName } })
    const query = { q: lastName, maxRecords: 1 }
    const first = await caseport.applicants.search(query).page()
    assert.ok(first.nextCursor)
    const list = caseport.applicants.search({ ...query, nextCursor: first.nextCursor })
    const second = await list.page()
    assert.notDeepEqual(second.records, first.records)
    assert.deepEqual((await list.page({ prevCursor: second.prevCursor })).records, first.records)
    assert.deepEqual((await list.page({})).records, first.records)
  })
})

describe('merges of records', () => {
  it('absorb a record, say where it went, and are undone', async () => {
    const { kept, absorbed } = await twoRecords()
    const from = absorbed.applicantId
    const dryRun = await caseport.applicants.absorb(kept.applicantId, { from, dryRun: true })
    assert.deepEqual([dryRun.dryRun, dryRun.mergeId], [true, null])
    assert.equal((await caseport.applicants.get(from)).applicantId, from)

    const read = await caseport.applicants.get(kept.applicantId)
    const { mergeId } = await caseport.applicants.absorb(kept.applicantId, { from }, { ifMatch: read })
    assert.ok(mergeId)
    const error = await caseport.applicants.get(from).catch((error: unknown) => error)
    assert.ok(isCaseportError(error, 'applicant-not-found'))
    assert.equal(error.problem['mergedInto'], kept.applicantId)
    const [listed] = await caseport.merges.list({ applicantId: kept.applicantId }).toArray()
    assert.equal(listed?.mergeId, mergeId)

    const undone = await caseport.merges.undo(mergeId)
    assert.equal(undone.restored.applicantId, from)
    assert.equal((await caseport.applicants.get(from)).employeeNumber, absorbed.employeeNumber)
  })

  it('fail with version-mismatch if the record was changed since it was read', async () => {
    const { kept, absorbed } = await twoRecords()
    const read = await caseport.applicants.get(kept.applicantId)
    await caseport.applicants.merge(kept.applicantId, { primaryApplicant: { jobTitle: 'Engineer' } })
    const call = caseport.applicants.absorb(
      kept.applicantId,
      { from: absorbed.applicantId },
      { ifMatch: read },
    )
    await assert.rejects(call, { code: 'version-mismatch' })
  })
})

describe('documents of the desk', () => {
  it('are uploaded for a person, replaced with progress, and kept in all versions', async () => {
    const { primaryApplicant } = await caseport.applicants.create({ primaryApplicant: ANNA })
    const { applicantId } = primaryApplicant
    const progress: number[] = []
    const options = { onProgress: ({ loaded }: { loaded: number }) => progress.push(loaded) }
    const uploaded = await caseport.documents.uploadForApplicant(
      applicantId,
      { countryCode: 'DE', type: 'Passport', file: pdf('one'), fileName: 'passport.pdf' },
      options,
    )
    assert.deepEqual([uploaded.caseId, uploaded.sha256], [null, sha256('one')])
    const { documentId } = uploaded

    const read = await caseport.documents.getForDesk(documentId)
    const replaced = await caseport.documents.replaceFile(
      documentId,
      { file: pdf('number two'), fileName: 'passport.pdf' },
      { ifMatch: read, ...options },
    )
    assert.equal(replaced.sha256, sha256('number two'))
    assert.deepEqual(
      progress.filter(loaded => loaded > 0),
      [uploaded.size, replaced.size],
    )
    // What an upload returns has its ETag too; the version that was read before is an old one now.
    const again = { file: pdf('three'), fileName: 'passport.pdf' }
    await assert.rejects(caseport.documents.replaceFile(documentId, again, { ifMatch: read }), {
      code: 'version-mismatch',
    })
    await caseport.documents.replaceFile(documentId, again, { ifMatch: replaced })

    const versions = await caseport.documents.fileVersions(documentId)
    const digests = await Promise.all(
      versions.map(async ({ fileVersion }) => {
        const file = await caseport.documents.downloadVersion(documentId, fileVersion)
        return createHash('sha256')
          .update(await file.bytes())
          .digest('hex')
      }),
    )
    assert.deepEqual(digests.sort(), [sha256('one'), sha256('number two'), sha256('three')].sort())
  })

  it('are returned by a removal whose first response was lost', async () => {
    const proxy = await startProxy()
    const { caseId } = await newCase(caseport)
    const file = { file: pdf('a permit'), fileName: 'permit.pdf' }
    for (const scopes of [['admin'], ['desk:write']]) {
      const { documentId } = await caseport.documents.upload({ caseId, countryCode: 'DE', ...file })
      proxy.plan('/admin/v1/documents/', { kind: 'lose-response' })
      const client = connect({ baseUrl: proxy.url, auth: { ...CLIENT_AUTH, scopes } })
      const removed = await client.documents.remove(documentId, { reason: 'Of another person.' })
      assert.equal(removed.documentId, documentId)
      assert.equal(removed.reason, scopes.includes('admin') ? 'Of another person.' : undefined)
    }
  })

  it('are corrected, removed with a reason, and restored', async () => {
    const { caseId } = await newCase(caseport)
    const file = { file: pdf('a permit'), fileName: 'permit.pdf' }
    const uploaded = await caseport.documents.upload({ caseId, countryCode: 'DE', ...file })
    const { documentId } = uploaded
    const corrected = await caseport.documents.correct(documentId, { type: 'Permit' }, { ifMatch: uploaded })
    assert.equal(corrected.type, 'Permit')
    const removed = await caseport.documents.remove(
      documentId,
      { reason: 'Of another person.' },
      { ifMatch: corrected },
    )
    assert.equal(removed.reason, 'Of another person.')
    await assert.rejects(caseport.documents.get(documentId), { code: 'document-not-found' })
    assert.ok((await caseport.documents.getForDesk(documentId)).documentId)
    await caseport.documents.restore(documentId)
    const [found] = await caseport.documents.search({ caseId }).toArray()
    assert.deepEqual([found?.documentId, found?.type], [documentId, 'Permit'])
  })
})

describe('audit.export', () => {
  it('returns entries as they arrive, and ends when the caller has read enough', async () => {
    const from = new Date(Date.now() - 60_000).toISOString()
    const company = await caseport.companies.create({ name: newName('Audited'), country: 'DE' })
    const range = { from, to: new Date(Date.now() + 60_000).toISOString() }
    const found = await Array.fromAsync(caseport.audit.export(range))
    assert.ok(found.some(({ recordId }) => recordId === company.companyId))
    let read = 0
    for await (const { action } of caseport.audit.export(range)) {
      assert.equal(typeof action, 'string')
      read += 1
      if (read === 2) break
    }
    assert.equal(read, 2)
  })

  it('fails if the response breaks off', async () => {
    const server = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.write('{"seq":1}\n{"se', () => request.socket.destroy())
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const broken = connect({
      baseUrl: `http://127.0.0.1:${port}`,
      auth: { kind: 'token', token: 'any' },
      retries: 0,
    })
    const entries: unknown[] = []
    const read = async () => {
      const range = { from: '2026-03-01', to: '2026-03-02' }
      for await (const entry of broken.audit.export(range)) entries.push(entry)
    }
    await assert.rejects(read(), { code: 'network-error' })
    assert.deepEqual(entries, [{ seq: 1 }])
    server.close()
  })
})

describe('people', () => {
  it('sign in, use the desk as themselves, and sign out', async () => {
    const { email, userId } = await newPerson()
    const person = signedOut()
    await assert.rejects(person.me.get(), { status: 401 })
    const wrong = person.session.signIn({ email, password: 'not this one' })
    await assert.rejects(wrong, { code: 'sign-in-failed' })
    const session = await person.session.signIn({ email, password: PASSWORD })
    assert.ok('sessionId' in session)

    const { caseId } = await newCase(caseport)
    await person.cases.update(caseId, { assigneeId: userId })
    const mine = await person.cases.list({ assignee: 'me' }).page()
    assert.deepEqual([mine.total, mine.records[0]?.caseId], [1, caseId])
    const note = await person.cases.notes.add(caseId, { content: 'Called the consulate.' })
    assert.equal(note.author, 'Ruth Okafor')
    // A stream is sent with the cookie too.
    const document = await person.documents.upload({
      caseId,
      countryCode: 'DE',
      file: pdf('a permit').stream(),
      fileName: 'permit.pdf',
    })
    assert.equal(document.sha256, sha256('a permit'))

    await person.session.signOut()
    await assert.rejects(person.cases.get(caseId), { status: 401 })
  })

  it('enrol authenticator codes, and are asked for one at the next sign-in', async () => {
    const { person, email } = await newPerson()
    const { secret } = await person.totp.enrol()
    const now = Date.now()
    const { recoveryCodes } = await person.totp.confirm({ code: totpCode(secret, now) })
    assert.ok(recoveryCodes.length > 0)
    const other = signedOut()
    const step = await other.session.signIn({ email, password: PASSWORD })
    assert.ok('challenge' in step)
    const code = totpCode(secret, now + 30_000)
    const session = await other.session.signIn({ challenge: step.challenge, code })
    assert.ok('sessionId' in session)
    assert.equal((await other.session.list()).length, 2)
  })

  it('save views, which are changed only as they were read', async () => {
    const { person } = await newPerson()
    const view = { screen: 'cases', name: 'Mine', query: { assignee: 'me' } } as const
    const { viewId } = await person.views.create(view)
    const read = await person.views.get(viewId)
    await person.views.update(viewId, { name: 'All mine' }, { ifMatch: read })
    await assert.rejects(person.views.update(viewId, { name: 'Ours' }, { ifMatch: read }), {
      code: 'version-mismatch',
    })
    await person.views.delete(viewId)
    assert.deepEqual(await person.views.list({ screen: 'cases' }), [])
  })
})

describe('createSessionFetch', () => {
  it('sends cookies and origin to the service alone', async () => {
    const seen: (string | undefined)[][] = []
    const listen = async () => {
      const server = createServer(({ headers }, response) => {
        seen.push([headers.cookie, headers.origin])
        response.writeHead(200, { 'set-cookie': 'caseport=secret; Path=/; HttpOnly' }).end()
      }).listen(0, '127.0.0.1')
      await new Promise(resolve => server.once('listening', resolve))
      return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    }
    const [service, other] = [await listen(), await listen()]
    const sessionFetch = createSessionFetch(service.url)
    for (const url of [service.url, service.url, other.url, other.url])
      await (await sessionFetch(url)).arrayBuffer()
    assert.deepEqual(seen, [
      [undefined, service.url],
      ['caseport=secret', service.url],
      [undefined, undefined],
      [undefined, undefined],
    ])
    for (const { server } of [service, other]) server.close()
  })
})
