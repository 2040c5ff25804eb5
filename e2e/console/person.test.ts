import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import {
  callAs,
  checkAccessibility,
  checkEveryLook,
  expectStatus,
  ORIGIN,
  openAs,
  openConsole,
  signInAs,
  userOf,
} from './console.ts'

const unique = () => Math.random().toString(36).slice(2, 8)

/** A person of their own for each test, made with the API. */
async function createPerson(page: Page, fields: object = {}): Promise<string> {
  const primaryApplicant = { firstName: 'Nora', lastName: `Test${unique()}`, jobTitle: 'Engineer', ...fields }
  const { primaryApplicant: saved } = await callAs(page, 'POST', '/v2/applicant', { primaryApplicant })
  return saved.applicantId
}

async function openPerson(t: TestContext, fields: object = {}) {
  const page = await openAs(t, 'case-manager', '/people')
  const applicantId = await createPerson(page, fields)
  await page.goto(`${ORIGIN}/console/people/${applicantId}`)
  await page.getByRole('button', { name: /^Job title/ }).waitFor()
  return { page, applicantId }
}

const readPerson = (page: Page, applicantId: string) => callAs(page, 'GET', `/v2/applicant/${applicantId}`)

it('Person: a field is edited by keyboard, shown at once, saved and undone', async t => {
  const { page, applicantId } = await openPerson(t)
  await page.getByRole('button', { name: /^Job title/ }).focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Job title').fill('Head of Research')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Job title Head of Research/ }).waitFor()
  await page.getByText('Job title saved').waitFor()
  assert.equal((await readPerson(page, applicantId)).jobTitle, 'Head of Research')
  await page.keyboard.press('z')
  await page.getByRole('button', { name: /^Job title Engineer/ }).waitFor()
  await assertEventually(async () => (await readPerson(page, applicantId)).jobTitle === 'Engineer')
})

it('Person: a required field that is emptied says so, and keeps its value', async t => {
  const { page, applicantId } = await openPerson(t)
  await page.getByRole('button', { name: /^First name/ }).press('Enter')
  const input = page.getByLabel('First name')
  await input.fill('   ')
  await page.keyboard.press('Enter')
  await page.getByText('This field cannot be empty.').waitFor()
  const middleOf = (box: { y: number; height: number } | null) => (box ? box.y + box.height / 2 : Number.NaN)
  const middleOfSave = middleOf(await page.getByRole('button', { name: 'Save', exact: true }).boundingBox())
  assert.ok(Math.abs(middleOfSave - middleOf(await input.boundingBox())) <= 2)
  assert.equal(await input.getAttribute('aria-invalid'), 'true')
  await checkAccessibility(page)
  await input.fill('Nina')
  assert.equal(await page.getByText('This field cannot be empty.').count(), 0)
  await input.fill('')
  await page.keyboard.press('Enter')
  await page.getByText('This field cannot be empty.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^First name Nora/ }).waitFor()
  assert.equal((await readPerson(page, applicantId)).firstName, 'Nora')
})

it('Person: choosing the country again that a field has keeps it, and its button clears it', async t => {
  const { page, applicantId } = await openPerson(t, { nationality: 'FR' })
  const field = page.getByRole('button', { name: /^Nationality/ })
  await field.click()
  await page.getByRole('option', { name: 'France' }).click()
  await page.getByRole('button', { name: /^Nationality France/ }).waitFor()
  assert.equal((await readPerson(page, applicantId)).nationality, 'FR')
  await field.click()
  await page.locator('.field-edit .mantine-InputClearButton-root').click()
  await page.getByText('Nationality saved').waitFor()
  assert.equal((await readPerson(page, applicantId)).nationality, null)
})

it('Person: an archived person has a screen without uploads, and is restored there', async t => {
  const page = await openAs(t, 'case-manager', '/people')
  const primaryApplicant = { firstName: 'Nora', lastName: `Test${unique()}` }
  const { dependents, ...made } = await callAs(page, 'POST', '/v2/applicant', {
    primaryApplicant,
    dependents: [{ firstName: 'Nils', lastName: 'Left', relationship: 'Child' }],
  })
  const path = `/v2/applicant/${encodeURIComponent(made.primaryApplicant.applicantId)}`
  expectStatus(page, 404)
  await page.goto(`${ORIGIN}/console/people/${encodeURIComponent(dependents[0].applicantId)}`)
  await page.getByRole('button', { name: 'Upload a file' }).waitFor()
  await callAs(page, 'PUT', path, { primaryApplicant, dependents: [] })
  const title = page.getByText('This person is archived', { exact: true })
  await title.waitFor()
  assert.equal(await page.getByRole('button', { name: 'Upload a file' }).count(), 0)
  assert.equal(await page.getByText('Drop a file anywhere').count(), 0)
  await page.reload()
  await title.waitFor()
  await page.getByRole('link', { name: /^Nora Test/ }).waitFor()
  const screen = `/people/${encodeURIComponent(dependents[0].applicantId)}`
  await checkEveryLook(t, 'case-manager', screen, shown => shown.getByText('was saved without').waitFor())
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByText('The person was restored').waitFor()
  await page.getByRole('button', { name: 'Upload a file' }).waitFor()
  assert.equal((await callAs(page, 'GET', `${path}/dependents`)).length, 1)
})

it('Person: an archived person whose number another one has is restored without it, if that is wanted', async t => {
  const page = await openAs(t, 'case-manager', '/people')
  const primaryApplicant = { firstName: 'Nora', lastName: `Test${unique()}` }
  const employeeNumber = `A-${unique()}`
  const { dependents, ...made } = await callAs(page, 'POST', '/v2/applicant', {
    primaryApplicant,
    dependents: [{ firstName: 'Nils', lastName: 'Left', relationship: 'Child', employeeNumber }],
  })
  const path = `/v2/applicant/${encodeURIComponent(made.primaryApplicant.applicantId)}`
  await callAs(page, 'PUT', path, { primaryApplicant, dependents: [] })
  await callAs(page, 'POST', '/v2/applicant', { primaryApplicant: { ...primaryApplicant, employeeNumber } })
  expectStatus(page, 409)
  await page.goto(`${ORIGIN}/console/people/${encodeURIComponent(dependents[0].applicantId)}`)
  const restore = page.getByRole('button', { name: 'Restore', exact: true })
  const question = page.getByRole('dialog', { name: 'Restore without the employee number?' })
  await restore.click()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await restore.click()
  await question.getByText(employeeNumber).waitFor()
  await question.getByRole('button', { name: 'Restore without the number' }).click()
  await page.getByText('The person was restored').waitFor()
  const [restored] = await callAs(page, 'GET', `${path}/dependents`)
  assert.deepEqual([restored.firstName, restored.employeeNumber], ['Nils', null])
})

it('Person: Escape leaves a field as it was', async t => {
  const { page, applicantId } = await openPerson(t)
  await page.getByRole('button', { name: /^Job title/ }).click()
  await page.getByLabel('Job title').fill('Nobody')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Job title Engineer/ }).waitFor()
  assert.equal((await readPerson(page, applicantId)).jobTitle, 'Engineer')
})

it('Person: a field that is half edited asks before the screen is left', async t => {
  const { page } = await openPerson(t)
  await page.getByRole('link', { name: 'Today' }).click()
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor()
  await page.evaluate('history.back()')
  const field = page.getByLabel('Job title')
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  const wouldAsk = () => page.evaluate('!dispatchEvent(new Event("beforeunload", { cancelable: true }))')
  await page.getByRole('button', { name: /^Job title/ }).click()
  assert.equal(await wouldAsk(), false)
  await field.fill('Head of')
  assert.equal(await wouldAsk(), true)
  await page.getByRole('link', { name: 'Today' }).click()
  await question.getByText('What you typed for Job title is not saved.').waitFor()
  await checkAccessibility(page)
  await question.getByRole('button', { name: 'Cancel' }).click()
  await page.evaluate('history.forward()')
  await question.waitFor()
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'hidden' })
  assert.equal(await field.inputValue(), 'Head of')
  await page.getByRole('link', { name: 'Today' }).click()
  await question.getByRole('button', { name: 'Discard the changes' }).click()
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor()
})

it('Person: a field in which nothing was typed does not ask, whatever is stored or changes meanwhile', async t => {
  const { page, applicantId } = await openPerson(t, { jobTitle: ' Engineer ' })
  const wouldAsk = () => page.evaluate('!dispatchEvent(new Event("beforeunload", { cancelable: true }))')
  await page.getByRole('button', { name: /^Job title/ }).click()
  assert.equal(await wouldAsk(), false)
  await callAs(page, 'PATCH', `/v2/applicant/${applicantId}`, { primaryApplicant: { jobTitle: 'Director' } })
  // While its field has the focus, a record is not read again.
  await page.getByRole('heading', { level: 1 }).click()
  await page.getByText('Another person has changed it to: Director').waitFor()
  assert.equal(await wouldAsk(), false)
  await page.getByLabel('Job title').fill('Head of')
  assert.equal(await wouldAsk(), true)
})

it('Person: a field that is half edited asks once where Back is pressed twice, and Back works after that', async t => {
  const lastName = `Twice${unique()}`
  const { page, applicantId } = await openPerson(t, { lastName })
  for (const name of ['Cases', 'Today']) {
    await page.getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
  }
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('A name, number, passport, company or command').fill(lastName)
  await page.getByRole('dialog').getByText(`Nora ${lastName}`).click()
  await page.getByRole('button', { name: /^Job title/ }).click()
  const field = page.getByLabel('Job title')
  await field.fill('Head of')
  await page.evaluate(`new Promise(resolve => {
    history.back()
    setTimeout(() => history.back(), 100)
    setTimeout(resolve, 500)
  })`)
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await page.waitForURL(`**/people/${applicantId}`)
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'hidden' })
  assert.equal(await field.inputValue(), 'Head of')
  await field.press('Escape')
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor()
})

it('Person: the form of a passport asks before it throws away what was typed', async t => {
  const { page } = await openPerson(t)
  await page.getByRole('button', { name: 'Add a passport' }).click()
  await page.locator('[data-autofocus]:focus').waitFor()
  await page.keyboard.type('C01X')
  await page.keyboard.press('Escape')
  const question = page.getByRole('dialog', { name: 'Discard your changes?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  assert.equal(await page.getByLabel('Passport number').inputValue(), 'C01X')
})

it('Person: a date that is half typed asks before the screen is left, and what is stored does not', async t => {
  const { page } = await openPerson(t)
  await page.getByRole('button', { name: /^Date of birth/ }).click()
  await page.getByLabel('Date of birth').fill('31.')
  await page.getByRole('link', { name: 'Today' }).click()
  await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByLabel('Date of birth').fill('')
  await page.getByRole('link', { name: 'Today' }).click()
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor()
})

it('Person: a date is typed in the form that people know, and a text that is none is not saved', async t => {
  const { page, applicantId } = await openPerson(t)
  await page.getByRole('button', { name: /^Date of birth/ }).click()
  await page.getByLabel('Date of birth').fill('31.2.1990')
  await page.keyboard.press('Enter')
  await page.getByText('This is no date').waitFor()
  await page.getByLabel('Date of birth').fill('31.5.1990')
  await page.getByText('31 May 1990').waitFor()
  await page.getByLabel('Date of birth').press('Enter')
  await page.getByText('Date of birth saved').waitFor()
  assert.match((await readPerson(page, applicantId)).dateOfBirth, /^1990-05-31/)
})

it('Person: Escape leaves a field as it was from its buttons too', async t => {
  const { page, applicantId } = await openPerson(t)
  await page.getByRole('button', { name: /^Date of birth/ }).click()
  await page.getByLabel('Date of birth').fill('31.5.1990')
  await page.getByRole('button', { name: 'Save' }).focus()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Date of birth/ }).waitFor()
  assert.equal((await readPerson(page, applicantId)).dateOfBirth, null)
})

for (const [choice, expected] of [
  ['Use mine', 'Mine'],
  ['Keep theirs', 'Theirs'],
  ['Escape', 'Theirs'],
] as const)
  it(`Person: two people change the same field; "${choice}" decides`, async t => {
    const { page, applicantId } = await openPerson(t)
    const { page: other } = await openConsole(t)
    await signInAs(other, userOf('admin'))
    await page.getByRole('button', { name: /^Job title/ }).click()
    await page.getByLabel('Job title').fill('Mine')
    await callAs(other, 'PATCH', `/v2/applicant/${applicantId}`, { primaryApplicant: { jobTitle: 'Theirs' } })
    expectStatus(page, 412)
    await page.getByLabel('Job title').press('Enter')
    const dialog = page.getByRole('dialog', { name: 'This record was changed meanwhile' })
    await dialog.getByText('Theirs', { exact: true }).waitFor()
    await dialog.getByText('Mine', { exact: true }).waitFor()
    if (choice === 'Escape') await page.keyboard.press('Escape')
    else await dialog.getByRole('button', { name: choice }).click()
    await dialog.waitFor({ state: 'hidden' })
    await assertEventually(() => hasFocus(page, 'Job title'))
    await assertEventually(async () => (await readPerson(page, applicantId)).jobTitle === expected)
  })

it('Person: the focus is on the field after the question about a change that was seen while typing', async t => {
  const { page, applicantId } = await openPerson(t)
  await page.getByRole('button', { name: /^Job title/ }).click()
  await page.getByLabel('Job title').fill('Mine')
  await callAs(page, 'PATCH', `/v2/applicant/${applicantId}`, { primaryApplicant: { jobTitle: 'Theirs' } })
  await page.getByRole('heading', { level: 1 }).click()
  await page.getByText('Another person has changed it to: Theirs').waitFor()
  await page.getByLabel('Job title').press('Enter')
  const dialog = page.getByRole('dialog', { name: 'This record was changed meanwhile' })
  await dialog.getByText('Theirs', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await assertEventually(() => hasFocus(page, 'Job title'))
})

it('Person: changes of different fields do not disturb each other', async t => {
  const { page, applicantId } = await openPerson(t)
  await callAs(page, 'PATCH', `/v2/applicant/${applicantId}`, { primaryApplicant: { cityOfBirth: 'Ulm' } })
  expectStatus(page, 412)
  await page.getByRole('button', { name: /^Job title/ }).click()
  await page.getByLabel('Job title').fill('Director')
  await page.keyboard.press('Enter')
  await page.getByText('Job title saved').waitFor()
  const saved = await readPerson(page, applicantId)
  assert.deepEqual([saved.jobTitle, saved.cityOfBirth], ['Director', 'Ulm'])
})

it('Person: a new hire with family and passport, by keyboard alone', async t => {
  const page = await openAs(t, 'case-manager', '/people')
  const lastName = `Keys${unique()}`
  await page.keyboard.press('n')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.type('Ada')
  await page.keyboard.press('Tab')
  await page.keyboard.type(lastName)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: `Ada ${lastName}` }).waitFor()

  await page.getByRole('button', { name: 'Add a family member' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('[data-autofocus]:focus').waitFor()
  for (const text of ['Ben', lastName, 'Child', '12.9.2018']) {
    await page.keyboard.type(text)
    await page.keyboard.press('Tab')
  }
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: `Ben ${lastName}` }).waitFor()

  await page.getByRole('button', { name: 'Add a passport' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('[data-autofocus]:focus').waitFor()
  await page.keyboard.type('C01X00T47')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Germany')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.type('2021-03-01')
  await page.keyboard.press('Tab')
  await page.keyboard.type('2031-02-28')
  await page.keyboard.press('Enter')
  await page.getByText('Passport C01X00T47').waitFor()
  await page.getByText('28 Feb 2031').first().waitFor()
})

it('Person: a dependent has a screen of their own, and can be edited', async t => {
  const { page, applicantId } = await openPerson(t)
  const dependent = { firstName: 'Kim', lastName: 'Test', relationship: 'Child' }
  await callAs(page, 'POST', `/v2/applicant/${applicantId}/dependent`, dependent)
  await page.reload()
  await page.getByRole('link', { name: 'Kim Test' }).click()
  await page.getByRole('heading', { level: 1, name: 'Kim Test' }).waitFor()
  await page.getByRole('button', { name: /^Place of birth/ }).click()
  await page.getByLabel('Place of birth').fill('Ulm')
  await page.keyboard.press('Enter')
  await page.getByText('Place of birth saved').waitFor()
  await page.reload()
  await page.getByRole('button', { name: /^Place of birth Ulm/ }).waitFor()
})

it('Person: the number of a dependent is changed after the one before it was typed', async t => {
  const number = `F-${unique()}`
  const { page, applicantId } = await openPerson(t, { employeeNumber: number })
  await page.getByText('is changed through the API').waitFor()
  const dependent = { firstName: 'Kim', lastName: 'Test', relationship: 'Child', dateOfBirth: '2018-09-12' }
  const made = await callAs(page, 'POST', `/v2/applicant/${applicantId}/dependent`, {
    ...dependent,
    employeeNumber: `${number}-D1`,
  })
  await page.goto(`${ORIGIN}/console/people/${made.applicantId}`)
  await page.getByRole('button', { name: 'Change the number' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change the number' })
  const change = dialog.getByRole('button', { name: 'Change the number' })
  await dialog.getByLabel('New employee number').fill(number)
  assert.equal(await change.isDisabled(), true)
  await dialog.getByLabel(`Type ${number}-D1 to confirm`).fill(`${number}-D1`)
  expectStatus(page, 409)
  await change.click()
  await dialog.getByRole('alert').waitFor()
  await checkAccessibility(page)
  await dialog.getByLabel('New employee number').fill(`${number}-new`)
  await change.click()
  await page.getByText('The employee number was changed').waitFor()
  await page.getByText(`${number}-new`).first().waitFor()
})

it('Person: a file is uploaded after the country was chosen', async t => {
  const { page } = await openPerson(t)
  const file = { name: 'permit.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 a permit') }
  await page.locator('input[type=file]').first().setInputFiles(file)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Repository country' }).fill('Germany')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Upload 1 file' }).click()
  await page.getByText('Uploaded').waitFor()
  await page.getByRole('table', { name: 'Documents' }).getByText('permit.pdf').waitFor()
})

it('Person: a viewer reads everything and is offered no change', async t => {
  const page = await openAs(t, 'viewer', '/people?nationality=CN')
  await page.getByText('Mei Chen').first().click()
  await page.getByRole('heading', { level: 1, name: 'Mei Chen' }).waitFor()
  await page.getByText('Date of birth').waitFor()
  for (const name of [/^Job title/, 'Add a passport', 'Upload a file', 'Add a family member'])
    assert.equal(await page.getByRole('button', { name }).count(), 0)
})

it('Person: in every look', async t => {
  const page = await openAs(t, 'case-manager', '/people?nationality=CN')
  const href = await page.getByRole('link', { name: 'Mei Chen' }).getAttribute('href')
  await checkEveryLook(t, 'case-manager', href?.replace('/console', '') ?? '', async page => {
    await page.getByRole('figure', { name: 'Passports and permits' }).waitFor()
    await page.getByRole('list', { name: 'Timeline' }).waitFor()
  })
})

const hasFocus = (page: Page, label: string) =>
  page.evaluate<boolean>(`document.activeElement.matches('.field-button')
    && document.activeElement.textContent.startsWith('${label}')`)

async function assertEventually(check: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await check()) return
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  assert.fail('It did not come about within twenty seconds.')
}
