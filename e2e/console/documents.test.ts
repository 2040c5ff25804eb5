import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from './case-data.ts'
import { CONSOLE, callAs, checkEveryLook, expectStatus, ORIGIN, openAs, userOf } from './console.ts'
import { asianPdf, draggedFile, pdf, scannedPdf } from './files.ts'

const day = (shift: number) => new Date(Date.now() + shift * 86_400_000).toISOString().slice(0, 10)

/** A person with a permit that expires tomorrow, and has no file. */
async function createPermit(page: Page, name: string): Promise<{ applicantId: string; documentId: string }> {
  const { primaryApplicant } = await callAs(page, 'POST', '/v2/applicant', {
    primaryApplicant: {
      firstName: 'Renate',
      lastName: 'Renewal',
      documents: [{ name, expiryDate: day(1) }],
    },
  })
  return { applicantId: primaryApplicant.applicantId, documentId: primaryApplicant.documents[0].documentId }
}

const documentOf = (page: Page, documentId: string) =>
  callAs(page, 'GET', `/admin/v1/documents/${encodeURIComponent(documentId)}`)

it('Documents: a renewal is found, its file uploaded and the expiry date set, by keyboard alone', async t => {
  const page = await openAs(t, 'case-manager', '/')
  const name = `Permit ${Date.now()}`
  const { documentId } = await createPermit(page, name)
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await page.waitForURL(/\/documents/)
  await page.getByRole('radio', { name: 'Expiring' }).focus()
  await page.keyboard.press('Space')
  await page.waitForURL(/show=expiring/)
  await page.getByRole('radio', { name: '30 days' }).focus()
  await page.keyboard.press('Space')
  await page.waitForURL(/within=30/)
  await page.getByRole('row').filter({ hasText: name }).focus()
  await page.keyboard.press('Enter')
  const panel = page.getByRole('complementary', { name })
  await panel.getByText('No file', { exact: true }).waitFor()
  assert.equal(new URL(page.url()).searchParams.get('open'), documentId)

  await page.keyboard.press('u')
  const dialog = page.getByRole('dialog', { name: 'Add the file' })
  const chooser = page.waitForEvent('filechooser')
  await dialog.getByRole('button', { name: 'New file' }).waitFor()
  await page.keyboard.press('Enter')
  await (await chooser).setFiles({
    name: 'permit.pdf',
    mimeType: 'application/pdf',
    buffer: pdf('New permit'),
  })
  await dialog.getByLabel('Repository country', { exact: true }).first().focus()
  await page.keyboard.type('Germany')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await dialog.getByLabel('New expiry date', { exact: true }).focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('+2y')
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'hidden' })

  await panel.getByRole('img', { name: 'Page 1 of 1' }).waitFor()
  const saved = await documentOf(page, documentId)
  assert.equal(saved.fileName, 'permit.pdf')
  assert.equal(saved.countryCode, 'DE')
  assert.ok(saved.expiryDate > day(700), saved.expiryDate)
  assert.equal(saved.status, 'active')
})

it('Documents: a new version keeps the earlier one', async t => {
  const page = await openAs(t, 'case-manager', '/')
  const { documentId } = await createPermit(page, 'Versioned permit')
  await page.goto(`${CONSOLE}/documents?open=${encodeURIComponent(documentId)}`)
  for (const [index, button] of ['Add the file', 'New version'].entries()) {
    await page.getByRole('button', { name: button }).click()
    const dialog = page.getByRole('dialog')
    if (index === 0) {
      await dialog.getByLabel('Repository country', { exact: true }).first().click()
      await page.getByRole('option', { name: /Germany/ }).click()
    }
    await dialog.locator('input[type=file]').setInputFiles({
      name: `v${index + 1}.pdf`,
      mimeType: 'application/pdf',
      buffer: pdf(`Version ${index + 1}`),
    })
    await dialog.getByRole('button', { name: 'Store' }).click()
    await dialog.waitFor({ state: 'hidden' })
  }
  await page.getByRole('region', { name: 'Preview of v2.pdf' }).waitFor()
  await page
    .getByRole('textbox', { name: 'Versions' })
    .or(page.getByRole('combobox', { name: 'Versions' }))
    .click()
  await page.getByRole('option', { name: /^Version 1/ }).click()
  await page
    .getByRole('region', { name: 'Preview of v1.pdf' })
    .getByRole('img', { name: 'Page 1 of 1' })
    .waitFor()
})

async function addFile(page: Page, name: string, buffer: Buffer): Promise<string> {
  const { applicantId } = await createPermit(page, name)
  const response = await page.request.post(`${ORIGIN}/admin/v1/applicants/${applicantId}/documents`, {
    headers: { origin: ORIGIN },
    multipart: { countryCode: 'DE', name, document: { name, mimeType: 'application/pdf', buffer } },
  })
  assert.equal(response.status(), 201, await response.text())
  return (await response.json()).documentId
}

for (const filter of ['CCITTFaxDecode', 'JPXDecode'] as const)
  it(`Documents: the preview shows a page that was scanned with ${filter}`, async t => {
    const page = await openAs(t, 'case-manager', '/account')
    const documentId = await addFile(page, 'scan.pdf', scannedPdf(filter))
    await page.goto(`${CONSOLE}/documents?open=${encodeURIComponent(documentId)}`)
    await page.getByRole('img', { name: 'Page 1 of 1' }).waitFor()
    const middle = `(() => {
      const canvas = document.querySelector('.preview-page')
      return [...canvas.getContext('2d').getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data]
    })()`
    await eventually(async () => String(await page.evaluate(middle)), '0,0,0,255')
  })

it('Documents: the preview reads the character map of an Asian text', async t => {
  const page = await openAs(t, 'case-manager', '/account')
  const documentId = await addFile(page, 'asian.pdf', asianPdf())
  const isRead = page.waitForResponse(/UniGB-UCS2-H\.bcmap$/)
  await page.goto(`${CONSOLE}/documents?open=${encodeURIComponent(documentId)}`)
  assert.equal((await isRead).status(), 200)
})

it('Documents: a field that another person has changed meanwhile shows both values', async t => {
  const page = await openAs(t, 'case-manager', '/')
  expectStatus(page, 412)
  const { documentId } = await createPermit(page, 'Disputed permit')
  await page.goto(`${CONSOLE}/documents?open=${encodeURIComponent(documentId)}`)
  await page.getByRole('button', { name: /^Reference number/ }).click()
  await callAs(page, 'PATCH', `/admin/v1/documents/${encodeURIComponent(documentId)}`, {
    referenceNumber: 'THEIRS',
  })
  await page.getByLabel('Reference number', { exact: true }).fill('MINE')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'This record was changed meanwhile' })
  await dialog.getByText('THEIRS', { exact: true }).waitFor()
  await dialog.getByText('MINE', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Use mine' }).click()
  await page.getByText('Reference number saved').waitFor()
  assert.equal((await documentOf(page, documentId)).referenceNumber, 'MINE')
})

it('Documents: a field that is half edited stays with a filter, and asks before the document is closed', async t => {
  const page = await openAs(t, 'case-manager', '/')
  const { documentId } = await createPermit(page, 'Half edited permit')
  await page.goto(`${CONSOLE}/documents?open=${encodeURIComponent(documentId)}`)
  await page.getByRole('button', { name: /^Reference number/ }).click()
  const field = page.getByLabel('Reference number', { exact: true })
  await field.fill('Half a')
  await page.locator('.view-switch').getByText('Reminders').click()
  await page.waitForURL(/show=reminders/)
  await page.getByRole('button', { name: 'Close the document' }).click()
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  assert.equal(await field.inputValue(), 'Half a')
  await page.getByRole('button', { name: 'Close the document' }).click()
  await question.waitFor()
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'hidden' })
  await page.waitForTimeout(300)
  assert.equal(await question.count(), 0)
  assert.equal(await field.inputValue(), 'Half a')
  await page.getByRole('button', { name: 'Close the document' }).click()
  await question.getByRole('button', { name: 'Discard the changes' }).click()
  await page.getByRole('complementary').waitFor({ state: 'hidden' })
})

it('Documents: closing one that the list does not have leaves the list where it is', async t => {
  const page = await openAs(t, 'case-manager', '/')
  const { documentId } = await createPermit(page, 'Permit beside the list')
  await page.goto(`${CONSOLE}/documents?hasFile=true&show=list&open=${encodeURIComponent(documentId)}`)
  await page.getByRole('complementary').getByText('Permit beside the list').first().waitFor()
  const scroller = page.locator('.table-scroller')
  await scroller.evaluate(element => element.scrollTo({ top: 900 }))
  const top = () => scroller.evaluate(element => element.scrollTop)
  await eventually(async () => (await top()) > 300, true)
  const before = await top()
  await page.getByRole('button', { name: 'Close the document' }).click()
  await page.getByRole('complementary').waitFor({ state: 'hidden' })
  await page.waitForTimeout(300)
  assert.equal(await top(), before)
})

it('Documents: removed with a reason, and restored', async t => {
  const page = await openAs(t, 'case-manager', '/')
  const { documentId } = await createPermit(page, 'Removed permit')
  await page.goto(`${CONSOLE}/documents?open=${encodeURIComponent(documentId)}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove Removed permit' })
  assert.equal(await dialog.getByRole('button', { name: 'Remove' }).isDisabled(), true)
  await dialog.getByLabel(/^Reason/).fill('Filed twice')
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('This document was removed').waitFor()
  assert.equal((await documentOf(page, documentId)).removal.reason, 'Filed twice')
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByText('The document was restored').waitFor()
  assert.equal((await documentOf(page, documentId)).removal, null)
})

const CONFLICT = 'This record was changed meanwhile'
const correct = (page: Page, documentId: string, changes: object) =>
  callAs(page, 'PATCH', `/admin/v1/documents/${encodeURIComponent(documentId)}`, changes)

/** The panel of a permit, with the dialog for its first file filled in. */
async function chooseFile(page: Page, documentId: string, expiry: string) {
  await page.goto(`${CONSOLE}/documents?open=${encodeURIComponent(documentId)}`)
  await page.getByRole('button', { name: 'Add the file' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add the file' })
  await dialog.getByLabel('Repository country', { exact: true }).first().click()
  await page.getByRole('option', { name: /Germany/ }).click()
  await dialog
    .locator('input[type=file]')
    .setInputFiles({ name: 'mine.pdf', mimeType: 'application/pdf', buffer: pdf('Mine') })
  await dialog.getByLabel('New expiry date', { exact: true }).fill(expiry)
  return dialog
}

it('Documents: a renewal over a change of another person asks about the date, and stores the file', async t => {
  const page = await openAs(t, 'case-manager', '/')
  expectStatus(page, 412)
  const { documentId } = await createPermit(page, 'Renewed by two')
  const dialog = await chooseFile(page, documentId, day(700))
  await correct(page, documentId, { expiryDate: day(300), referenceNumber: 'R-2' })
  await dialog.getByRole('button', { name: 'Store' }).click()
  const conflict = page.getByRole('dialog', { name: CONFLICT })
  await conflict.getByText('New expiry date').waitFor()
  assert.equal(await conflict.getByText('New file').count(), 0)
  await conflict.getByRole('button', { name: 'Use mine' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const saved = await documentOf(page, documentId)
  assert.deepEqual(
    [saved.fileName, saved.expiryDate.slice(0, 10), saved.referenceNumber],
    ['mine.pdf', day(700), 'R-2'],
  )
})

it('Documents: a renewal asks which file stays where another person has stored one meanwhile', async t => {
  const page = await openAs(t, 'case-manager', '/')
  expectStatus(page, 412)
  const { documentId } = await createPermit(page, 'Filed by two')
  const dialog = await chooseFile(page, documentId, day(700))
  const stored = await page.request.put(
    `${new URL(CONSOLE).origin}/admin/v1/documents/${encodeURIComponent(documentId)}/file`,
    {
      headers: { origin: new URL(CONSOLE).origin },
      multipart: {
        countryCode: 'DE',
        document: { name: 'theirs.pdf', mimeType: 'application/pdf', buffer: pdf('Theirs') },
      },
    },
  )
  assert.ok(stored.ok(), await stored.text())
  await dialog.getByRole('button', { name: 'Store' }).click()
  const conflict = page.getByRole('dialog', { name: CONFLICT })
  await conflict.getByText('theirs.pdf', { exact: true }).waitFor()
  await conflict.getByText('mine.pdf', { exact: true }).waitFor()
  await conflict.getByRole('button', { name: 'Keep theirs' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const saved = await documentOf(page, documentId)
  assert.deepEqual([saved.fileName, saved.expiryDate.slice(0, 10)], ['theirs.pdf', day(700)])
})

it('Documents: reminders are saved over a change of another person, whose expiry date stays', async t => {
  const page = await openAs(t, 'case-manager', '/')
  expectStatus(page, 412)
  const { documentId } = await createPermit(page, 'Reminded by two')
  await page.goto(`${CONSOLE}/documents?open=${encodeURIComponent(documentId)}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Reminders…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Reminders…' })
  await dialog.getByLabel('Remind before the expiry date').check()
  await dialog.getByLabel('Days before').fill('60, 7')
  await correct(page, documentId, { expiryDate: day(300) })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const saved = await documentOf(page, documentId)
  assert.equal(saved.expiryDate.slice(0, 10), day(300))
  assert.match(String(saved.expiryReminder), /60.*7/)
})

it('Documents: a removal shows what another person has changed meanwhile', async t => {
  const page = await openAs(t, 'case-manager', '/')
  expectStatus(page, 412)
  const { documentId } = await createPermit(page, 'Removed by one')
  await page.goto(`${CONSOLE}/documents?open=${encodeURIComponent(documentId)}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove Removed by one' })
  await dialog.getByLabel(/^Reason/).fill('Filed twice')
  await correct(page, documentId, { referenceNumber: 'R-3' })
  await dialog.getByRole('button', { name: 'Remove' }).click()
  const conflict = page.getByRole('dialog', { name: CONFLICT })
  await conflict.getByText('R-3', { exact: true }).waitFor()
  await conflict.getByRole('button', { name: 'Use mine' }).click()
  await page.getByText('This document was removed').waitFor()
  assert.equal((await documentOf(page, documentId)).removal.reason, 'Filed twice')
})

it('Documents: a session that ends before a file is stored: it is stored after signing in again', async t => {
  const page = await openAs(t, 'case-manager', '/')
  expectStatus(page, 401)
  const { email, password } = userOf('case-manager')
  const { documentId } = await createPermit(page, 'Interrupted permit')
  const dialog = await chooseFile(page, documentId, day(700))
  await callAs(page, 'DELETE', '/auth/v1/session')
  await dialog.getByRole('button', { name: 'Store' }).click()
  const ended = page.getByRole('dialog', { name: 'Your session has ended' })
  await ended.getByLabel('E-mail address').fill(email)
  await ended.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'hidden' })
  assert.equal((await documentOf(page, documentId)).fileName, 'mine.pdf')
})

it('Documents: a file dropped on the page is proposed for a new document', async t => {
  const page = await openAs(t, 'case-manager', '/documents')
  await page.getByRole('button', { name: 'Add a document' }).waitFor()
  const file = await draggedFile(page, 'permit.pdf', pdf('Permit'))
  for (const type of ['dragenter', 'dragover']) await page.dispatchEvent('body', type, { dataTransfer: file })
  await page.dispatchEvent('.mantine-Dropzone-root', 'drop', { dataTransfer: file })
  await page.getByRole('dialog', { name: 'Add a document' }).getByText('permit.pdf').waitFor()
})

it('Documents: a new document keeps its key until anything of it is changed, and waits for a date', async t => {
  const page = await openAs(t, 'case-manager', '/documents')
  await createPermit(page, 'Permit')
  expectStatus(page, 520)
  const keys: string[] = []
  await page.route('**/documents', async route => {
    if (route.request().method() !== 'POST') return route.continue()
    keys.push((await route.request().allHeaders())['idempotency-key'] ?? '')
    await route.fulfill({ status: 520, body: '' })
  })
  await page.getByRole('button', { name: 'Add a document' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a document' })
  await dialog.getByRole('combobox', { name: 'Person' }).fill('Renewal')
  await page.getByRole('option').first().click()
  await dialog.getByRole('combobox', { name: 'Repository country' }).fill('Germany')
  await page.getByRole('option', { name: /Germany/ }).click()
  await dialog.locator('input[type=file]').setInputFiles({
    name: 'permit.pdf',
    mimeType: 'application/pdf',
    buffer: pdf('Permit'),
  })
  const send = async () => {
    const count = keys.length
    await dialog.getByRole('button', { name: 'Store' }).click()
    await eventually(async () => keys.length > count, true)
    await dialog.getByRole('alert').waitFor()
  }
  await send()
  await send()
  const expiry = dialog.getByRole('textbox', { name: 'Expiry date' })
  await expiry.fill('2031-02-31')
  await dialog.getByRole('button', { name: 'Store' }).click()
  await dialog.getByText('This is no date').waitFor()
  assert.equal(keys.length, 2)
  await expiry.fill('2031-02-28')
  await send()
  const [first, second, third] = keys
  assert.ok(first)
  assert.equal(second, first)
  assert.notEqual(third, first)
})

it('A file dropped where nothing takes it does not leave the console', async t => {
  const page = await openAs(t, 'case-manager', '/people')
  const file = await draggedFile(page, 'permit.pdf', pdf('Permit'))
  for (const type of ['dragover', 'drop']) {
    const isTaken = await file.evaluate((dataTransfer, type) => {
      const { DragEvent, document } = globalThis as unknown as {
        DragEvent: new (type: string, init: object) => object
        document: { body: { dispatchEvent(event: object): boolean } }
      }
      const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true })
      return !document.body.dispatchEvent(event)
    }, type)
    assert.ok(isTaken, `the browser would handle ${type} by itself`)
  }
})

it('Documents: the document of a family member names that person', async t => {
  const page = await openAs(t, 'case-manager', '/')
  const name = `Permit of Kim ${Date.now()}`
  const { dependents } = await callAs(page, 'POST', '/v2/applicant', {
    primaryApplicant: { firstName: 'Renate', lastName: 'Renewal' },
    dependents: [
      {
        relationship: 'Child',
        firstName: 'Kim',
        lastName: 'Renewal',
        documents: [{ name, expiryDate: day(1) }],
      },
    ],
  })
  const { documentId } = dependents[0].documents[0]
  await page.goto(`${CONSOLE}/documents?open=${encodeURIComponent(documentId)}`)
  await page
    .getByRole('complementary', { name })
    .getByRole('link', { name: 'Kim Renewal', exact: true })
    .waitFor()
})

it('Documents: by month, a day leads to its document', async t => {
  const page = await openAs(t, 'case-manager', '/')
  const name = `Calendar permit ${Date.now()}`
  await createPermit(page, name)
  await page.goto(`${CONSOLE}/documents?show=months&month=${day(1).slice(0, 7)}`)
  const bars = page.getByRole('figure', { name: 'Expiries by month' }).getByRole('button')
  await bars.first().waitFor()
  assert.equal(await bars.count(), 12)
  await page
    .getByRole('button', { name: new RegExp(name) })
    .or(page.getByRole('link', { name: /more$/ }))
    .first()
    .waitFor()
  const next = bars.nth(3)
  await next.click()
  assert.equal(await next.getAttribute('aria-pressed'), 'true')
  assert.match(page.url(), /month=\d{4}-\d{2}/)
})

it('Documents: the counts of a month have a singular', async t => {
  const page = await openAs(t, 'case-manager', '/')
  // One passport and one document in every month.
  await page.route(/\/admin\/v1\/expiring\?/, route => route.fulfill({ json: { records: [], total: 1 } }))
  await page.goto(`${CONSOLE}/documents?show=months&from=2031-01`)
  await page.getByRole('button', { name: /January 2031: 1 passport, 1 document$/ }).waitFor()
})

it('Documents: reminders are listed', async t => {
  const page = await openAs(t, 'auditor', '/documents?show=reminders')
  await page
    .getByRole('combobox', { name: 'State' })
    .or(page.getByRole('textbox', { name: 'State' }))
    .waitFor()
  await page.getByRole('table', { name: 'Reminders' }).or(page.getByText('No reminders')).first().waitFor()
})

for (const role of ['viewer', 'auditor'] as const)
  it(`Documents: a ${role} reads, and is offered no change`, async t => {
    const page = await openAs(t, role, '/documents')
    await page.getByRole('row').nth(3).click()
    const panel = page.getByRole('complementary')
    await panel.getByText('Expiry date').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Add a document' }).count(), 0)
    assert.equal(
      await panel.getByRole('button', { name: /New version|Add the file|More actions|Edit$/ }).count(),
      0,
    )
  })

it('Documents: filters are there again after another view was looked at', async t => {
  const page = await openAs(
    t,
    'case-manager',
    '/documents?status=expired&expiresTo=2030-01-01&sort=expiryDate',
  )
  await page.getByText('Reminders', { exact: true }).click()
  await page.waitForURL(/show=reminders/)
  await page.getByText('All', { exact: true }).click()
  await page.waitForURL(/show=list/)
  const { searchParams } = new URL(page.url())
  assert.deepEqual([searchParams.get('status'), searchParams.get('expiresTo')], ['expired', '2030-01-01'])
})

for (const width of [390, 320])
  it(`Documents: every period of what expires can be chosen in a window of ${width} px`, async t => {
    const page = await openAs(t, 'viewer', '/documents?show=expiring', {
      locale: 'de-DE',
      viewport: { width, height: 800 },
    })
    const periods = page.locator('.filter-segments label')
    await periods.last().waitFor()
    for (const period of await periods.all()) {
      const box = await period.boundingBox()
      assert.ok(box && box.x >= 0 && box.x + box.width <= width, `${await period.textContent()} is cut off`)
      assert.equal(await period.evaluate(label => label.scrollWidth > label.clientWidth), false)
    }
    await periods.last().click()
    await page.waitForURL(/within=90/)
  })

for (const show of ['expiring', 'months', 'list', 'reminders'])
  it(`Documents: ${show} in every look`, t =>
    checkEveryLook(t, 'case-manager', `/documents?show=${show}`, page =>
      page.getByRole('heading', { name: 'Documents and expiries' }).waitFor(),
    ))

it('Documents: an open document in every look', async t => {
  const page = await openAs(t, 'case-manager', '/')
  const { records } = await callAs(page, 'GET', '/admin/v1/documents?hasFile=true&maxRecords=1')
  const path = `/documents?open=${encodeURIComponent(records[0].documentId)}`
  await checkEveryLook(t, 'case-manager', path, found =>
    found.getByRole('region', { name: /^Preview of/ }).waitFor(),
  )
})
