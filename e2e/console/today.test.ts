import assert from 'node:assert/strict'
import { it } from 'node:test'
import { callAs, checkAccessibility, checkEveryLook, openAs, type Role } from './console.ts'

it('Today: every number is the one of the overview', async t => {
  const page = await openAs(t, 'case-manager')
  const { cases, expiring } = await callAs(page, 'GET', '/admin/v1/overview')
  await page.locator('.tile-value').first().waitFor()
  const shown = await page.locator('.tile-value').allTextContents()
  assert.deepEqual(
    shown.map(Number),
    [cases.overdue, cases.dueThisWeek, cases.unassigned, cases.open, cases.pending].concat(
      expiring.expired,
      expiring.in7,
      expiring.in30,
      expiring.in60,
      expiring.in90,
    ),
  )
})

it('Today: counts beyond the exact ones say so, and failing webhooks lead to those that fail', async t => {
  const page = await openAs(t, 'admin', '/cases')
  const overview = await callAs(page, 'GET', '/admin/v1/overview')
  const expiring = { ...overview.expiring, in90: 10_001 }
  await page.route('**/admin/v1/overview', route =>
    route.fulfill({ json: { ...overview, expiring, failingWebhooks: 2 } }),
  )
  await page.getByRole('link', { name: 'Today' }).click()
  await page.getByRole('link', { name: '10,000+ Expire within 90 days' }).waitFor()
  const request = page.waitForRequest(/\/admin\/v1\/webhooks\?failing=true$/)
  await page.getByRole('link', { name: 'Webhooks that fail: 2' }).click()
  await request
  assert.equal(new URL(page.url()).searchParams.get('state'), 'failing')
})

for (const role of ['viewer', 'case-manager', 'auditor', 'admin'] as Role[])
  it(`Today: opens for a person with the role ${role}`, async t => {
    const page = await openAs(t, role)
    await page.getByRole('region', { name: 'Expires next' }).getByRole('listitem').first().waitFor()
  })

it('Today: the palette finds a person by passport number, by keyboard alone', async t => {
  const page = await openAs(t, 'viewer')
  const { records } = await callAs(page, 'GET', '/admin/v1/applicants?q=mei%20chen')
  const { passports } = await callAs(page, 'GET', `/v2/applicant/${records[0].applicantId}`)
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('A name, number, passport').waitFor()
  await page.keyboard.type(passports[0].passportNumber)
  await page.getByRole('button', { name: /^Mei Chen/ }).waitFor()
  await checkAccessibility(page)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Mei Chen' }).waitFor()
})

it('Today: Enter in the palette opens what was typed, not what was found for fewer letters', async t => {
  const page = await openAs(t, 'viewer')
  let wait = Promise.resolve()
  await page.route('**/admin/v1/search?**', async route => {
    await wait
    await route.continue()
  })
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('A name, number, passport').waitFor()
  await page.keyboard.type('me')
  await page.getByRole('button', { name: /^Mei Chen/ }).waitFor()
  const { promise, resolve } = Promise.withResolvers<void>()
  wait = promise
  await page.getByPlaceholder('A name, number, passport').fill('wojcik')
  await page.keyboard.press('Enter')
  resolve()
  await page.getByRole('heading', { level: 1, name: /W.jcik$/ }).waitFor()
})

it('Today: ? lists the shortcuts, and G P leads to People', async t => {
  const page = await openAs(t, 'viewer')
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('People').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  await page.getByRole('heading', { level: 1, name: 'People' }).waitFor()
})

it('Today: shortcuts of single keys are switched off, and stay so in this browser', async t => {
  const page = await openAs(t, 'viewer')
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await help.getByRole('checkbox', { name: 'Shortcuts of single keys' }).uncheck()
  await checkAccessibility(page)
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'hidden' })
  await page.reload()
  await page.getByRole('heading', { level: 1 }).waitFor()
  for (const key of ['?', 'g', 'p']) await page.keyboard.press(key)
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.match(page.url(), /console\/?$/)
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('A name, number, passport').waitFor()
})

it('Today: in German, and again after a reload', async t => {
  const page = await openAs(t, 'viewer')
  await page.getByRole('button', { name: /Account of/ }).click()
  await page.getByRole('menuitem', { name: 'Deutsch' }).click()
  await page.getByRole('heading', { level: 1, name: 'Heute' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Heute' }).waitFor()
  assert.equal(await page.locator('html').getAttribute('lang'), 'de')
})

it('Today: in every look', t =>
  checkEveryLook(t, 'case-manager', '/', page =>
    page.getByRole('region', { name: 'Expires next' }).getByRole('listitem').first().waitFor(),
  ))
