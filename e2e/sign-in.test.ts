// Signing in, in a real browser: on http://localhost, because passkeys do not work on an IP address.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { call } from '../acceptance/client.ts'
import { inviteUser, newEmail, PASSWORD, userAt } from '../acceptance/visitors.ts'
import { freePort } from '../scripts/free-port.ts'
import { totpCode } from '../scripts/totp-code.ts'
import { BASE_URL, launchBrowser, type WatchedPage } from './browser.ts'

const ORIGIN = BASE_URL.replace('127.0.0.1', 'localhost')
const PAGE = `${ORIGIN}/sign-in`
const openPage = await launchBrowser()

async function open(t: TestContext, options = {}): Promise<WatchedPage> {
  const watched = await openPage(options, [ORIGIN])
  t.after(watched.close)
  return watched
}

/** A person who has accepted the invitation in this browser. */
async function accept(page: Page, fields: object = {}) {
  const { user, token } = await inviteUser(fields)
  await page.goto(`${PAGE}?invitation=${token}`)
  await page.getByText(user.email).waitFor()
  await page.getByLabel('Your name').fill('Ruth Okafor')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Accept the invitation' }).click()
  await page.getByText('You are signed in as').waitFor()
  return user
}

async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.goto(PAGE)
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('E-mail address').waitFor()
}

const isSignedIn = async (page: Page) => {
  const response = await page.request.get(`${ORIGIN}/auth/v1/session`)
  return response.status() === 200
}

/** An authenticator in the browser, as the DevTools protocol offers it. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

/** Chromium itself reports a failed response in the console; that is no incident of the page. */
const ownIncidents = (incidents: string[]) =>
  incidents.filter(text => !text.includes('Failed to load resource'))

describe('the sign-in page', () => {
  it('signs in by password and out again, with a cookie that scripts cannot read', async t => {
    const { page, incidents } = await open(t)
    const user = await accept(page)
    // The token of the invitation is no longer in the address.
    assert.equal(page.url(), PAGE)
    await signOut(page)
    assert.equal(await isSignedIn(page), false)
    await signIn(page, user.email)
    await page.getByText(`You are signed in as Ruth Okafor (${user.email})`).waitFor()
    const [cookie] = await page.context().cookies()
    assert.deepEqual(
      [cookie?.name, cookie?.httpOnly, cookie?.sameSite, cookie?.secure, cookie?.path, cookie?.domain],
      ['caseport', true, 'Lax', false, '/', 'localhost'],
    )
    assert.equal(await page.evaluate('document.cookie'), '')
    assert.equal((await page.request.get(`${ORIGIN}/v2/case/health`)).status(), 200)
    assert.deepEqual(incidents, [])
  })

  it('says what is wrong, and moves the focus there', async t => {
    const { page, incidents } = await open(t)
    await signIn(page, newEmail())
    const message = page.getByRole('alert')
    await message.getByText('is wrong').waitFor()
    assert.equal(await message.evaluate('document.activeElement.id'), 'message')
    const { token } = await inviteUser()
    await page.goto(`${PAGE}?invitation=${token}`)
    await page.getByLabel('Password').fill('password1234')
    await page.getByRole('button', { name: 'Accept the invitation' }).click()
    await page.getByRole('alert').getByText('easy to guess').waitFor()
    await page.goto(`${PAGE}?invitation=used`)
    await page.getByRole('alert').getByText('was used already').waitFor()
    assert.deepEqual(ownIncidents(incidents), [])
  })

  for (const colorScheme of ['light', 'dark'] as const)
    it(`can be used by keyboard alone at 390 px, ${colorScheme}`, async t => {
      const { page, incidents } = await open(t, { colorScheme, viewport: { width: 390, height: 800 } })
      const user = await accept(page)
      await signOut(page)
      await page.keyboard.press('Tab')
      await page.keyboard.type(user.email)
      await page.keyboard.press('Tab')
      await page.keyboard.type(PASSWORD)
      await page.keyboard.press('Enter')
      await page.getByText('You are signed in as').waitFor()
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
      assert.deepEqual(incidents, [])
    })

  it('sets up authenticator codes, asks for one, and takes a recovery code', async t => {
    const { page, incidents } = await open(t)
    const user = await accept(page)
    await page.getByRole('button', { name: 'Set up authenticator codes' }).click()
    await page.locator('#totp-secret').filter({ hasText: /\w/ }).waitFor()
    const secret = ((await page.locator('#totp-secret').textContent()) ?? '').replaceAll(' ', '')
    const now = Date.now()
    await page.getByLabel('Code that the app shows').fill(totpCode(secret, now))
    await page.getByRole('button', { name: 'Confirm' }).click()
    const codes = page.locator('#recovery-list code')
    await codes.first().waitFor()
    assert.equal(await codes.count(), 10)
    const recoveryCode = (await codes.first().textContent()) ?? ''

    await signOut(page)
    await signIn(page, user.email)
    await page.getByLabel('Code of your authenticator app').fill(totpCode(secret, now + 30_000))
    assert.equal(await isSignedIn(page), false)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Authenticator codes are set up.').waitFor()

    await signOut(page)
    await signIn(page, user.email)
    await page.getByText('Use a recovery code').click()
    await page.getByLabel('Recovery code').fill(recoveryCode)
    await page.getByRole('button', { name: 'Use this code' }).click()
    await page.getByText('You are signed in as').waitFor()
    assert.deepEqual(incidents, [])

    await signOut(page)
    await signIn(page, user.email)
    await page.getByText('Use a recovery code').click()
    await page.getByLabel('Recovery code').fill(recoveryCode)
    await page.getByRole('button', { name: 'Use this code' }).click()
    await page.getByRole('alert').getByText('is wrong').waitFor()
    assert.equal(await isSignedIn(page), false)
  })

  it('adds a passkey, which signs in alone and after the password', async t => {
    const { page, incidents } = await open(t)
    await addAuthenticator(page)
    const user = await accept(page)
    await page.getByLabel('Name of this device').fill('Virtual key')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('Virtual key').first().waitFor()

    await signOut(page)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText(`You are signed in as Ruth Okafor (${user.email})`).waitFor()
    const alone = await (await page.request.get(`${ORIGIN}/auth/v1/session`)).json()
    assert.equal(alone.method, 'passkey')

    await signOut(page)
    await signIn(page, user.email)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('You are signed in as').waitFor()
    const second = await (await page.request.get(`${ORIGIN}/auth/v1/session`)).json()
    assert.equal(second.method, 'password+passkey')

    await page.getByRole('button', { name: 'Remove Virtual key' }).click()
    await page.getByText('Virtual key').first().waitFor({ state: 'detached' })
    assert.deepEqual(incidents, [])
  })

  it('signs in through the external issuer', async t => {
    const { page } = await open(t)
    const email = newEmail()
    await page.goto(PAGE)
    await page.getByRole('link', { name: 'Sign in with your organisation' }).click()
    await page.locator('input[name=login]').fill(`${email}#case-manager`)
    await page.locator('input[name=password]').fill('any')
    await page.locator('button[type=submit]').click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL(`${ORIGIN}/console`)
    await page.goto(PAGE)
    await page.getByText(`(${email})`).waitFor()
    await page.getByText('Role: Case manager.').waitFor()
    const cookies = await page.context().cookies(ORIGIN)
    assert.deepEqual(
      cookies.filter(({ name }) => name.startsWith('caseport')).map(({ name }) => name),
      ['caseport'],
    )
    await signOut(page)

    await page.goto(PAGE)
    await page.context().clearCookies()
    await page.getByRole('link', { name: 'Sign in with your organisation' }).click()
    await page.locator('input[name=login]').fill(newEmail())
    await page.locator('input[name=password]').fill('any')
    await page.locator('button[type=submit]').click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').getByText('has no role').waitFor()
    assert.equal(await isSignedIn(page), false)
  })
})

describe('a session in the browser', () => {
  it('ends when an administrator ends it, and when the user is disabled', async t => {
    const { page } = await open(t)
    const user = await accept(page)
    await call({ method: 'DELETE', path: `${userAt(user.userId)}/sessions` })
    await page.reload()
    await page.getByLabel('E-mail address').waitFor()
    await signIn(page, user.email)
    await page.getByText('You are signed in as').waitFor()
    await call({ method: 'PATCH', path: userAt(user.userId), body: { active: false } })
    await page.reload()
    await page.getByLabel('E-mail address').waitFor()
    await signIn(page, user.email)
    await page.getByRole('alert').getByText('is wrong').waitFor()
  })

  it('is not used by a page of another origin, though the browser sends its cookie', async t => {
    // Another port of the same host is the same site: SameSite=Lax does not help here.
    const port = await freePort()
    const attacker = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<h1>Attacker</h1>')
    }).listen(port, 'localhost')
    await once(attacker, 'listening')
    t.after(() => attacker.close())
    const { page } = await openPage({}, [ORIGIN, `http://localhost:${port}`])
    t.after(() => page.context().close())
    await accept(page, { roles: ['case-manager'] })
    await page.goto(`http://localhost:${port}/`)

    const sent = page.waitForResponse(response => response.url() === `${ORIGIN}/v2/applicant`)
    await page.evaluate(
      `fetch(${JSON.stringify(`${ORIGIN}/v2/applicant`)}, { method: 'POST', mode: 'no-cors', credentials: 'include',
        body: '{"primaryApplicant":{"firstName":"Eve","lastName":"Attacker"}}' })`,
    )
    // Without the cookie it would be 401.
    assert.equal((await sent).status(), 403)

    const form = page.waitForResponse(answer => answer.url() === `${ORIGIN}/auth/v1/totp`)
    await page.setContent(`<form method="post" action="${ORIGIN}/auth/v1/totp"><button>Win</button></form>`)
    await page.getByRole('button', { name: 'Win' }).click()
    const posted = await form
    assert.equal(posted.status(), 403)
    assert.equal((await posted.json()).code, 'cross-origin')

    // A read is not refused, but the attacker cannot see its response.
    await page.goto(`http://localhost:${port}/`)
    const read = await page.evaluate(
      `fetch(${JSON.stringify(`${ORIGIN}/auth/v1/session`)}, { credentials: 'include' }).then(() => 'read', () => 'blocked')`,
    )
    assert.equal(read, 'blocked')
    assert.equal(await isSignedIn(page), true)
  })
})
