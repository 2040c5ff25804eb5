import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { it } from 'node:test'
import { adminOf, casePath, newCase, newProcess } from './case-data.ts'
import { CONSOLE, callAs, checkEveryLook, openAs, userOf } from './console.ts'
import { pdf } from './files.ts'

it('Audit: shows who changed which field, from what to what, newest first', async t => {
  const manager = await openAs(t, 'case-manager', '/')
  const { primaryApplicant } = await callAs(manager, 'POST', '/v2/applicant', {
    primaryApplicant: { firstName: 'Audrey', lastName: 'Audited', jobTitle: 'Buyer' },
  })
  const recordId: string = primaryApplicant.applicantId
  await callAs(manager, 'PATCH', `/v2/applicant/${encodeURIComponent(recordId)}`, {
    primaryApplicant: { jobTitle: 'Pilot' },
  })
  // Screens that follow the changes read the record too.
  const page = await openAs(t, 'auditor', '/audit?action=applicant.write')
  await page.getByRole('textbox', { name: 'Id of the record' }).fill(recordId)
  await page.keyboard.press('Enter')
  await page.waitForURL(/recordId=/)
  await page.locator('[role=table][aria-busy=false]').waitFor()
  const rows = page.locator('.body-row')
  await rows.first().waitFor()
  await rows.first().focus()
  await page.keyboard.press('Enter')
  const panel = page.getByRole('complementary')
  await panel.getByText('applicant.write').waitFor()
  await panel.getByText('Buyer').waitFor()
  await panel.getByText('Pilot').waitFor()
  await panel.getByText('127.0.0.1').or(panel.getByText('::1')).first().waitFor()

  // The address has the filter and the entry, and is enough to find both again.
  await page.reload()
  await panel.getByText('Pilot').waitFor()
  await panel.getByRole('button', { name: 'Only this person' }).click()
  await page.waitForURL(/userId=/)
})

it('Audit: tells actions in the language of the person, not by their codes', async t => {
  const manager = await openAs(t, 'case-manager', '/people')
  await callAs(manager, 'GET', '/admin/v1/me')
  for (const [locale, texts] of [
    ['en-GB', ['Read the own account', 'Read the list of companies', 'Followed the changes']],
    ['de-DE', ['Las das eigene Konto', 'Las die Liste der Firmen', 'Folgte den Änderungen']],
  ] as const) {
    const page = await openAs(t, 'auditor', '/audit', { locale, viewport: { width: 1440, height: 2400 } })
    for (const text of texts)
      await page.locator('.body-row').getByText(text, { exact: true }).first().waitFor()
  }
})

it('Audit: an address opens its entry, also where the list does not have it', async t => {
  const manager = await openAs(t, 'case-manager', '/account')
  const { primaryApplicant } = await callAs(manager, 'POST', '/v2/applicant', {
    primaryApplicant: { firstName: 'Lina', lastName: 'Linked', jobTitle: 'Sailor' },
  })
  const page = await openAs(
    t,
    'auditor',
    `/audit?recordId=${encodeURIComponent(primaryApplicant.applicantId)}`,
  )
  await page
    .getByRole('row')
    .filter({ hasText: /added|created/i })
    .first()
    .click()
  const panel = page.getByRole('complementary')
  await panel.getByText('applicant.create').waitFor()
  const { searchParams } = new URL(page.url())
  const address = new URLSearchParams({
    entry: searchParams.get('entry') ?? '',
    at: searchParams.get('at') ?? '',
  })
  await page.goto(`${CONSOLE}/audit?address=192.0.2.1&${address}`)
  await panel.getByText('applicant.create').waitFor()
  await page.goto(`${CONSOLE}/audit?entry=999999999`)
  await panel.getByText('This does not exist').waitFor()
})

it('Audit: a range that is no date is not exported', async t => {
  const page = await openAs(t, 'auditor', '/audit')
  await page.getByRole('button', { name: 'Export' }).click()
  const dialog = page.getByRole('dialog')
  const download = dialog.getByRole('button', { name: 'Download' })
  await dialog.getByLabel('From').fill('31.31.2026')
  assert.equal(await download.isDisabled(), true)
  await dialog.getByLabel('From').fill('2026-01-31')
  assert.equal(await download.isDisabled(), false)
})

it('Audit: who changed a document is found from the document, and by the kind of change', async t => {
  const manager = await openAs(t, 'case-manager', '/')
  const { primaryApplicant } = await callAs(manager, 'POST', '/v2/applicant', {
    primaryApplicant: { firstName: 'Dora', lastName: 'Documented', documents: [{ name: 'Traced permit' }] },
  })
  const documentId: string = primaryApplicant.documents[0].documentId
  const path = `/admin/v1/documents/${encodeURIComponent(documentId)}`
  await callAs(manager, 'PATCH', path, { referenceNumber: 'TRACED-1' })
  const page = await openAs(t, 'auditor', `/documents?open=${encodeURIComponent(documentId)}`)
  await page.getByRole('link', { name: 'In the audit' }).click()
  await page.waitForURL(/audit\?recordId=/)
  // Long ago is what such a question is about.
  const days = Date.now() - Date.parse(new URL(page.url()).searchParams.get('startDate') ?? '')
  assert.ok(days > 80 * 86_400_000, `${days} ms`)
  await page.getByRole('combobox', { name: 'Action' }).fill('document.w')
  await page.getByRole('option', { name: /document\.write/ }).click()
  await page.waitForURL(/action=document\.write/)
  const row = page.locator('.body-row').first()
  await row.getByText('Ruth Okafor').waitFor()
  await row.click()
  await page.getByRole('complementary').getByText('TRACED-1').waitFor()
})

it('Audit: who uploaded a file is found from the file, and by person and kind of change', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const fileName = `traced-${Date.now().toString(36)}.pdf`
  const manager = await openAs(t, 'case-manager', casePath(caseId))
  const chooser = manager.waitForEvent('filechooser')
  await manager.getByRole('button', { name: 'Upload files' }).click()
  await (await chooser).setFiles({ name: fileName, mimeType: 'application/pdf', buffer: pdf('Traced') })
  await manager.getByRole('dialog').getByRole('button', { name: 'Upload 1 file' }).click()
  await manager.getByRole('button', { name: `Open ${fileName}` }).waitFor()

  // From the file: Documents, the file, its entries.
  const page = await openAs(t, 'admin', '/documents?show=all')
  await page.getByRole('row').filter({ hasText: fileName }).first().click()
  await page.getByRole('link', { name: 'In the audit' }).click()
  await page.waitForURL(/audit\?recordId=/)
  const uploaded = page.locator('.body-row').filter({ hasText: 'Added a document' })
  await uploaded.first().click()
  const panel = page.getByRole('complementary', { name: 'Added a document' })
  await panel.getByText('Ruth Okafor').waitFor()
  const documentId = new URL(page.url()).searchParams.get('recordId') ?? ''

  // From the person: who, then what was done in words.
  await page.goto(`${CONSOLE}/audit`)
  await page.getByRole('combobox', { name: 'Person' }).click()
  await page.getByRole('option', { name: 'Ruth Okafor' }).click()
  await page.getByRole('combobox', { name: 'Action' }).fill('added a doc')
  await page.getByRole('option', { name: /Added a document/ }).click()
  await page.waitForURL(/action=document\.create/)
  await page.locator('[role=table][aria-busy=false]').waitFor()
  await page.locator('.body-row').first().click()
  await page.getByRole('complementary').getByText(documentId).first().waitFor()
})

for (const width of [1440, 390])
  it(`Audit: the focus goes to an entry and back to its row, by keyboard, ${width} px`, async t => {
    const page = await openAs(t, 'auditor', '/audit', { viewport: { width, height: 900 } })
    const row = page.locator('.body-row').nth(2)
    await row.waitFor()
    await row.focus()
    const index = await row.getAttribute('data-index')
    await page.keyboard.press('Enter')
    const panel = page.getByRole('complementary')
    await panel.waitFor()
    if (width === 390) await page.locator('.panel-title:focus').waitFor()
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.locator(`[data-index="${index}"]:focus`).waitFor()

    await page.keyboard.press('Enter')
    await panel.getByRole('button', { name: 'Close' }).click()
    await panel.waitFor({ state: 'detached' })
    await page.locator(`[data-index="${index}"]:focus`).waitFor()
  })

it('Audit: is exported as one JSON object a line', async t => {
  const page = await openAs(t, 'auditor', '/audit')
  await page.getByRole('button', { name: 'Export' }).click()
  const dialog = page.getByRole('dialog', { name: 'Export the audit' })
  const download = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Download' }).click()
  const file = await download
  assert.match(file.suggestedFilename(), /^audit-.*\.ndjson$/)
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n')
  assert.ok(lines.length > 10)
  assert.equal(typeof JSON.parse(lines[0] ?? '').seq, 'number')
})

it('Audit: filters by outcome, and says that nothing matches', async t => {
  const page = await openAs(t, 'admin', '/audit?outcome=failed&address=192.0.2.1')
  await page.getByText('Nothing matches').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByText(userOf('admin').email).or(page.locator('.body-row').first()).first().waitFor()
})

it('Audit: says from which day on it shows entries, which are days of the person', async t => {
  const page = await openAs(t, 'auditor', '/audit', { timezoneId: 'Pacific/Auckland' })
  const from = page.getByRole('textbox', { name: 'From' })
  assert.match(await from.inputValue(), /^\d{4}-\d{2}-\d{2}$/)
  const request = page.waitForRequest(/admin\/v1\/audit\?.*2026-03-02/)
  await page.getByRole('textbox', { name: 'Until' }).fill('2026-03-10')
  const asked = new URL((await request).url()).searchParams
  // Auckland is thirteen hours ahead.
  assert.equal(asked.get('from'), '2026-03-02T11:00:00.000Z')
  assert.equal(asked.get('to'), '2026-03-10T11:00:00.000Z')
  assert.equal(await from.inputValue(), '2026-03-03')
  await page.getByText('Nothing matches').waitFor()
})

for (const role of ['viewer', 'case-manager'] as const)
  it(`Audit: a ${role} is not offered it`, async t => {
    const page = await openAs(t, role, '/')
    assert.equal(await page.getByRole('link', { name: 'Audit' }).count(), 0)
    await page.goto(`${CONSOLE}/audit`)
    await page.getByText('You have no access to this').waitFor()
  })

it('Audit: in every look', t =>
  checkEveryLook(t, 'auditor', '/audit', async page => {
    await page.locator('.body-row').first().click()
    await page.getByRole('complementary').waitFor()
  }))
