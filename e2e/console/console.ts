// Opens screens of the console as people of each role, and checks what every screen must do.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { TestContext } from 'node:test'
import type { BrowserContextOptions, Page, Request } from 'playwright-core'
import { BASE_URL, launchBrowser, type WatchedPage } from '../browser.ts'

export type Role = 'viewer' | 'case-manager' | 'auditor' | 'admin'
/** A colleague of the office, by role, or the contact of one company. */
export type Person = Role | 'contact'

/** Passkeys work on localhost, and not on an IP address. */
export const ORIGIN = BASE_URL.replace('127.0.0.1', 'localhost')
export const CONSOLE = `${ORIGIN}/console`

const USERS: { role: Role; email: string; password: string }[] = JSON.parse(process.env['DEMO_USERS'] ?? '[]')
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']

const openPage = await launchBrowser()

const CONTACT = 'hr@demo.example'

export function userOf(person: Person) {
  const user = USERS.find(({ role, email }) =>
    person === 'contact' ? email === CONTACT : role === person && email !== CONTACT,
  )
  if (!user) throw new Error('Run the tests with: npm run test:console -- e2e/console/<file>')
  return user
}

const FAILED = 'console: Failed to load resource: '
const expected = new WeakMap<Page, string[]>()

function expectIncidents(page: Page, ...beginnings: string[]): void {
  expected.set(page, [...(expected.get(page) ?? []), ...beginnings.map(text => `${FAILED}${text}`)])
}

/** Chromium logs responses with an error status by itself. These are meant to happen on this page. */
export function expectStatus(page: Page, ...statuses: number[]): void {
  expectIncidents(page, ...statuses.map(status => `the server responded with a status of ${status} `))
}

/** The test cuts the connection of this page, which Chromium logs too. */
export function expectNetworkErrors(page: Page): void {
  expectIncidents(page, 'net::ERR_')
}

/** A page, without a person. It is closed after the test, which fails if anything went wrong on the page. */
export async function openConsole(t: TestContext, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const watched = await openPage({ locale: 'en-GB', ...options }, [ORIGIN])
  watchRequests(watched.page)
  t.after(async () => {
    await watched.close()
    const beginnings = expected.get(watched.page) ?? []
    const isExpected = (incident: string) => beginnings.some(beginning => incident.startsWith(beginning))
    assert.deepEqual(
      watched.incidents.filter(incident => !isExpected(incident)),
      [],
    )
  })
  return watched
}

/** A page of this person. `path` is below /console. */
export async function openAs(
  t: TestContext,
  person: Person,
  path = '/',
  options: BrowserContextOptions = {},
): Promise<Page> {
  const { page } = await openConsole(t, options)
  // The account asks for a calendar address that the person may not have.
  if (path === '/account') expectStatus(page, 404)
  await signInAs(page, userOf(person))
  await page.goto(`${CONSOLE}${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

/** Signs in by the API, which is faster than by the screen. */
export async function signInAs(
  page: Page,
  { email, password }: { email: string; password: string },
): Promise<void> {
  const data = { email, password }
  const response = await page.request.post(`${ORIGIN}/auth/v1/session`, { data, headers: { origin: ORIGIN } })
  assert.equal(response.status(), 201, await response.text())
}

/** Calls the API as the person of this page. */
export async function callAs(page: Page, method: string, path: string, data?: unknown) {
  const options = { method, headers: { origin: ORIGIN }, ...(data !== undefined && { data }) }
  const response = await page.request.fetch(`${ORIGIN}${path}`, options)
  assert.ok(response.ok(), `${method} ${path}: ${response.status()} ${await response.text()}`)
  return response.status() === 204 ? undefined : response.json()
}

/** WCAG 2.0 to 2.2, A and AA. */
export async function checkAccessibility(page: Page): Promise<void> {
  await settled(page)
  await page.evaluate(AXE)
  const violations = await page.evaluate(async rules => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          root: unknown,
          options: object,
        ): Promise<{ violations: { id: string; help: string; nodes: { html: string }[] }[] }>
      }
    }
    const found = await axe.run((globalThis as unknown as { document: unknown }).document, { runOnly: rules })
    return found.violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ html }) => html) }))
  }, RULES)
  assert.deepEqual(violations, [])
}

/** `waitForFunction` evaluates a text in the page if it is not true at once, which the policy of the page forbids. */
async function until(page: Page, expression: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await page.evaluate(expression)) return
    await page.waitForTimeout(50)
  }
  throw new Error(`This did not become true within 30 seconds: ${expression}`)
}

const running = new WeakMap<Page, Set<Request>>()

/** Requests that run on a page, without the one that waits for changes. */
function watchRequests(page: Page): void {
  const requests = new Set<Request>()
  running.set(page, requests)
  page.on('request', request => {
    if (!request.url().includes('/v2/changes')) requests.add(request)
  })
  page.on('requestfinished', request => requests.delete(request))
  page.on('requestfailed', request => requests.delete(request))
  // What the page before has left behind is of no interest.
  page.on('domcontentloaded', () => requests.clear())
}

const QUIET_MS = 500

async function untilQuiet(page: Page): Promise<void> {
  let since = Date.now()
  for (const end = since + 60_000; Date.now() < end; await page.waitForTimeout(50)) {
    if ((running.get(page)?.size ?? 0) > 0) since = Date.now()
    else if (Date.now() - since >= QUIET_MS) return
  }
  const urls = [...(running.get(page) ?? [])].map(request => request.url())
  throw new Error(`These requests did not end within a minute: ${urls.join(', ')}`)
}

/** Until nothing is loading or moving: axe reads colours that a transition has not reached yet. */
async function settled(page: Page): Promise<void> {
  await untilQuiet(page)
  await until(page, `!document.querySelector('[aria-busy=true], .mantine-Skeleton-root')`)
  await until(page, 'document.getAnimations().every(({ playState }) => playState !== "running")')
}

/** Checks a screen in light and dark colours, wide and narrow. */
export async function checkEveryLook(
  t: TestContext,
  person: Person,
  path: string,
  isReady: (page: Page) => Promise<unknown>,
): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1440, 390])
      await t.test(`${path} has no accessibility violation: ${colorScheme}, ${width} px`, async t => {
        const page = await openAs(t, person, path, { colorScheme, viewport: { width, height: 900 } })
        await isReady(page)
        await checkAccessibility(page)
        const overflow = await page.evaluate(
          'document.documentElement.scrollWidth > document.documentElement.clientWidth',
        )
        assert.equal(overflow, false, 'the page scrolls sideways')
      })
}
