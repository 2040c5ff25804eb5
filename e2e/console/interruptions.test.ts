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

it('Signing out in another window asks to sign in before anything is read', async t => {
  const page = await openAs(t, 'viewer', '/people')
  await callAs(page, 'DELETE', '/auth/v1/session')
  expectStatus(page, 401)
  await page.getByRole('link', { name: 'Today' }).click()
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  await signInAs(page, userOf('viewer'))
})
