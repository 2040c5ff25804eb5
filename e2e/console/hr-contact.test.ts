// The contact of one company: a small console, and nothing of other companies.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { CONSOLE, callAs, checkAccessibility, checkEveryLook, expectStatus, openAs } from './console.ts'

const COMPANY = 'Halden Maritime GmbH'

it('Contact: is offered what this takes, and no audit, connections, set-up or duplicates', async t => {
  const page = await openAs(t, 'contact')
  await page.getByRole('heading', { level: 1, name: COMPANY }).waitFor()
  const links = page.getByRole('navigation', { name: 'Navigation' }).getByRole('link')
  assert.deepEqual(await links.allTextContents(), ['Today', 'People', 'Cases'])
  for (const path of ['/audit', '/connections', '/setup']) {
    await page.goto(`${CONSOLE}${path}`)
    await page.getByText('You have no access to this').waitFor()
  }
})

it('Contact: sees who may work until when, and where each case stands', async t => {
  const page = await openAs(t, 'contact')
  const { records: expiring } = await callAs(page, 'GET', '/admin/v1/expiring?kind=document')
  assert.ok(expiring.length > 0)
  const papers = page.getByRole('region', { name: 'Who may work until when' }).getByRole('listitem')
  await papers.first().waitFor()
  const cases = page.getByRole('region', { name: 'Where each case stands' }).getByRole('listitem')
  await cases
    .first()
    .getByText(/step \d+ of \d+/)
    .waitFor()
  await cases.first().getByRole('link').click()
  await page.getByText(/\d+ of \d+ done/).waitFor()
})

it('Contact: sees people of the company only, with the dates of permits and passports', async t => {
  const page = await openAs(t, 'contact', '/people')
  await page.getByRole('columnheader', { name: 'Permit or document until' }).waitFor()
  await page.locator('[role=table][aria-busy=false]').waitFor()
  const { records } = await callAs(page, 'GET', '/admin/v1/applicants?maxRecords=1000&summary=true')
  const primaries = records.filter((one: { primaryApplicantId: unknown }) => one.primaryApplicantId === null)
  for (const { sendingCompany } of primaries) assert.equal(sendingCompany, COMPANY)
  const rows = page.getByRole('table', { name: 'People' }).locator('.body-row')
  assert.equal(await rows.count(), primaries.length)
  await checkAccessibility(page)
})

it('Contact: finds no person and no case of another company', async t => {
  const office = await openAs(t, 'case-manager')
  const page = await openAs(t, 'contact')
  const isForeign = (one: { sendingCompany: string | null; primaryApplicantId: string | null }) =>
    one.primaryApplicantId === null && one.sendingCompany !== null && one.sendingCompany !== COMPANY
  const { records } = await callAs(office, 'GET', '/admin/v1/applicants?maxRecords=1000')
  const { applicantId, firstName, lastName } = records.find(isForeign)
  expectStatus(page, 404)
  await page.goto(`${CONSOLE}/people/${encodeURIComponent(applicantId)}`)
  await page.getByText('This does not exist').waitFor()
  assert.equal(await page.getByText(lastName).count(), 0)
  const own = await callAs(page, 'GET', '/admin/v1/companies')
  const all = await callAs(office, 'GET', '/admin/v1/cases?maxRecords=1000')
  const { caseId } = all.records.find(
    (one: Record<string, unknown>) =>
      !['hostCompanyId', 'sendingCompanyId', 'billingCompanyId'].some(role => one[role] === own[0].companyId),
  )
  await page.goto(`${CONSOLE}/cases/${encodeURIComponent(caseId)}`)
  await page.getByText('This does not exist').waitFor()
  await page.goto(`${CONSOLE}/people?q=${encodeURIComponent(`${firstName} ${lastName}`)}`)
  await page.getByText('Nothing matches').waitFor()
})

it('Contact: starts a case for a person of the company, without choosing a company', async t => {
  const page = await openAs(t, 'contact')
  const { records } = await callAs(page, 'GET', '/admin/v1/applicants?maxRecords=1000')
  const { employeeNumber, firstName, lastName } = records.find(
    (one: { primaryApplicantId: unknown; employeeNumber: unknown }) =>
      one.primaryApplicantId === null && one.employeeNumber !== null,
  )
  await page.getByRole('button', { name: 'Start a new case' }).click()
  await page.getByRole('heading', { level: 1, name: 'Start a new case' }).waitFor()
  await page.getByRole('combobox', { name: 'Find a person' }).fill(employeeNumber)
  await page.getByRole('option', { name: new RegExp(lastName) }).click()
  await page.getByRole('textbox', { name: 'Case type' }).fill('Assignment letter')
  assert.equal(await page.getByRole('combobox', { name: /company/i }).count(), 0)
  await page.getByRole('button', { name: 'Start the case' }).click()
  await page.getByRole('heading', { level: 1, name: new RegExp(`${firstName} ${lastName}`) }).waitFor()
  await page.waitForURL(/\/cases\/(?!new)/)
  await page.goto(`${CONSOLE}/`)
  const cases = page.getByRole('region', { name: 'Where each case stands' }).getByRole('listitem')
  await cases.first().getByText('Assignment letter').waitFor()
})

it('Contact: the first screen in every look', t =>
  checkEveryLook(t, 'contact', '/', page =>
    page.getByRole('region', { name: 'Where each case stands' }).getByRole('listitem').first().waitFor(),
  ))
