import assert from 'node:assert/strict'
import { it } from 'node:test'
import { eventually } from './case-data.ts'
import { CONSOLE, callAs, checkAccessibility, checkEveryLook, expectStatus, openAs } from './console.ts'

it('Set-up: a company is added, found and closed by keyboard', async t => {
  const page = await openAs(t, 'admin', '/setup')
  const name = `Keyboard Works ${Date.now()}`
  await page.getByRole('row').nth(2).waitFor()
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog', { name: 'Add a company' })
  await dialog.getByLabel('Name', { exact: true }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type(name)
  await page.keyboard.press('Tab')
  await page.keyboard.type(`KW-${Date.now()}`)
  await page.keyboard.press('Tab')
  await page.keyboard.type('de')
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'hidden' })
  await page.keyboard.press('/')
  await page.locator('input[type=search]:focus').waitFor()
  await page.keyboard.type(name)
  const row = page.getByRole('row').filter({ hasText: name })
  await row.getByText('Germany').waitFor()
  await row.focus()
  await page.keyboard.press('Enter')
  const edit = page.getByRole('dialog', { name })
  await edit.getByRole('switch', { name: /^Active/ }).focus()
  await page.keyboard.press('Space')
  await edit.getByRole('button', { name: 'Save' }).focus()
  await page.keyboard.press('Enter')
  await row.getByText('Inactive').waitFor()
})

it('Set-up: a new name or code of a company tells who leaves it', async t => {
  const page = await openAs(t, 'admin', '/setup')
  const name = `Renamed ${Date.now()}`
  await callAs(page, 'POST', '/admin/v1/companies', { name, code: `R-${name}` })
  await page.goto(`${CONSOLE}/setup?q=${encodeURIComponent(name)}`)
  await page.getByRole('button', { name }).click()
  const dialog = page.getByRole('dialog', { name })
  const leaves = (former: string) =>
    dialog.getByText(`People whose sending company is “${former}” will no longer belong to this company.`)
  const field = dialog.getByLabel('Name', { exact: true })
  await field.fill(name.toUpperCase())
  assert.equal(await leaves(name).count(), 0)
  await field.fill(`${name} Holding`)
  await leaves(name).waitFor()
  await dialog.getByLabel('Code', { exact: true }).fill('')
  await leaves(`R-${name}`).waitFor()
  await field.fill(name)
  await leaves(name).waitFor({ state: 'hidden' })
})

it('Set-up: a company that another person has changed meanwhile shows both values', async t => {
  const page = await openAs(t, 'admin', '/setup')
  expectStatus(page, 412)
  const name = `Disputed ${Date.now()}`
  const { companyId } = await callAs(page, 'POST', '/admin/v1/companies', { name })
  await page.goto(`${CONSOLE}/setup?q=${encodeURIComponent(name)}`)
  await page.getByRole('button', { name }).click()
  const dialog = page.getByRole('dialog', { name })
  await dialog.getByLabel('Code', { exact: true }).fill(`MINE-${name}`)
  await callAs(page, 'PATCH', `/admin/v1/companies/${encodeURIComponent(companyId)}`, {
    code: `THEIRS-${name}`,
  })
  await dialog.getByRole('button', { name: 'Save' }).click()
  const conflict = page.getByRole('dialog', { name: 'This record was changed meanwhile' })
  await conflict.getByText(`THEIRS-${name}`).waitFor()
  await conflict.getByRole('button', { name: 'Keep theirs' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const saved = await callAs(page, 'GET', `/admin/v1/companies/${encodeURIComponent(companyId)}`)
  assert.equal(saved.code, `THEIRS-${name}`)
})

it('Set-up: a record that cannot be read is told, not ignored', async t => {
  const page = await openAs(t, 'admin', '/setup')
  expectStatus(page, 404)
  const problem = { status: 404, code: 'not-found', title: 'Not found', detail: 'It was removed meanwhile.' }
  await page.route(/\/admin\/v1\/(companies|users)\/./, route =>
    route.fulfill({ status: 404, contentType: 'application/problem+json', json: problem }),
  )
  for (const show of ['companies', 'users']) {
    await page.goto(`${CONSOLE}/setup?show=${show}`)
    await page.locator('.body-row .row-link').first().click()
    await page.getByText('It was removed meanwhile.').waitFor()
  }
})

it('Set-up: says what is wrong with a field, and keeps what was typed', async t => {
  const page = await openAs(t, 'admin', '/setup')
  await page.getByRole('button', { name: 'Add a company' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a company' })
  await dialog.getByLabel('Name', { exact: true }).fill('Nowhere Ltd')
  await dialog.getByLabel('Country', { exact: true }).fill('1')
  expectStatus(page, 400)
  const failed = page.waitForResponse(response => response.status() === 400)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await failed
  await dialog.getByRole('alert').waitFor()
  assert.equal(await dialog.getByLabel('Name', { exact: true }).inputValue(), 'Nowhere Ltd')
})

it('Set-up: steps of a process are ordered by keyboard and by button, with days and documents', async t => {
  const page = await openAs(t, 'admin', '/setup?show=processes&process=%2B')
  const name = `Process ${Date.now()}`
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Step 1', { exact: true }).fill('Second')
  await page.getByRole('button', { name: 'Add a step' }).click()
  await page.getByLabel('Step 2', { exact: true }).fill('First')
  await page.getByLabel('Days for First', { exact: true }).fill('14')
  await page.getByLabel('Step 2', { exact: true }).focus()
  await page.keyboard.press('Alt+ArrowUp')
  await page.getByRole('button', { name: 'Add a step' }).click()
  await page.getByLabel('Step 3', { exact: true }).fill('Third')
  await page.getByRole('button', { name: 'Move up: Third' }).click()
  await page.getByRole('button', { name: 'Move down: Third' }).click()
  const focused = 'document.activeElement.getAttribute("aria-label")'
  // It is the last row now, whose other button is disabled.
  await eventually(async () => page.evaluate(focused), 'Move up: Third')
  await page.getByRole('button', { name: 'Add a document' }).click()
  await page.getByLabel('Document 1', { exact: true }).fill('Passport copy')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(`${name} was saved`).waitFor()
  const processes = await callAs(page, 'GET', '/admin/v1/processes')
  const saved = processes.find((process: { name: string }) => process.name === name)
  assert.deepEqual(saved.steps, ['First', 'Second', 'Third'])
  assert.deepEqual(saved.dueDays, [14, null, null])
  const { items } = await callAs(page, 'GET', `/admin/v1/processes/${encodeURIComponent(name)}/checklist`)
  assert.deepEqual(items, [{ name: 'Passport copy', type: null, required: true }])

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText(`The process ${name} was deleted`).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('row').filter({ hasText: name }).waitFor()
})

it('Set-up: what is typed in a process survives a save and a lost connection, and is not left unasked', async t => {
  const page = await openAs(t, 'admin', '/account')
  expectStatus(page, 503)
  const put = (name: string, caseType: string) =>
    callAs(page, 'PUT', `/admin/v1/processes/${encodeURIComponent(name)}`, { caseType, steps: ['Collect'] })
  const [name, other] = [`Edited ${Date.now()}`, `Other ${Date.now()}`]
  for (const one of [name, other]) await put(one, `Type of ${one}`)
  await page.goto(`${CONSOLE}/setup?show=processes&process=${encodeURIComponent(name)}`)
  const step = page.getByLabel('Step 1', { exact: true })
  await step.fill('Gather')
  await step.press('Enter')
  await step.fill('Gather all')
  await page.getByText(`${name} was saved`).waitFor()
  assert.equal(await step.inputValue(), 'Gather all')

  // Another person saves it, while the service is away for a moment.
  await put(name, `Changed type of ${name}`)
  let isAway = true
  await page.route(/\/(admin\/v1|readyz)/, route =>
    isAway ? route.fulfill({ status: 503, body: '' }) : route.continue(),
  )
  await page.getByPlaceholder('Name, case type or step').fill('ed')
  await page.getByText('The service does not respond').waitFor()
  isAway = false
  await page.getByText('The service does not respond').waitFor({ state: 'detached' })
  await page.getByRole('row').filter({ hasText: name }).waitFor()
  await page.getByPlaceholder('Name, case type or step').fill('')
  await page.getByRole('button', { name: other }).click()
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  assert.equal(await step.inputValue(), 'Gather all')
  await page.getByRole('button', { name: other }).click()
  await question.getByRole('button', { name: 'Discard the changes' }).click()
  await page.getByRole('complementary', { name: other }).getByLabel('Step 1', { exact: true }).waitFor()
})

it('Set-up: a process that was saved in part says so, and sends only the rest again', async t => {
  const page = await openAs(t, 'admin', '/setup?show=processes&process=%2B')
  expectStatus(page, 520)
  const name = `Half ${Date.now()}`
  const sent: string[] = []
  let isBroken = true
  await page.route('**/admin/v1/processes/**', async route => {
    if (route.request().method() !== 'PUT') return route.continue()
    const isChecklist = route.request().url().endsWith('/checklist')
    sent.push(isChecklist ? 'checklist' : 'process')
    if (isChecklist && isBroken) return route.fulfill({ status: 520, body: '' })
    return route.continue()
  })
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Step 1', { exact: true }).fill('Collect')
  await page.getByRole('button', { name: 'Add a document' }).click()
  await page.getByLabel('Document 1', { exact: true }).fill('Passport copy')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The steps were saved, but not the documents').waitFor()
  await checkAccessibility(page)
  isBroken = false
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(`${name} was saved`).waitFor()
  assert.deepEqual(sent, ['process', 'checklist', 'checklist'])
})

it('Set-up: a new process and a new colleague are offered at once', async t => {
  const page = await openAs(t, 'admin', '/cases')
  const options = page.getByRole('option')
  const assignees = page.getByRole('combobox', { name: 'Assignee' })
  await page.getByRole('button', { name: 'More filters' }).click()
  const types = page.getByRole('combobox', { name: 'Case type' })
  await types.click()
  await options.first().waitFor()
  const caseType = `Fresh type ${Date.now()}`
  await page.getByRole('link', { name: 'Set-up' }).click()
  await page.getByText('Processes', { exact: true }).click()
  await page.getByRole('button', { name: 'Add a process' }).click()
  await page.getByLabel('Name', { exact: true }).fill(`Fresh ${Date.now()}`)
  await page.getByLabel('Case type', { exact: true }).fill(caseType)
  await page.getByLabel('Step 1', { exact: true }).fill('Collect')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(/^Fresh .* was saved/).waitFor()

  await page.getByText('People and roles', { exact: true }).click()
  const name = `Nora New ${Date.now()}`
  await page.getByRole('button', { name: 'Invite a person' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite a person' })
  await dialog.getByLabel('Name', { exact: true }).fill(name)
  await dialog.getByLabel('E-mail address', { exact: true }).fill(`nora.${Date.now()}@demo.example`)
  await dialog.getByRole('button', { name: 'Invite a person' }).click()
  await page.getByRole('button', { name: 'I have stored it' }).click()

  await page.getByRole('link', { name: 'Cases' }).click()
  await assignees.fill(name)
  await page.getByRole('option', { name }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'More filters' }).click()
  await types.fill(caseType)
  await page.getByRole('option', { name: caseType }).waitFor()
})

it('Set-up: a person is invited by a link that is shown once, disabled and enabled again', async t => {
  const page = await openAs(t, 'admin', '/setup?show=users')
  const name = `Ines Invited ${Date.now()}`
  await page.getByRole('button', { name: 'Invite a person' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite a person' })
  await dialog.getByLabel('Name', { exact: true }).fill(name)
  await dialog.getByLabel('E-mail address', { exact: true }).fill(`ines.${Date.now()}@demo.example`)
  await dialog.getByRole('button', { name: 'Invite a person' }).click()
  const link = page.getByRole('dialog', { name: `Link for ${name}` })
  assert.match((await link.locator('.secret').textContent()) ?? '', /^http/)
  await page.keyboard.press('Escape')
  assert.equal(await link.isVisible(), true)
  await link.getByRole('button', { name: 'I have stored it' }).click()
  const row = page.getByRole('row').filter({ hasText: name })
  await row.getByText('Invited', { exact: true }).waitFor()
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Disable' }).click()
  await row.getByText('Disabled').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await row.getByText('Invited', { exact: true }).waitFor()
})

it('Set-up: a person with no company of some is not invited', async t => {
  const page = await openAs(t, 'admin', '/setup?show=users')
  await page.getByRole('button', { name: 'Invite a person' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite a person' })
  await dialog.getByLabel('Name', { exact: true }).fill('Nobody')
  await dialog.getByLabel('E-mail address', { exact: true }).fill('nobody@demo.example')
  const invite = dialog.getByRole('button', { name: 'Invite a person' })
  assert.equal(await invite.isEnabled(), true)
  await dialog.getByText('Some companies', { exact: true }).click()
  assert.equal(await invite.isEnabled(), false)
  await dialog.getByRole('combobox', { name: 'Companies' }).click()
  await page.getByRole('option').first().click()
  assert.equal(await invite.isEnabled(), true)
})

it('Set-up: no user is offered to reset the own sign-in', async t => {
  const page = await openAs(t, 'admin', '/setup?show=users')
  const { name } = await callAs(page, 'GET', '/admin/v1/me')
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).waitFor()
  for (const action of ['Reset sign-in', 'End all sessions', 'Disable'])
    assert.equal(await page.getByRole('menuitem', { name: action }).count(), 0, action)
})

it('Set-up: a sign-in is reset only after the address was typed', async t => {
  const page = await openAs(t, 'admin', '/setup?show=users')
  const email = `reset.${Date.now()}@demo.example`
  await callAs(page, 'POST', '/admin/v1/users', {
    email,
    name: `Rolf Reset ${Date.now()}`,
    roles: ['viewer'],
  })
  await page.goto(`${CONSOLE}/setup?show=users&q=${email}`)
  await page.getByRole('button', { name: /^Actions for Rolf/ }).click()
  await page.getByRole('menuitem', { name: 'Reset sign-in…' }).click()
  const dialog = page.getByRole('dialog', { name: /^Reset the sign-in of Rolf/ })
  const button = dialog.getByRole('button', { name: 'Reset sign-in' })
  assert.equal(await button.isDisabled(), true)
  await dialog.getByLabel(`Type ${email} to confirm`).fill(email)
  await button.click()
  await page
    .getByRole('dialog', { name: /^Link for Rolf/ })
    .getByRole('button', { name: 'I have stored it' })
    .click()
})

for (const role of ['viewer', 'case-manager', 'auditor'] as const)
  it(`Set-up: a ${role} is not offered it`, async t => {
    const page = await openAs(t, role, '/')
    assert.equal(await page.getByRole('link', { name: 'Set-up' }).count(), 0)
    await page.goto(`${CONSOLE}/setup`)
    await page.getByText('You have no access to this').waitFor()
  })

for (const path of [
  '/setup',
  '/setup?show=processes',
  '/setup?show=users',
  '/setup?show=processes&process=%2B',
])
  it(`Set-up: ${path} in every look`, t =>
    checkEveryLook(t, 'admin', path, page => page.getByRole('heading', { name: 'Set-up' }).waitFor()))
