import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { encode } from 'uqr'
import {
  CONSOLE,
  callAs,
  checkEveryLook,
  expectStatus,
  ORIGIN,
  openAs,
  openConsole,
  signInAs,
} from './console.ts'

const PASSWORD = 'harbour lantern seventeen'

/** A person of one's own: the password and factors of the demo's people are needed by other tests. */
async function openAsNewPerson(t: TestContext): Promise<{ page: Page; email: string }> {
  const admin = await openAs(t, 'admin', '/')
  const email = `account.${Date.now()}@demo.example`
  const user = await callAs(admin, 'POST', '/admin/v1/users', {
    email,
    name: 'Aino Account',
    roles: ['viewer'],
  })
  const token = new URL(user.invitation.url).searchParams.get('invitation')
  const { page } = await openConsole(t)
  // There is no calendar address yet.
  expectStatus(page, 404)
  const response = await page.request.post(`${ORIGIN}/auth/v1/invitation`, {
    data: { token, password: PASSWORD },
    headers: { origin: ORIGIN },
  })
  assert.ok(response.ok(), await response.text())
  if (response.status() !== 201) await signInAs(page, { email, password: PASSWORD })
  await page.goto(`${CONSOLE}/account`)
  await page.getByRole('heading', { name: 'My account' }).waitFor()
  return { page, email }
}

/** The code of an authenticator app (RFC 6238). */
function codeOf(secret: string, at = Date.now()): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = [...secret.replaceAll(/\s|=/g, '')]
    .map(letter => alphabet.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map(byte => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)))
  const hash = createHmac('sha1', key).update(counter).digest()
  const offset = (hash.at(-1) ?? 0) & 15
  return String((hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

it('Account: the password is changed', async t => {
  const { page, email } = await openAsNewPerson(t)
  await page.getByRole('button', { name: 'Change the password' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change the password' })
  await dialog.getByLabel('Current password', { exact: true }).fill(PASSWORD)
  await dialog.getByLabel('New password', { exact: true }).fill('another harbour lantern')
  await page.keyboard.press('Enter')
  await page.getByText('The password was changed').waitFor()
  const { page: later } = await openConsole(t)
  await signInAs(later, { email, password: 'another harbour lantern' })
})

it('Account: an authenticator app is set up with its key, and removed with a recovery code', async t => {
  const { page } = await openAsNewPerson(t)
  await page.getByRole('button', { name: 'Set up the app' }).click()
  const dialog = page.getByRole('dialog', { name: 'Set up the app' })
  const secret = (await dialog.locator('.secret').textContent()) ?? ''
  const picture = dialog.getByRole('img', { name: 'A code to scan with the app' })
  const uri = (await dialog.getByRole('link', { name: 'Open' }).getAttribute('href')) ?? ''
  assert.ok(uri.includes(secret.replaceAll(' ', '')))
  // As many dark modules as the address of the app has.
  const dark = encode(uri).data.flat().filter(Boolean).length
  assert.equal((await picture.locator('path').getAttribute('d'))?.match(/M/g)?.length, dark)
  await dialog.getByLabel('Code of your authenticator app', { exact: true }).fill(codeOf(secret))
  await page.keyboard.press('Enter')
  const shown = page.getByRole('dialog', { name: 'Recovery codes' })
  const codes = ((await shown.locator('.secret').textContent()) ?? '').split('\n')
  assert.ok(codes.length >= 5)
  await shown.getByRole('button', { name: 'I have stored it' }).click()
  const section = page.getByRole('region', { name: 'Authenticator app' })
  await section.getByText(`${codes.length} recovery codes are left.`).waitFor()
  await section.getByRole('button', { name: 'Remove the app' }).click()
  const remove = page.getByRole('dialog', { name: 'Remove the app' })
  await remove.getByLabel('Code of the app, or a recovery code', { exact: true }).fill(codes[0] ?? '')
  await page.keyboard.press('Enter')
  await section.getByText('Off', { exact: true }).waitFor()
})

it('Account: a passkey is added and removed', async t => {
  const { page } = await openAsNewPerson(t)
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  })
  const section = page.getByRole('region', { name: 'Passkeys' })
  await section.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('dialog', { name: 'Add a passkey' }).getByLabel('Name', { exact: true }).fill('Laptop')
  await page.keyboard.press('Enter')
  await section.getByText('Laptop').waitFor()
  await section.getByRole('button', { name: 'Remove the passkey Laptop' }).click()
  await page
    .getByRole('dialog', { name: 'Remove the passkey Laptop' })
    .getByRole('button', { name: 'Remove' })
    .click()
  await section.getByText(/^None yet/).waitFor()
})

it('Account: another session is ended, and a calendar address shown once', async t => {
  const { page, email } = await openAsNewPerson(t)
  const { page: other } = await openConsole(t)
  await signInAs(other, { email, password: PASSWORD })
  await page.reload()
  const section = page.getByRole('region', { name: 'Sessions' })
  await section.getByText('This one').waitFor()
  const end = section.getByRole('button', { name: /^End the session/ })
  await end.first().click()
  await end.first().waitFor({ state: 'detached' })
  const calendar = page.getByRole('region', { name: 'Calendar' })
  await calendar.getByRole('button', { name: 'Create an address' }).click()
  await page
    .getByRole('dialog', { name: 'Create an address' })
    .getByRole('button', { name: 'Create an address' })
    .click()
  const shown = page.getByRole('dialog', { name: 'Calendar' })
  assert.match((await shown.locator('.secret').textContent()) ?? '', /^http/)
  await shown.getByRole('button', { name: 'I have stored it' }).click()

  const remove = calendar.getByRole('button', { name: 'Remove the address' })
  await remove.click()
  const question = page.getByRole('dialog', { name: 'Remove the address of the calendar' })
  await question.getByText(/get no dates any more/).waitFor()
  await question.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('The address of the calendar was removed').waitFor()
  await remove.waitFor({ state: 'detached' })
})

it('Account: in every look', t =>
  checkEveryLook(t, 'viewer', '/account', page => page.getByText('This one').waitFor()))
