import assert from 'node:assert/strict'
import { it } from 'node:test'
import { CONSOLE, checkAccessibility, ORIGIN, openConsole, userOf } from './console.ts'

it('Sign in: by password, and out again', async t => {
  const { page } = await openConsole(t)
  const { email, password } = userOf('case-manager')
  await page.goto(`${CONSOLE}/people`)
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'People' }).waitFor()
  assert.equal(page.url(), `${CONSOLE}/people`)
  await page.getByRole('button', { name: /Account of/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByLabel('E-mail address').waitFor()
})

it('Sign in: by the issuer of the organisation, back to the address that was wanted', async t => {
  const { page, incidents } = await openConsole(t)
  await page.goto(`${CONSOLE}/cases?due=7&show=board`)
  await page.getByRole('link', { name: 'Sign in with your organisation' }).click()
  await page.locator('input[name=login]').fill(`issued.${Date.now()}@demo.example#case-manager`)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Cases' }).waitFor()
  // The pages of the issuer are no concern of the console.
  incidents.length = 0
  assert.equal(page.url(), `${CONSOLE}/cases?due=7&show=board`)
  await page.getByRole('link', { name: 'Today' }).click()
  await page.reload()
  await page.getByRole('heading', { name: 'Today' }).waitFor()
})

it('Sign in: says that the password is wrong', async t => {
  const { page, incidents } = await openConsole(t)
  await page.goto(CONSOLE)
  await page.getByLabel('E-mail address').fill('viewer@demo.example')
  await page.getByLabel('Password', { exact: true }).fill('not the password')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('alert').waitFor()
  // Chromium itself logs responses with an error status.
  assert.match(incidents.splice(0).join(), /^console: Failed to load resource.*401/)
})

it('Sign in: leads browsers from the address of the service to the console', async t => {
  const { page } = await openConsole(t)
  await page.goto(ORIGIN)
  await page.getByRole('heading', { name: 'Sign in to Caseport' }).waitFor()
  assert.equal(page.url(), CONSOLE)
})

for (const colorScheme of ['light', 'dark'] as const)
  it(`Sign in: has no accessibility violation, ${colorScheme}`, async t => {
    const { page } = await openConsole(t, { colorScheme })
    await page.goto(CONSOLE)
    await page.getByLabel('E-mail address').waitFor()
    await checkAccessibility(page)
  })
