import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import type { Locator, Page, Response } from 'playwright-core'
import { API_KEY, BASE_URL, CLIENT_ID, CLIENT_SECRET, launchBrowser, type WatchedPage } from './browser.ts'

const openPage = await launchBrowser()

interface Operation {
  tag: string
  /** As in the hash of the page: `GET/v2/…`. */
  route: string
}
const GET_APPLICANT = { tag: 'applicants', route: 'GET/v2/applicant/employeenumber/{employeeNumber}' }
const CHANGE_NUMBER = {
  tag: 'applicants',
  route: 'POST/v2/applicant/employeenumber/{oldEmployeeNumber}/{newEmployeeNumber}',
}
const UPLOAD = { tag: 'documents', route: 'POST/v2/document' }

async function openDocs({ page }: WatchedPage, hash = ''): Promise<void> {
  await page.goto(`${BASE_URL}/docs${hash}`)
  await page.getByRole('heading', { level: 1, name: 'Caseport' }).waitFor()
}

async function authorize(page: Page): Promise<void> {
  const form = page.locator('.scalar-reference-intro-auth')
  await form.locator('tr').filter({ hasText: 'Client ID' }).getByRole('combobox').fill(CLIENT_ID)
  await form.getByLabel('Client Secret').fill(CLIENT_SECRET)
  await form.getByRole('button', { name: 'Authorize' }).click()
  await form.getByLabel('Access Token').waitFor()
}

/** Goes to an operation by the sidebar and opens the form that sends it. */
async function openForm(page: Page, { tag, route }: Operation): Promise<Locator> {
  const item = page.locator(`a[href="#tag/${tag}/${route}"]`)
  if (!(await item.isVisible())) await page.locator(`a[href="#tag/${tag}"]`).click()
  await item.click()
  const section = page.locator(`[id$="/tag/${tag}/${route}"]`)
  await section.getByRole('button', { name: 'Test Request' }).click()
  return page.getByRole('dialog')
}

const fill = (form: Locator, name: string, value: string) =>
  form.locator(`tr[id="${name}"]`).getByRole('combobox', { name: 'Value' }).fill(value)

async function send(page: Page, form: Locator): Promise<Response> {
  const answer = page.waitForResponse(response => new URL(response.url()).pathname.startsWith('/v2/'))
  await form.locator('[data-addressbar-action="send"]').first().click()
  return answer
}

/** Chromium itself reports a failed response in the console; that is no incident of the page. */
const reportOf = (status: number) =>
  `console: Failed to load resource: the server responded with a status of ${status}`
const withoutReason = (incident: string) => incident.replace(/ \(.*\)$/, '')

async function api(method: string, path: string, body: object): Promise<Record<string, string>> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
  })
  const token = await fetch(`${BASE_URL}/oauth/token`, { method: 'POST', body: form })
  const { access_token } = (await token.json()) as { access_token: string }
  const response = await fetch(`${BASE_URL}${path}`, {
    method,
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  assert.ok(response.ok, `${method} ${path}: ${response.status}`)
  return (await response.json()) as Record<string, string>
}

const saveApplicant = (number: string) =>
  api('PUT', `/v2/applicant/employeenumber/${number}`, {
    primaryApplicant: { firstName: 'Anna', lastName: 'Schmidt', dateOfBirth: '1990-05-31' },
  })

describe('the reference page', () => {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [390, 1400])
      it(`shows the title and the operations, ${colorScheme} and ${width} px wide`, async t => {
        const watched = await openPage({ colorScheme, viewport: { width, height: 900 } })
        t.after(watched.close)
        const { page, incidents } = watched
        await openDocs(watched)
        assert.equal(await page.title(), 'Caseport API reference')
        await page.getByRole('heading', { level: 2, name: 'Applicants' }).waitFor()
        await page.getByText('/v2/applicant/{applicantId}/dependents').first().waitFor()
        const body = page.locator('body')
        assert.equal(
          await body.evaluate('document.body.classList.contains("dark-mode")'),
          colorScheme === 'dark',
        )
        const overflow = await body.evaluate('document.documentElement.scrollWidth > innerWidth')
        assert.equal(overflow, false)
        assert.deepEqual(incidents, [])
      })

  it('loads the bundle compressed and immutable', async t => {
    const { page, incidents, close } = await openPage()
    t.after(close)
    const bundle = page.waitForResponse(/\/docs\/scalar-[\d.]+\.js$/)
    await page.goto(`${BASE_URL}/docs`)
    const headers = await (await bundle).allHeaders()
    assert.equal(headers['content-encoding'], 'gzip')
    assert.match(headers['cache-control'] ?? '', /immutable/)
    assert.ok(Number(headers['content-length']) < 1_500_000)
    assert.deepEqual(incidents, [])
  })

  it('has no link or button that hands the document to another service', async t => {
    const watched = await openPage()
    t.after(watched.close)
    await openDocs(watched)
    const form = await openForm(watched.page, GET_APPLICANT)
    await form.waitFor()
    for (const text of ['Ask AI', 'Open API Client', 'Open in', 'Generate MCP', 'Deploy'])
      assert.equal(await watched.page.getByText(text).count(), 0, text)
    assert.deepEqual(watched.incidents, [])
  })

  it('shows first the error that the type of a problem document leads to', async t => {
    const watched = await openPage()
    t.after(watched.close)
    await openDocs(watched, '#error-version-mismatch')
    const first = watched.page.locator('error-list section').first()
    await first.getByText('412').waitFor()
    assert.equal(await first.locator('code').textContent(), 'version-mismatch')
    await watched.page.waitForFunction(
      'document.getElementById("error-version-mismatch").getBoundingClientRect().bottom < innerHeight',
    )
    assert.deepEqual(watched.incidents, [])
  })
})

describe('a call from the reference page', () => {
  let watched: WatchedPage
  before(async () => {
    watched = await openPage()
    await openDocs(watched)
    await authorize(watched.page)
  })
  afterEach(async () => {
    const close = watched.page.getByRole('button', { name: 'Close Client' })
    if (await close.isVisible()) await close.click()
  })
  after(() => watched.close())

  it('without a token shows the problem document', async t => {
    const fresh = await openPage()
    t.after(fresh.close)
    await openDocs(fresh)
    const form = await openForm(fresh.page, GET_APPLICANT)
    await fill(form, 'employeeNumber', 'E-1')
    assert.equal((await send(fresh.page, form)).status(), 401)
    // Scalar sends an Authorization header without a token.
    await form.getByText('"invalid-token"').waitFor()
    assert.deepEqual(fresh.incidents.splice(0).map(withoutReason), [reportOf(401)])
  })

  it('returns 200 and shows the record', async () => {
    await saveApplicant('BROWSER-1')
    const form = await openForm(watched.page, GET_APPLICANT)
    await fill(form, 'employeeNumber', 'BROWSER-1')
    const response = await send(watched.page, form)
    assert.equal(response.status(), 200)
    await form.getByText('200 OK').waitFor()
    await form.getByText('"BROWSER-1"').waitFor()
    assert.deepEqual(watched.incidents, [])
  })

  it('uploads a file and returns 201', async () => {
    await saveApplicant('BROWSER-2')
    const code = 'BROWSER'
    await api('POST', '/admin/v1/companies', { name: 'Browser GmbH', code, country: 'DE' })
    const { caseId = '' } = await api('POST', '/v2/case', {
      caseType: 'Work Permit',
      hostCountry: 'DE',
      hostCompany: code,
      sendingCompany: code,
      billingCompany: code,
      applicant: { employeeNumber: 'BROWSER-2', firstName: 'Anna', lastName: 'Schmidt' },
    })
    const { page, incidents } = watched
    const form = await openForm(page, UPLOAD)
    await fill(form, 'caseId', caseId)
    const chooser = page.waitForEvent('filechooser')
    await form.locator('tr[id="document"]').getByRole('button', { name: 'Select File' }).click()
    const buffer = Buffer.from('%PDF-1.7 a permit')
    await (await chooser).setFiles({ name: 'permit.pdf', mimeType: 'application/pdf', buffer })
    await form.getByTitle('permit.pdf').waitFor()
    const response = await send(page, form)
    assert.equal(response.status(), 201, await response.text())
    await form.getByText('201 Created').waitFor()
    await form.getByText('"permit.pdf"').first().waitFor()
    assert.deepEqual(incidents, [])
  })

  it('that is wrong shows the problem document with its code', async () => {
    const { page, incidents } = watched
    const form = await openForm(page, GET_APPLICANT)
    await fill(form, 'employeeNumber', 'BROWSER-NOBODY')
    assert.equal((await send(page, form)).status(), 404)
    await form.getByText('"applicant-not-found"').waitFor()
    await form.getByText('"/docs#error-applicant-not-found"').waitFor()
    assert.deepEqual(incidents.splice(0).map(withoutReason), [reportOf(404)])
  })

  it('sends the API key where the operation needs one', async () => {
    await saveApplicant('BROWSER-3')
    const { page, incidents } = watched
    const form = await openForm(page, CHANGE_NUMBER)
    const authentication = form.getByRole('region', { name: 'Authentication' })
    await authentication.getByRole('textbox', { name: 'Value' }).fill(API_KEY)
    await fill(form, 'oldEmployeeNumber', 'BROWSER-3')
    await fill(form, 'newEmployeeNumber', 'BROWSER-4')
    const response = await send(page, form)
    assert.equal(response.status(), 200, await response.text())
    assert.equal(await response.request().headerValue('x-api-key'), API_KEY)
    await form.getByText('"BROWSER-4"').waitFor()
    assert.deepEqual(incidents, [])
  })
})
