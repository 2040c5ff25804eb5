// Names, numbers and file names without a space fit on every screen, also on a phone.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { adminOf, casePath, newCase, newProcess } from './case-data.ts'
import { CONSOLE, callAs, ORIGIN, openAs } from './console.ts'

const PHONE = { width: 390, height: 844 }
const DESK = { width: 1440, height: 900 }

const noSidewaysScroll = async (page: Page) =>
  assert.equal(
    await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    0,
    'the page scrolls sideways',
  )

/** All of it, from left to right. */
async function isWithin(inner: Locator, outer: Locator): Promise<boolean> {
  const [a, b] = [await inner.boundingBox(), await outer.boundingBox()]
  return a !== null && b !== null && a.x >= b.x && a.x + a.width <= b.x + b.width
}

it('Preview: a long file name leaves room for its buttons', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const names = ['Arbeitsvertrag_2026_Mueller_unterschrieben.txt', `${'Vertrag_'.repeat(20)}.txt`]
  for (const name of names) {
    const document = { name, mimeType: 'text/plain', buffer: Buffer.from('Vertrag') }
    const stored = await admin.request.post(`${ORIGIN}/v2/document`, {
      headers: { origin: ORIGIN, 'idempotency-key': `${caseId}-${name.length}` },
      multipart: { caseId, countryCode: 'DE', document },
    })
    assert.ok(stored.ok(), await stored.text())
  }
  for (const viewport of [PHONE, DESK]) {
    const page = await openAs(t, 'case-manager', casePath(caseId), { viewport })
    for (const name of names) {
      await page.getByRole('button', { name: `Open ${name}` }).click()
      const dialog = page.getByRole('dialog')
      await dialog.locator('.preview-text').waitFor()
      const close = dialog.getByRole('button', { name: 'Close the preview' })
      const download = dialog.getByRole('link', { name: 'Download' })
      assert.ok(await isWithin(close, dialog), 'the button that closes is cut')
      assert.ok(await isWithin(dialog.getByRole('heading', { name }), dialog), 'the title is cut')
      assert.ok(await isWithin(download, dialog), 'the link to download is cut')
      const label = download.locator('.mantine-Button-label')
      assert.ok(await label.evaluate(text => text.scrollWidth <= text.clientWidth), '“Download” is cut')
      await close.click()
      await dialog.waitFor({ state: 'hidden' })
    }
    await noSidewaysScroll(page)
  }
})

it('Person, case and lists: long names and employee numbers do not scroll a screen sideways', async t => {
  const admin = await adminOf(t)
  const lastName = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(5).slice(0, 160)
  const employeeNumber = `L${Date.now()}`.padEnd(64, 'N')
  const { primaryApplicant } = await callAs(admin, 'POST', '/v2/applicant', {
    primaryApplicant: {
      firstName: 'Anna',
      lastName,
      employeeNumber,
      documents: [{ name: lastName.slice(0, 100), referenceNumber: 'R-1' }],
    },
    dependents: [{ firstName: 'Bert', lastName, relationship: 'Child' }],
  })
  const { caseId } = await newCase(admin, await newProcess(admin), {
    applicant: { firstName: 'Anna', lastName, employeeNumber },
  })
  for (const viewport of [PHONE, DESK]) {
    const page = await openAs(
      t,
      'case-manager',
      `/people/${encodeURIComponent(primaryApplicant.applicantId)}`,
      {
        viewport,
      },
    )
    await page.getByRole('link', { name: `Bert ${lastName}` }).waitFor()
    await page.getByRole('list', { name: 'Timeline' }).waitFor()
    await noSidewaysScroll(page)
    const main = page.getByRole('main')
    assert.ok(await isWithin(page.getByRole('heading', { level: 1 }), main), 'the name is cut')
    assert.ok(
      await isWithin(page.locator('.page-title').getByText(employeeNumber), main),
      'the number is cut',
    )
    const rows = [
      `/people?q=${employeeNumber}`,
      `/cases?q=${employeeNumber}`,
      `/cases?show=board&q=${employeeNumber}`,
    ]
    for (const path of [casePath(caseId), ...rows]) {
      await page.goto(`${CONSOLE}${path}`)
      await page.getByText(`Anna ${lastName}`).first().waitFor()
      await noSidewaysScroll(page)
    }
  }
})
