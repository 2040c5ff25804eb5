// The SDK in Chromium, on a page of the service's origin. The page and the modules are put there by the test.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser, type WatchedPage } from '../../e2e/browser.ts'
import { BASE_URL, CLIENT_AUTH, connect, newCase, newName } from './support/service.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const openPage = await launchBrowser()
const SCRIPT = { contentType: 'text/javascript' }
const HTML = `<!doctype html><title>SDK</title>
<script type="importmap">{ "imports": { "openapi-fetch": "/sdk/openapi-fetch.js", "@caseport/sdk": "/sdk/index.js" } }</script>`

async function openSdkPage(): Promise<WatchedPage> {
  const watched = await openPage()
  const { page } = watched
  await page.route(`${BASE_URL}/sdk/**`, route => {
    const name = new URL(route.request().url()).pathname.slice('/sdk/'.length)
    if (name === '') return route.fulfill({ contentType: 'text/html', body: HTML })
    const file =
      name === 'openapi-fetch.js'
        ? join(ROOT, 'node_modules', 'openapi-fetch', 'dist', 'index.mjs')
        : join(ROOT, 'sdk', 'dist', name)
    return route.fulfill({ ...SCRIPT, body: readFileSync(file, 'utf8') })
  })
  await page.goto(`${BASE_URL}/sdk/`)
  return watched
}

/** Runs code in the page. `caseport` is a client, `sdk` the module, `given` the argument. */
const inPage = <T>(page: Page, given: object, code: string): Promise<T> =>
  page.evaluate(
    `(async given => {
      const sdk = await import('@caseport/sdk')
      const caseport = sdk.createCaseport({ auth: given.auth })
      ${code}
    })(${JSON.stringify({ auth: CLIENT_AUTH, ...given })})`,
  )

describe('the SDK in Chromium', () => {
  let watched: WatchedPage
  before(async () => {
    watched = await openSdkPage()
  })

  it('reads, writes and walks lists, at the origin of its page', async () => {
    const number = newName('B')
    const code = `
      await caseport.applicants.replaceByNumber(given.number, { primaryApplicant: { firstName: 'Anna', lastName: 'Schmidt' } })
      const anna = await caseport.applicants.getByNumber(given.number)
      await caseport.applicants.merge(anna.applicantId, { primaryApplicant: { jobTitle: 'Engineer' } }, { ifMatch: anna })
      const same = await caseport.applicants.getByNumber(given.number, { ifNoneMatch: anna })
      const found = await caseport.applicants.search({ employeeNumber: given.number }).toArray()
      return { jobTitle: same.jobTitle, found: found.length }`
    assert.deepEqual(await inPage(watched.page, { number }, code), { jobTitle: 'Engineer', found: 1 })
    assert.deepEqual(watched.incidents, [])
  })

  it('throws typed errors', async () => {
    const code = `
      try {
        await caseport.cases.get('bm9uZQ==')
      } catch (error) {
        return { known: sdk.isCaseportError(error, 'case-not-found'), status: error.status }
      }`
    assert.deepEqual(await inPage(watched.page, {}, code), { known: true, status: 404 })
    // Chromium reports a failed response in the console by itself.
    assert.match(watched.incidents.splice(0).join(), /^console: Failed to load resource.* 404/)
  })

  it('uploads a File, and a stream, with progress, and downloads the same bytes', async () => {
    const { caseId } = await newCase()
    const bytes = Buffer.concat([Buffer.from('%PDF-1.7 '), randomBytes(3_000_000)])
    const code = `
      const bytes = Uint8Array.from(atob(given.base64), byte => byte.charCodeAt(0))
      const progress = []
      const about = { caseId: given.caseId, countryCode: 'DE', fileName: 'Łódź.pdf' }
      const onProgress = step => progress.push(step)
      const fromFile = await caseport.documents.upload({ ...about, file: new File([bytes], 'permit.pdf') }, { onProgress })
      const fromStream = await caseport.documents.upload({ ...about, file: new Blob([bytes]).stream() })
      const file = await caseport.documents.download(fromFile.documentId)
      const copy = await file.bytes()
      return {
        digests: [fromFile.sha256, fromStream.sha256, file.sha256],
        last: progress.at(-1),
        name: file.fileName,
        same: copy.length === bytes.length && copy.every((byte, at) => byte === bytes[at]),
      }`
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    assert.deepEqual(await inPage(watched.page, { caseId, base64: bytes.toString('base64') }, code), {
      digests: [sha256, sha256, sha256],
      last: { loaded: bytes.length, total: bytes.length },
      name: 'Łódź.pdf',
      same: true,
    })
    assert.deepEqual(watched.incidents, [])
  })

  it('throws the error of the service for a rejected upload', async () => {
    const { caseId } = await newCase()
    const code = `
      const upload = { caseId: given.caseId, countryCode: 'DE', file: new File(['MZ..'], 'setup.exe') }
      return caseport.documents.upload(upload).catch(error => [error.code, error.status])`
    assert.deepEqual(await inPage(watched.page, { caseId }, code), ['file-kind-refused', 415])
    watched.incidents.splice(0)
  })

  it('verifies webhooks', async () => {
    const code = `
      return sdk.webhooks.unwrap('{}', {}, 'whsec_AAAA').catch(error => error.code)`
    assert.equal(await inPage(watched.page, {}, code), 'webhook-rejected')
  })

  it('sends the cookies of the page and no token in cookie mode, also with an upload', async () => {
    const { page, incidents } = watched
    await page.context().addCookies([{ name: 'session', value: 'of-anna', url: BASE_URL }])
    const sent: Promise<Record<string, string>>[] = []
    page.on('request', request => {
      if (new URL(request.url()).pathname.startsWith('/v2/')) sent.push(request.allHeaders())
    })
    const code = `
      const upload = { caseId: 'bm9uZQ==', countryCode: 'DE', file: new File(['%PDF-1.7'], 'permit.pdf') }
      return Promise.all([
        caseport.cases.get('bm9uZQ==').catch(error => error.code),
        caseport.documents.upload(upload).catch(error => error.code),
      ])`
    // The cookie is none of the service, which therefore asks for a token.
    const codes = await inPage(page, { auth: { kind: 'cookie' } }, code)
    assert.deepEqual(codes, ['token-required', 'token-required'])
    const headers = await Promise.all(sent)
    assert.deepEqual(
      headers.map(({ cookie, authorization }) => [cookie, authorization]),
      [
        ['session=of-anna', undefined],
        ['session=of-anna', undefined],
      ],
    )
    incidents.splice(0)
  })

  it('signs a person in, who uses the desk by cookie, replaces a file with progress, and signs out', async () => {
    const office = connect()
    const { userId, email, invitation } = await office.users.create({
      email: `${newName('person')}@example.com`,
      name: 'Ruth Okafor',
      roles: ['case-manager'],
    })
    const { caseId } = await newCase(office)
    await office.cases.update(caseId, { assigneeId: userId })
    // A page of its own: the cookie of the test before is none of the service.
    const { page, incidents, close } = await openSdkPage()
    const code = `
      await caseport.session.acceptInvitation({ token: given.token, password: given.password })
      await caseport.session.signOut()
      const rejected = await caseport.overview().catch(error => error.status)
      const session = await caseport.session.signIn({ email: given.email, password: given.password })
      const { total, records: [mine] } = await caseport.cases.list({ assignee: 'me' }).page()
      const { nextStep } = await caseport.cases.steps.complete(mine.caseId, mine.currentStep.stepId)
      await caseport.cases.notes.add(mine.caseId, { content: 'Filed.', visibility: 'team' })

      const file = text => new File(['%PDF-1.7 ' + text], 'permit.pdf')
      const uploaded = await caseport.documents.upload({ caseId: mine.caseId, countryCode: 'DE', file: file('one') })
      const progress = []
      const replaced = await caseport.documents.replaceFile(
        uploaded.documentId,
        { file: file('number two') },
        { ifMatch: uploaded, onProgress: step => progress.push(step) },
      )
      const conflict = await caseport.documents
        .replaceFile(uploaded.documentId, { file: file('three') }, { ifMatch: uploaded })
        .catch(error => error.code)
      const versions = await caseport.documents.fileVersions(uploaded.documentId)
      const timeline = await caseport.cases.timeline(mine.caseId).toArray()
      await caseport.session.signOut()
      return {
        rejected,
        name: session.user.name,
        mine: [total, mine.caseId],
        nextStep: nextStep.status,
        last: progress.at(-1),
        size: replaced.size,
        conflict,
        versions: versions.length,
        kinds: [...new Set(timeline.map(entry => entry.kind))].sort(),
      }`
    const token = new URL(invitation.url).searchParams.get('invitation')
    const given = { auth: { kind: 'cookie' }, token, email, password: 'a bakery in the fog' }
    assert.deepEqual(await inPage(page, given, code), {
      rejected: 401,
      name: 'Ruth Okafor',
      mine: [1, caseId],
      nextStep: 'inProgress',
      last: { loaded: 19, total: 19 },
      size: 19,
      conflict: 'version-mismatch',
      versions: 2,
      kinds: ['change', 'document', 'note'],
    })
    // Chromium reports the two failed responses in the console by itself.
    assert.deepEqual(
      incidents.map(incident => /status of (\d+)/.exec(incident)?.[1]),
      ['401', '412'],
    )
    await close()
  })

  it('does not send cookies beside a token', async () => {
    const { page } = watched
    const sent = page.waitForRequest(`${BASE_URL}/v2/case/**`)
    await inPage(page, {}, `return caseport.cases.get('bm9uZQ==').catch(() => {})`)
    const { cookie, authorization } = await (await sent).allHeaders()
    assert.equal(cookie, undefined)
    assert.match(authorization ?? '', /^Bearer /)
  })
})
