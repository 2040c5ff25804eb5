import assert from 'node:assert/strict'
import { it } from 'node:test'
import { CONSOLE, callAs, checkAccessibility, checkEveryLook, openAs } from './console.ts'

it('Connections: a client is created with a secret shown once, rotated, disabled and enabled', async t => {
  const page = await openAs(t, 'admin', '/connections')
  const name = `HR export ${Date.now()}`
  await page.getByRole('button', { name: 'Add a client' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a client' })
  await dialog.getByLabel('Name', { exact: true }).fill(name)
  await dialog.getByLabel('cases:read', { exact: true }).check()
  await dialog.getByRole('button', { name: 'Add a client' }).click()
  const secret = page.getByRole('dialog', { name: `Secret of ${name}` })
  await secret.locator('.secret').nth(1).waitFor()
  const [clientId = '', first = ''] = await secret.locator('.secret').allTextContents()
  assert.ok(first.length >= 16)
  await secret.getByRole('button', { name: 'I have stored it' }).press('Enter')
  await secret.waitFor({ state: 'hidden' })
  await page.locator('button:focus', { hasText: 'Add a client' }).waitFor()

  const panel = page.getByRole('complementary', { name })
  await panel.getByText('applicants:read, applicants:write, cases:read').waitFor()
  const client = await callAs(page, 'GET', `/admin/v1/clients/${encodeURIComponent(clientId)}`)
  assert.deepEqual(client.scopes, ['applicants:read', 'applicants:write', 'cases:read'])

  await panel.getByRole('button', { name: 'New secret' }).click()
  await page
    .getByRole('dialog', { name: `New secret for ${name}` })
    .getByRole('button', { name: 'New secret' })
    .click()
  await secret.locator('.secret').nth(1).waitFor()
  const [, second = ''] = await secret.locator('.secret').allTextContents()
  assert.notEqual(second, first)
  await secret.getByRole('button', { name: 'I have stored it' }).click()

  await panel.getByRole('button', { name: 'Disable' }).click()
  await panel.getByRole('button', { name: 'Enable' }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await panel.getByRole('button', { name: 'Disable' }).waitFor()
})

it('Connections: the dialog of a new client stays open until its secret is there', async t => {
  const page = await openAs(t, 'admin', '/connections')
  const name = `Slow ${Date.now()}`
  const gate = Promise.withResolvers<void>()
  await page.route('**/admin/v1/clients', async route => {
    if (route.request().method() === 'POST') await gate.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Add a client' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a client' })
  await dialog.getByLabel('Name', { exact: true }).fill(name)
  const sent = page.waitForRequest(request => request.method() === 'POST')
  await page.keyboard.press('Enter')
  await sent
  await page.keyboard.press('Escape')
  assert.equal(await dialog.getByRole('button', { name: 'Close' }).isDisabled(), true)
  assert.equal(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled(), true)
  gate.resolve()
  await page
    .getByRole('dialog', { name: `Secret of ${name}` })
    .locator('.secret')
    .nth(1)
    .waitFor()
})

it('Connections: the dialog of a new client asks before it throws away what was typed', async t => {
  const page = await openAs(t, 'admin', '/connections')
  const dialog = page.getByRole('dialog', { name: 'Add a client' })
  const question = page.getByRole('dialog', { name: 'Discard your changes?' })
  const name = dialog.getByLabel('Name', { exact: true })
  const open = async () => {
    await page.getByRole('button', { name: 'Add a client' }).click()
    await name.waitFor()
    await page.locator('[data-autofocus]:focus').waitFor()
  }
  await open()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  assert.equal(await question.count(), 0)

  await open()
  await page.keyboard.type('Half a name')
  await page.keyboard.press('Escape')
  await question.getByText('What you typed is not saved.').waitFor()
  await checkAccessibility(page)
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'hidden' })
  assert.equal(await name.inputValue(), 'Half a name')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await question.getByRole('button', { name: 'Discard the changes' }).click()
  await dialog.waitFor({ state: 'hidden' })

  // What is chosen counts too.
  await open()
  await dialog.getByLabel('cases:read').check()
  await page.keyboard.press('Escape')
  await question.getByRole('button', { name: 'Cancel' }).click()
  await dialog.getByLabel('cases:read').uncheck()
  await dialog.getByText('Some companies').click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await question.getByRole('button', { name: 'Discard the changes' }).click()
  await dialog.waitFor({ state: 'hidden' })

  await open()
  await page.keyboard.type('a')
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  assert.equal(await question.count(), 0)
})

it('Connections: editing a client writes only what was changed', async t => {
  const page = await openAs(t, 'admin', '/')
  const name = `Edited ${Date.now()}`
  const { clientId } = await callAs(page, 'POST', '/admin/v1/clients', { name, scopes: ['cases:read'] })
  const path = `/admin/v1/clients/${encodeURIComponent(clientId)}`
  await page.goto(`${CONSOLE}/connections?client=${encodeURIComponent(clientId)}`)
  const panel = page.getByRole('complementary', { name })
  await panel.getByText('cases:read').waitFor()
  // Another person changes it before and after the dialog is opened.
  await callAs(page, 'PATCH', path, { scopes: ['cases:read', 'documents:read'] })
  await panel.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog', { name })
  await dialog.getByLabel('documents:read', { exact: true }).waitFor()
  assert.equal(await dialog.getByLabel('documents:read', { exact: true }).isChecked(), true)
  await callAs(page, 'PATCH', path, { scopes: ['documents:read'] })
  await dialog.getByLabel('Name', { exact: true }).fill(`${name} again`)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('complementary', { name: `${name} again` }).waitFor()
  assert.deepEqual((await callAs(page, 'GET', path)).scopes, ['documents:read'])
})

it('Connections: an API key is revoked only after its name was typed', async t => {
  const page = await openAs(t, 'admin', '/')
  const { clientId } = await callAs(page, 'POST', '/admin/v1/clients', {
    name: `Keyed ${Date.now()}`,
    scopes: ['applicants:read'],
  })
  await page.goto(`${CONSOLE}/connections?client=${encodeURIComponent(clientId)}`)
  await page.getByRole('button', { name: 'Add an API key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add an API key' })
  await dialog.getByLabel('Name of the key', { exact: true }).fill('payroll')
  await page.keyboard.press('Enter')
  await page
    .getByRole('dialog', { name: 'API key payroll' })
    .getByRole('button', { name: 'I have stored it' })
    .click()
  await page.getByRole('button', { name: 'Revoke the API key payroll' }).click()
  const sure = page.getByRole('dialog', { name: 'Revoke the API key payroll' })
  assert.equal(await sure.getByRole('button', { name: 'Revoke' }).isDisabled(), true)
  await sure.getByLabel('Type payroll to confirm', { exact: true }).fill('payroll')
  await sure.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('None. A key is needed').waitFor()
})

it('Connections: a webhook is added, tested, edited and deleted', async t => {
  const page = await openAs(t, 'admin', '/connections?show=webhooks')
  const host = `receiver-${Date.now()}.invalid`
  await page.getByRole('button', { name: 'Add a webhook' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a webhook' })
  await dialog.getByLabel('Address', { exact: true }).fill(`https://${host}/events`)
  await dialog.getByLabel('case.note_added', { exact: true }).check()
  await dialog.getByRole('button', { name: 'Add a webhook' }).click()
  const secret = page.getByRole('dialog', { name: /^Secret for/ })
  await secret.getByRole('button', { name: 'I have stored it' }).click()

  const panel = page.getByRole('complementary')
  await panel.getByText('case.note_added').waitFor()
  await panel.getByText('None in the last 30 days.').waitFor()
  await panel.getByRole('button', { name: 'Send a test' }).click()
  await panel.getByText(/^Not received/).waitFor()
  await panel.getByRole('button', { name: 'Edit' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit the webhook' })
  await edit.getByLabel('Description', { exact: true }).fill('Notes for the portal')
  await edit.getByRole('button', { name: 'Save' }).click()
  await panel.getByText('Notes for the portal').waitFor()

  await panel.getByRole('button', { name: 'Delete…' }).click()
  const sure = page.getByRole('dialog', { name: 'Delete the webhook' })
  await sure.getByLabel(`Type ${host} to confirm`).fill(host)
  await sure.getByRole('button', { name: 'Delete' }).click()
  await sure.waitFor({ state: 'hidden' })
  await page.getByText(host).first().waitFor({ state: 'detached' })
})

it('Connections: deliveries of a webhook are sent again', async t => {
  const page = await openAs(t, 'admin', '/')
  const { webhookId } = await callAs(page, 'POST', '/admin/v1/webhooks', {
    url: `https://replay-${Date.now()}.invalid/`,
    eventTypes: ['applicant.created'],
  })
  await callAs(page, 'POST', '/v2/applicant', { primaryApplicant: { firstName: 'Webb', lastName: 'Hook' } })
  const path = `/admin/v1/webhooks/${encodeURIComponent(webhookId)}`
  const day = new Date().toISOString().slice(0, 10)
  for (let tries = 0; tries < 60; tries++) {
    const { records } = await callAs(page, 'GET', `${path}/deliveries?startDate=${day}&endDate=${day}`)
    if (records.length > 0) break
    await page.waitForTimeout(250)
  }
  await page.goto(`${CONSOLE}/connections?show=webhooks&webhook=${encodeURIComponent(webhookId)}`)
  const panel = page.getByRole('complementary')
  await panel.getByRole('button', { name: /^Send again: applicant.created/ }).click()
  await page.getByText('It is sent again').waitFor()
  await panel.getByRole('button', { name: 'Send days again' }).click()
  const again = page.getByRole('dialog', { name: 'Send days again' })
  const first = again.getByRole('textbox', { name: 'From' })
  await first.fill('31.2.2026')
  await again.getByRole('button', { name: 'Send again' }).click()
  await again.getByText('This is no date').waitFor()
  await first.fill(day)
  await again.getByRole('button', { name: 'Send again' }).click()
  await page.getByText(/events? (?:is|are) sent again/).waitFor()
  await callAs(page, 'DELETE', path)
})

for (const role of ['viewer', 'case-manager', 'auditor'] as const)
  it(`Connections: a ${role} is not offered them`, async t => {
    const page = await openAs(t, role, '/')
    assert.equal(await page.getByRole('link', { name: 'Connections' }).count(), 0)
    await page.goto(`${CONSOLE}/connections`)
    await page.getByText('You have no access to this').waitFor()
  })

for (const show of ['clients', 'webhooks'])
  it(`Connections: ${show} in every look`, t =>
    checkEveryLook(t, 'admin', `/connections?show=${show}`, async page => {
      await page.locator('.body-row').first().click()
      await page.getByRole('complementary').getByRole('button', { name: 'Close' }).waitFor()
    }))

it('Connections: a caller of the external issuer is blocked with a reason, and unblocked', async t => {
  const page = await openAs(t, 'admin', '/connections?show=blocked')
  const caller = `oidc:login.example.com:anna-${Date.now()}`
  await page.getByRole('button', { name: 'Block a caller' }).click()
  const dialog = page.getByRole('dialog', { name: 'Block a caller' })
  await dialog.getByLabel('Caller').fill(caller)
  await dialog.getByLabel('Reason').fill('Laptop lost')
  await dialog.getByRole('button', { name: 'Block a caller' }).click()
  const row = page.getByRole('row').filter({ hasText: caller })
  await row.getByText('Laptop lost').waitFor()
  const blocked = await callAs(page, 'GET', '/admin/v1/blocked-callers')
  assert.ok(blocked.some((one: { caller: string }) => one.caller === caller))
  await row.getByRole('button', { name: `Unblock ${caller}` }).click()
  await page.getByRole('dialog', { name: 'Unblock' }).getByRole('button', { name: 'Unblock' }).click()
  await row.waitFor({ state: 'detached' })
  const left = await callAs(page, 'GET', '/admin/v1/blocked-callers')
  assert.ok(!left.some((one: { caller: string }) => one.caller === caller))
})

it('Connections: blocked callers in every look', t =>
  checkEveryLook(t, 'admin', '/connections?show=blocked', page =>
    page.getByRole('button', { name: 'Block a caller' }).waitFor(),
  ))
