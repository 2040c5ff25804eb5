import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { it, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { adminOf, type Fields } from './case-data.ts'
import {
  CONSOLE,
  callAs,
  checkEveryLook,
  expectNetworkErrors,
  expectStatus,
  ORIGIN,
  openAs,
} from './console.ts'

const run = Date.now().toString(36).toUpperCase()
let made = 0
const newNumber = () => `IMP-${run}-${++made}`
const byNumber = (page: Page, number: string): Promise<Fields> =>
  callAs(page, 'GET', `/v2/applicant/employeenumber/${encodeURIComponent(number)}`)

/** Sends a file by the API, and returns the import once it is checked or applied. */
async function sendFile(page: Page, rows: Fields[], query: Record<string, string> = {}): Promise<Fields> {
  const response = await page.request.post(`${ORIGIN}/v2/imports?${new URLSearchParams(query)}`, {
    data: rows.map(primaryApplicant => `${JSON.stringify({ primaryApplicant })}\n`).join(''),
    headers: { origin: ORIGIN, 'content-type': 'application/x-ndjson', prefer: 'wait=60' },
    timeout: 120_000,
  })
  assert.equal(response.status(), 202, await response.text())
  return response.json()
}

const people = (count: number, fields: Fields = {}): Fields[] =>
  Array.from({ length: count }, () => ({
    employeeNumber: newNumber(),
    firstName: 'Ida',
    lastName: 'Imported',
    ...fields,
  }))

const importUrl = ({ importId }: Fields) => `${CONSOLE}/imports/${encodeURIComponent(importId)}`
const statusOf = async (page: Page, { importId }: Fields): Promise<string> =>
  (await callAs(page, 'GET', `/v2/imports/${encodeURIComponent(importId)}`)).status

/** An import that takes the job title from thirty people. */
async function heldImport(page: Page): Promise<Fields> {
  const rows = people(30, { jobTitle: 'Engineer' })
  await sendFile(page, rows)
  const held = await sendFile(
    page,
    rows.map(({ employeeNumber, firstName, lastName }) => ({ employeeNumber, firstName, lastName })),
  )
  assert.equal(held['status'], 'held')
  return held
}

/** A dry run with a row of each outcome. */
async function dryRun(page: Page): Promise<Fields> {
  const [changed, same] = people(2, { jobTitle: 'Engineer' })
  await sendFile(page, [changed, same] as Fields[])
  const rows = [...people(1), { ...changed, jobTitle: 'Architect' }, same, ...people(1, { lastName: '' })]
  return sendFile(page, rows as Fields[], { dryRun: 'true' })
}

const count = (page: Page, outcome: string) =>
  page.getByRole('group', { name: 'Outcome' }).getByRole('button', { name: new RegExp(`${outcome}$`) })

async function choose(page: Page, name: string, content: string | Buffer): Promise<void> {
  await page
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) })
  await page.getByText(name).waitFor()
}

it('Import: a file is checked, looked at row by row, applied, and its people are there', async t => {
  const page = await openAs(t, 'case-manager', '/')
  const [created, changed, same, rejected] = people(4, { jobTitle: 'Engineer' }) as [
    Fields,
    Fields,
    Fields,
    Fields,
  ]
  await sendFile(page, [changed, same])
  await page.keyboard.press('g')
  await page.keyboard.press('i')
  await page.getByRole('heading', { level: 1, name: 'Import' }).waitFor()
  const lines = [
    'employeeNumber;firstName;lastName;jobTitle;dateOfBirth',
    `${created['employeeNumber']};Nora;New;Architect;`,
    `${changed['employeeNumber']};Ida;Imported;Architect;`,
    `${same['employeeNumber']};Ida;Imported;Engineer;`,
    `${rejected['employeeNumber']};Rita;Rejected;;31.31.1990`,
  ]
  await choose(page, 'people.csv', lines.join('\n'))
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByText('Choose one of them.').waitFor()
  await page.getByLabel('A whole record').check()
  await page.getByRole('button', { name: 'Check the file' }).click()

  await page.getByRole('heading', { level: 1, name: /^Import of/ }).waitFor()
  await page.getByText('Nothing is changed yet').waitFor()
  for (const outcome of ['New', 'Changed', 'Unchanged', 'Rejected'])
    assert.equal(await count(page, outcome).textContent(), `1${outcome}`)
  assert.equal((await byNumber(page, changed['employeeNumber'])).jobTitle, 'Engineer')

  await count(page, 'Rejected').click()
  await page.waitForURL(/outcome=rejected/)
  await page
    .getByRole('row')
    .filter({ hasText: 'Rejected' })
    .getByText(/Date of birth: /)
    .waitFor()
  await page.getByText('1 record', { exact: true }).waitFor()
  assert.equal(await page.getByRole('row').count(), 2)
  await page.getByRole('button', { name: 'Row 4' }).click()
  await page.getByRole('complementary', { name: 'Row 4' }).getByText('Date of birth').waitFor()

  await count(page, 'Changed').click()
  await page.getByRole('button', { name: 'Row 2' }).click()
  const panel = page.getByRole('complementary', { name: 'Row 2' })
  await panel.getByText('Stored now: Engineer').waitFor()
  await panel.getByText('In the file: Architect').waitFor()
  assert.equal(await panel.getByRole('term').allTextContents().then(String), 'Job title')

  await page.getByRole('button', { name: 'Apply' }).click()
  const dialog = page.getByRole('dialog', { name: 'Apply this import?' })
  await dialog.getByText(/creates 1 person and changes 1 person, .*; 1 row is rejected\./).waitFor()
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('The import is completed').waitFor()
  await page.getByText('1 new, 1 changed, 1 unchanged, 1 rejected.').waitFor()
  assert.equal((await byNumber(page, created['employeeNumber'])).lastName, 'New')
  assert.equal((await byNumber(page, changed['employeeNumber'])).jobTitle, 'Architect')

  await page.getByRole('link', { name: 'All imports' }).click()
  await page
    .getByRole('row')
    .filter({ hasText: '1 new · 1 changed · 1 unchanged · 1 rejected' })
    .first()
    .getByText('Completed')
    .waitFor()
})

it('Import: a screen that sends a file is not left without a question', async t => {
  const page = await openAs(t, 'case-manager', '/imports')
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(/\/v2\/imports\?/, async route => {
    if (route.request().method() === 'POST') await promise
    await route.continue().catch(() => undefined)
  })
  const [person] = people(1)
  await choose(page, 'slow.csv', `employeeNumber;firstName;lastName\n${person?.['employeeNumber']};Sia;Slow`)
  await page.getByLabel('A whole record').check()
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByRole('button', { name: 'Stop sending' }).waitFor()
  const question = page.getByRole('dialog', { name: 'Stop sending the file?' })
  await page.getByRole('link', { name: 'People' }).click()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('heading', { level: 1, name: 'Import' }).waitFor()
  // What was sent meanwhile is shown, and nothing is asked any more.
  await page.getByRole('link', { name: 'People' }).click()
  await question.waitFor()
  resolve()
  await page.getByText('Nothing is changed yet').waitFor()
  await question.waitFor({ state: 'detached' })
})

it('Import: an address opens its row, also where the list does not have it', async t => {
  const page = await openAs(t, 'case-manager', '/account')
  const one = await dryRun(page)
  const panel = page.getByRole('complementary')
  await page.goto(`${importUrl(one)}?outcome=rejected&row=2`)
  await panel.getByText('Job title').waitFor()
  await page.goto(`${importUrl(one)}?row=5000`)
  await panel.getByText('This does not exist').waitFor()
})

it('Import: rejected rows are downloaded as CSV', async t => {
  const page = await openAs(t, 'case-manager', '/')
  const one = await dryRun(page)
  await page.goto(importUrl(one))
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download rejected rows' }).click()
  const file = await download
  assert.equal(file.suggestedFilename(), `import-${one['importId']}-rejected.csv`)
  const text = await readFile(await file.path(), 'utf8')
  const [header, row, end] = text.replace('\uFEFF', '').split('\r\n')
  assert.equal(header, 'row,employeeNumber,code,detail,errors')
  assert.match(row ?? '', /^4,IMP-.*,invalid-request,.*\/primaryApplicant\/lastName: /)
  assert.equal(end, '')
})

it('Import: compressed NDJSON is understood, and complete lists who is missing', async t => {
  const page = await openAs(t, 'admin', '/imports')
  const rows = people(1).map(primaryApplicant => JSON.stringify({ primaryApplicant }))
  await choose(page, 'people.ndjson.gz', gzipSync(rows.join('\n')))
  assert.equal(await page.getByRole('radio', { name: 'NDJSON' }).isChecked(), true)
  await page.getByLabel('A whole record').check()
  await page.getByLabel('The file has all people').check()
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByText('Nothing is changed yet').waitFor()
  await count(page, 'Missing').click()
  await page.getByRole('row').filter({ hasText: 'Not in the file' }).first().waitFor()
})

it('Import: Today leads to a held import, which is released by typing how many people lose something', async t => {
  const page = await openAs(t, 'case-manager', '/')
  const held = await heldImport(page)
  await page.reload()
  await page.getByRole('link', { name: /imports? waits? for a decision$/ }).click()
  await page.waitForURL(/imports\?status=held/)
  await page.getByRole('row').nth(1).getByRole('link').click()
  await page.goto(importUrl(held))
  const guard = page.getByRole('alert').filter({ hasText: 'takes something from many people' })
  await guard.getByText('30 people lose a value or an item').waitFor()
  await guard.getByText(/^Row 1, IMP-.*Job title$/).waitFor()
  await guard.getByRole('button', { name: 'Apply' }).click()
  const dialog = page.getByRole('dialog', { name: 'Apply this import?' })
  await dialog.getByText(/changes 30 people.*takes something from 30 people, and 25/).waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Apply' }).isDisabled(), true)
  await dialog.getByLabel('Type 30 to confirm').fill('30')
  await page.keyboard.press('Enter')
  await page.getByText('The import is completed').waitFor()
  assert.equal(await statusOf(page, held), 'completed')
})

it('Import: a decision that another person has made meanwhile is shown', async t => {
  const page = await openAs(t, 'case-manager', '/')
  expectStatus(page, 409)
  const one = await dryRun(page)
  await page.goto(importUrl(one))
  await page.getByRole('button', { name: 'Apply' }).click()
  await callAs(page, 'POST', `/v2/imports/${encodeURIComponent(one['importId'])}/cancel`)
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
  await page.getByText('The import has moved on meanwhile').waitFor()
  await page.getByText('The import was cancelled').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Apply' }).count(), 0)
})

it('Import: a dry run is discarded', async t => {
  const page = await openAs(t, 'case-manager', '/')
  const one = await dryRun(page)
  await page.goto(`${CONSOLE}/imports`)
  await page.getByRole('row').nth(1).getByRole('link').click()
  await page.getByRole('button', { name: 'Discard' }).click()
  const question = page.getByRole('dialog', { name: 'Discard this import?' })
  await question.waitFor()
  // The palette does not open over it, and the screen before does not keep it.
  await page.keyboard.press('Control+k')
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'Import', exact: true }).waitFor()
  await question.waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('dialog').count(), 0)
  await page.goto(importUrl(one))
  await page.getByRole('button', { name: 'Discard' }).click()
  await page
    .getByRole('dialog')
    .getByText(/^The file of the import of /)
    .waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
  await page.getByText('The import was cancelled').waitFor()
  await page.getByText('Nothing was changed.').waitFor()
  await page.getByRole('row').filter({ hasText: 'Not applied: Job title' }).waitFor()
  assert.equal(await statusOf(page, one), 'cancelled')
})

it('Import: a running import shows its progress, and is cancelled', async t => {
  const page = await openAs(t, 'case-manager', '/')
  const one = await sendFile(page, people(6_000), { dryRun: 'true' })
  await page.goto(importUrl(one))
  await page.getByText('Nothing is changed yet').waitFor({ timeout: 120_000 })
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('progressbar', { name: 'Progress of the import' }).waitFor()
  await page.getByRole('button', { name: 'Cancel the import' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel this import?' })
  await dialog.getByText(/of 6,000 rows are applied, and stay so/).waitFor()
  await dialog.getByRole('button', { name: 'Cancel the import' }).click()
  await page.getByText('The import was cancelled').waitFor()
  assert.equal(await statusOf(page, one), 'cancelled')
})

it('Import: a connection that is lost while the file is checked recovers by itself', async t => {
  const page = await openAs(t, 'case-manager', '/')
  const one = await sendFile(page, people(2), { dryRun: 'true' })
  expectNetworkErrors(page)
  await page.goto(importUrl(one))
  await page.getByText('Nothing is changed yet').waitFor()
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.route(/\/v2\/imports\/[^/]+$/, route => route.abort())
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
  await page.getByText('The service does not respond').first().waitFor()
  await page.unroute(/\/v2\/imports\/[^/]+$/)
  await page.getByText('The import is completed').waitFor()
})

it('Import: a file that cannot be read is rejected with the reason, before anything is changed', async t => {
  const page = await openAs(t, 'case-manager', '/imports')
  expectStatus(page, 400, 422)
  await choose(page, 'people.csv', 'employeeNumber,firstName,lastNam\nX,Y,Z\n')
  await page.getByLabel('Changes only').check()
  await page.getByRole('button', { name: 'Check the file' }).click()
  const alert = page.getByRole('alert').filter({ hasText: 'The file was not taken' })
  await alert.getByText(/lastName/).waitFor()
  await choose(page, 'people.xlsx', Buffer.from([0x50, 0x4b, 0x03, 0x04, 0, 0]))
  await page.getByText('This is a spreadsheet').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Check the file' }).isDisabled(), true)
})

for (const role of ['viewer', 'auditor'] as const)
  it(`Import: a ${role} is not offered it`, async t => {
    const page = await openAs(t, role, '/')
    await page.getByRole('link', { name: 'People' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Import', exact: true }).count(), 0)
    await page.goto(`${CONSOLE}/imports`)
    await page.getByText('You have no access to this').waitFor()
  })

it('Import: an import that does not exist', async t => {
  const page = await openAs(t, 'case-manager', '/')
  expectStatus(page, 404)
  await page.goto(`${CONSOLE}/imports/unknown`)
  await page.getByText('This does not exist').waitFor()
})

it('Import: in German', async t => {
  const page = await openAs(t, 'case-manager', '/imports', { locale: 'de-DE' })
  await page.getByRole('button', { name: 'Datei prüfen' }).waitFor()
})

it('Import: in every look', async t => {
  await checkEveryLook(t, 'case-manager', '/imports', page =>
    page.getByRole('table', { name: 'History' }).waitFor(),
  )
})

const everyLookOf = async (t: TestContext, one: Fields, query: string, text: string) =>
  checkEveryLook(t, 'case-manager', `/imports/${encodeURIComponent(one['importId'])}${query}`, page =>
    page.getByText(text).first().waitFor(),
  )

it('Import: a dry run with an open row in every look', async t => {
  const admin = await adminOf(t)
  await everyLookOf(t, await dryRun(admin), '?row=4', 'What is wrong')
})

it('Import: a held import in every look', async t => {
  const admin = await adminOf(t)
  const held = await heldImport(admin)
  await everyLookOf(t, held, '', 'takes something from many people')
  await callAs(admin, 'POST', `/v2/imports/${encodeURIComponent(held['importId'])}/cancel`)
})
