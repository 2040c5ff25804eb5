// What interrupts work: an ended session, a service that does not respond. Nothing that was typed is lost.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  callAs,
  checkAccessibility,
  expectNetworkErrors,
  expectStatus,
  ORIGIN,
  openAs,
  signInAs,
  userOf,
} from './console.ts'

/** The case manager of the demo. */
const RUTH = 'Ruth Okafor'

async function openField(t: Parameters<typeof openAs>[0]) {
  const page = await openAs(t, 'case-manager', '/people')
  const primaryApplicant = { firstName: 'Ines', lastName: 'Interrupted', jobTitle: 'Engineer' }
  const { primaryApplicant: saved } = await callAs(page, 'POST', '/v2/applicant', { primaryApplicant })
  await page.goto(`${ORIGIN}/console/people/${saved.applicantId}`)
  await page.getByRole('button', { name: /^Job title/ }).click()
  await page.getByLabel('Job title').fill('Typed before')
  return { page, applicantId: saved.applicantId as string }
}

it('A session that ends in the middle: the change is saved after signing in again', async t => {
  const { page, applicantId } = await openField(t)
  const { email, password } = userOf('case-manager')
  await callAs(page, 'DELETE', '/auth/v1/session')
  expectStatus(page, 401)
  await page.getByLabel('Job title').press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.getByLabel('E-mail address').waitFor()
  await checkAccessibility(page)
  await dialog.getByLabel('E-mail address').fill(email)
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByText('Job title saved').waitFor()
  await dialog.waitFor({ state: 'hidden' })
  assert.equal((await callAs(page, 'GET', `/v2/applicant/${applicantId}`)).jobTitle, 'Typed before')
})

it('A session that ends in the middle: another person gets a new page', async t => {
  const { page } = await openField(t)
  const { email, password } = userOf('viewer')
  await callAs(page, 'DELETE', '/auth/v1/session')
  expectStatus(page, 401)
  await page.getByLabel('Job title').press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.getByLabel('E-mail address').fill(email)
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  const reloaded = page.waitForEvent('load')
  await page.keyboard.press('Enter')
  await reloaded
  await page.getByText('Date of birth').waitFor()
  assert.equal(await page.getByText('Typed before').count(), 0)
})

for (const how of ['opens the console in another tab', 'has signed in elsewhere'] as const)
  it(`Another person ${how}: the tab is loaded again for that person`, async t => {
    const { page } = await openField(t)
    await page.getByRole('button', { name: `Account of ${RUTH}` }).waitFor()
    await signInAs(page, userOf('viewer'))
    const reloaded = page.waitForEvent('load')
    if (how === 'has signed in elsewhere') await page.evaluate('window.dispatchEvent(new Event("focus"))')
    else await (await page.context().newPage()).goto(`${ORIGIN}/console/people`)
    await reloaded
    await page.getByRole('button', { name: /^Account of/ }).waitFor()
    assert.equal(await page.getByRole('button', { name: `Account of ${RUTH}` }).count(), 0)
    assert.equal(await page.getByText('Typed before').count(), 0)
  })

it('A service that does not respond: the banner says so, and what was typed can be saved afterwards', async t => {
  const { page, applicantId } = await openField(t)
  expectNetworkErrors(page)
  await page.context().setOffline(true)
  await page.getByLabel('Job title').press('Enter')
  await page.getByText('The service does not respond').first().waitFor()
  await page.context().setOffline(false)
  await page.getByText('We keep trying').waitFor({ state: 'hidden' })
  // A change over a version is not repeated by itself: it may have been saved. The field has the text again.
  const field = page.getByLabel('Job title')
  await field.waitFor()
  assert.equal(await field.inputValue(), 'Typed before')
  await field.press('Enter')
  await page.getByText('Job title saved').waitFor()
  assert.equal((await callAs(page, 'GET', `/v2/applicant/${applicantId}`)).jobTitle, 'Typed before')
})

it('A session that ends in the middle: a person who cannot be read after signing in is told so', async t => {
  const { page } = await openField(t)
  const { email, password } = userOf('case-manager')
  await callAs(page, 'DELETE', '/auth/v1/session')
  expectStatus(page, 401, 500)
  await page.getByLabel('Job title').press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.getByLabel('E-mail address').fill(email)
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await page.route('**/admin/v1/me', route => route.fulfill({ status: 500, body: '' }))
  await page.keyboard.press('Enter')
  await dialog.getByRole('alert').waitFor()
  await page.unroute('**/admin/v1/me')
  await page.keyboard.press('Enter')
  await page.getByText('Job title saved').waitFor()
})

it('A session that ends in the middle: the screen goes on after signing in in another window', async t => {
  const { page } = await openField(t)
  await callAs(page, 'DELETE', '/auth/v1/session')
  expectStatus(page, 401)
  await page.getByLabel('Job title').press('Enter')
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  await signInAs(page, userOf('case-manager'))
  await page.evaluate('window.dispatchEvent(new Event("focus"))')
  await page.getByText('Job title saved').waitFor()
})

it('Signing out works with a session that has ended, and says when it does not work', async t => {
  const page = await openAs(t, 'viewer', '/account')
  expectStatus(page, 401, 500)
  const signOut = async () => {
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('A name, number, passport, company or command').fill('Sign out')
    await page.keyboard.press('Enter')
  }
  await page.route('**/auth/v1/session', route => route.fulfill({ status: 500, body: '' }))
  await signOut()
  await page.getByText('This did not work').waitFor()
  await page.unroute('**/auth/v1/session')
  await callAs(page, 'DELETE', '/auth/v1/session')
  await signOut()
  await page.getByLabel('E-mail address').waitFor()
  assert.equal(await page.getByRole('dialog').count(), 0)
})

it('A page whose session has ended before it was drawn: signing in opens it', async t => {
  const page = await openAs(t, 'viewer', '/account')
  const { email, password } = userOf('viewer')
  expectStatus(page, 401)
  await page.route('**/admin/v1/me', route =>
    route.fulfill({
      status: 401,
      contentType: 'application/problem+json',
      json: { status: 401, code: 'session-required' },
    }),
  )
  await page.reload()
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.unroute('**/admin/v1/me')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'My account' }).waitFor()
})

it('A search that fails says so, and not that nothing was found', async t => {
  const page = await openAs(t, 'viewer', '/account')
  expectStatus(page, 500)
  await page.route('**/admin/v1/search?*', route => route.fulfill({ status: 500, body: '' }))
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('A name, number, passport, company or command').fill('zzzz')
  await page.getByText('The search did not work.').waitFor()
  assert.equal(await page.getByText('Nothing found').count(), 0)
})

it('Signing out in another window asks to sign in before anything is read', async t => {
  const page = await openAs(t, 'viewer', '/people')
  await callAs(page, 'DELETE', '/auth/v1/session')
  expectStatus(page, 401)
  await page.getByRole('link', { name: 'Today' }).click()
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  await signInAs(page, userOf('viewer'))
})
