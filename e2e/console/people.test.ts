import assert from 'node:assert/strict'
import { it } from 'node:test'
import { eventually } from './case-data.ts'
import { CONSOLE, callAs, checkEveryLook, expectStatus, openAs } from './console.ts'

/** So high that Mei Chen is on the screen, whomever other tests have added. */
const HIGH = { viewport: { width: 1400, height: 5_000 } }

it('People: finds by a text, and keeps it in the address', async t => {
  const page = await openAs(t, 'case-manager', '/people')
  await page.getByRole('row').nth(5).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('dubois')
  await page.waitForURL(/q=dubois/)
  const names = page.getByRole('table', { name: 'People' }).locator('.row-link')
  await page.locator('[role=table][aria-busy=false]').waitFor()
  for (const name of await names.allTextContents()) assert.match(name, /Dubois/)
  await page.reload()
  assert.equal(await page.getByRole('searchbox').inputValue(), 'dubois')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.waitForURL(url => !url.searchParams.has('q'))
  await names.filter({ hasNotText: 'Dubois' }).first().waitFor()
})

it('People: shows what expires next and how many cases are open', async t => {
  const page = await openAs(t, 'case-manager', '/people', HIGH)
  const { records } = await callAs(page, 'GET', '/admin/v1/applicants?q=mei%20chen&summary=true')
  const [mei] = records
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Mei Chen' }) })
  const [next] = mei.nextExpiries
  await row.getByText(next.kind === 'passport' ? 'Passport' : next.name).waitFor()
  await row.getByText(next.expiryDate.slice(0, 4)).waitFor()
  assert.ok(mei.openCases > 0)
  await row.getByRole('cell').last().getByText(String(mei.openCases), { exact: true }).waitFor()
})

it('People: unfolds a family by keyboard and by mouse, and a search shows its members as rows', async t => {
  const page = await openAs(t, 'case-manager', '/people', HIGH)
  const { records } = await callAs(page, 'GET', '/admin/v1/applicants?q=mei%20chen&summary=true')
  const [first] = records[0].dependents
  const name = `${first.firstName} ${first.lastName}`
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Mei Chen', exact: true }) })
  const family = row.getByRole('button', { name: /^Family of Mei Chen/ })
  const member = page.getByRole('link', { name, exact: true })
  await family.waitFor()
  assert.equal(await member.count(), 0)
  await family.click()
  await member.waitFor()
  assert.equal(await family.getAttribute('aria-expanded'), 'true')
  await row.focus()
  await page.keyboard.press('ArrowLeft')
  await member.waitFor({ state: 'detached' })
  await page.keyboard.press('ArrowRight')
  await member.waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name }).waitFor()

  await page.goto(`${CONSOLE}/people?q=${encodeURIComponent(name)}`)
  await member.waitFor()
  assert.equal(await page.getByRole('button', { name: /^Family of/ }).count(), 0)
})

it('People: says that nothing matches', async t => {
  const page = await openAs(t, 'viewer', '/people?q=zzzzzz')
  await page.getByText('Nothing matches').waitFor()
})

it('People: the list is where it was after Back', async t => {
  const page = await openAs(t, 'case-manager', '/people', { viewport: { width: 1280, height: 500 } })
  const scroller = page.locator('.table-scroller')
  const top = () => scroller.evaluate(element => element.scrollTop)
  await page.locator('.body-row').first().waitFor()
  await scroller.evaluate(element => element.scrollTo(0, 400))
  await eventually(top, 400)
  const box = await scroller.boundingBox()
  await page.mouse.click((box?.x ?? 0) + 300, (box?.y ?? 0) + (box?.height ?? 0) / 2)
  await page.waitForURL(/people\/./)
  await page.goBack()
  await eventually(top, 400)
})

it('People: in every look', t =>
  checkEveryLook(t, 'case-manager', '/people', page => page.locator('.body-row').nth(5).waitFor()))

it('People: a new person whose response is lost is created once, however often the form is sent', async t => {
  const page = await openAs(t, 'case-manager', '/people')
  expectStatus(page, 520)
  const lastName = `Once${Date.now()}`
  await page.getByRole('button', { name: 'New person' }).click()
  const dialog = page.getByRole('dialog', { name: 'New person' })
  const create = dialog.getByRole('button', { name: 'Create' })
  await dialog.getByLabel('First name').fill('Olga')
  assert.equal(await create.isDisabled(), true)
  await dialog.getByLabel('Last name').fill(lastName)
  await dialog.getByLabel('Employee number').fill(lastName)
  let posts = 0
  // The person is created the first time; only the response is lost, and a proxy says so.
  await page.route('**/v2/applicant', async route => {
    posts += 1
    if (posts > 1) return route.continue()
    await route.fetch()
    await route.fulfill({ status: 520, body: '' })
  })
  await create.click()
  await dialog.getByRole('alert').waitFor()
  await create.click()
  await page.getByRole('heading', { level: 1, name: `Olga ${lastName}` }).waitFor()
  const { records } = await callAs(page, 'GET', `/admin/v1/applicants?q=${lastName}`)
  assert.deepEqual([posts, records.length], [2, 1])
})

it('People: spaces around what is typed for a new person are left out', async t => {
  const page = await openAs(t, 'case-manager', '/people')
  const lastName = `Spaces${Date.now()}`
  await page.getByRole('button', { name: 'New person' }).click()
  const dialog = page.getByRole('dialog', { name: 'New person' })
  await dialog.getByLabel('First name').fill(' Olga ')
  await dialog.getByLabel('Last name').fill(` ${lastName} `)
  await dialog.getByLabel('Employee number').fill(` ${lastName} `)
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { level: 1, name: `Olga ${lastName}` }).waitFor()
  const { records } = await callAs(page, 'GET', `/admin/v1/applicants?q=${lastName}`)
  const [saved] = records
  assert.deepEqual([saved.firstName, saved.lastName, saved.employeeNumber], ['Olga', lastName, lastName])
})

it('People: the error about a field of a new person is at the field', async t => {
  const page = await openAs(t, 'case-manager', '/people')
  expectStatus(page, 400)
  await page.getByRole('button', { name: 'New person' }).click()
  const dialog = page.getByRole('dialog', { name: 'New person' })
  const number = dialog.getByLabel('Employee number')
  await dialog.getByLabel('First name').fill('Olga')
  await dialog.getByLabel('Last name').fill('Long')
  await number.fill('9'.repeat(65))
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByRole('alert').waitFor()
  assert.equal(await number.getAttribute('aria-invalid'), 'true')
})

it('People: another search begins at the top, and Tab reaches its rows', async t => {
  const page = await openAs(t, 'case-manager', '/people', { viewport: { width: 1200, height: 500 } })
  const isScrolled = async () => page.evaluate('document.querySelector(".table-scroller").scrollTop > 0')
  await page.locator('[data-index="0"]').focus()
  await page.keyboard.press('End')
  await eventually(isScrolled, true)
  await page.getByRole('searchbox').fill('dubois')
  await page.waitForURL(/q=dubois/)
  await eventually(isScrolled, false)
  await page.locator('[role=table][aria-busy=false]').waitFor()
  assert.equal(await page.locator('[data-index][tabindex="0"]').count(), 1)
})
