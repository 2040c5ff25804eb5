// Each screen, by each role: what a person may open, and that the navigation offers nothing else.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { type Fields, nameOf, records } from './case-data.ts'
import { CONSOLE, checkAccessibility, expectStatus, openAs, type Person } from './console.ts'

const OFFICE: Person[] = ['viewer', 'case-manager', 'auditor', 'admin']
const READERS: Person[] = [...OFFICE, 'contact']
const WRITERS: Person[] = ['case-manager', 'admin', 'contact']
const NO_ACCESS = 'You have no access to this'

interface Found {
  person: Fields
  case: Fields
}

interface Screen {
  name: string
  path(found: Found): string
  may: Person[]
  /** A text or a row that is there once the screen is loaded. */
  isReady(page: Page, found: Found): Promise<unknown>
  /** In the navigation of those who may open it; of the office only, where a contact may open it by a link. */
  nav?: 'all' | 'office'
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
const rows = (page: Page) => page.locator('.body-row').first().waitFor()

const SCREENS: Screen[] = [
  {
    name: 'Today',
    path: () => '/',
    may: READERS,
    isReady: page => page.getByRole('main').getByRole('listitem').first().waitFor(),
    nav: 'all',
  },
  { name: 'People', path: () => '/people', may: READERS, isReady: rows, nav: 'all' },
  {
    name: 'Person',
    path: ({ person }) => `/people/${encodeURIComponent(person['applicantId'])}`,
    may: READERS,
    async isReady(page, { person }) {
      await heading(page, nameOf(person))
      await page.getByRole('list', { name: 'Timeline' }).waitFor()
    },
  },
  { name: 'Cases', path: () => '/cases', may: READERS, isReady: rows, nav: 'all' },
  {
    name: 'Board of cases',
    path: () => '/cases?show=board',
    may: READERS,
    isReady: page => page.getByRole('group', { name: 'Board', exact: true }).waitFor(),
  },
  {
    name: 'Case',
    path: ({ case: one }) => `/cases/${encodeURIComponent(one['caseId'])}`,
    may: READERS,
    async isReady(page) {
      await page.getByText(/\d+ of \d+ done/).waitFor()
      await page.getByRole('list', { name: 'Timeline' }).waitFor()
    },
  },
  {
    name: 'New case',
    path: () => '/cases/new',
    may: WRITERS,
    isReady: page => page.getByRole('button', { name: 'Start the case' }).waitFor(),
  },
  { name: 'Documents', path: () => '/documents?show=list', may: READERS, isReady: rows, nav: 'office' },
  {
    name: 'Duplicates',
    path: () => '/duplicates',
    may: READERS,
    isReady: page => heading(page, 'Duplicates'),
    nav: 'office',
  },
  {
    name: 'Import',
    path: () => '/imports',
    may: WRITERS,
    isReady: page => page.getByRole('button', { name: 'Check the file' }).waitFor(),
    nav: 'office',
  },
  { name: 'Audit', path: () => '/audit', may: ['auditor', 'admin'], isReady: rows, nav: 'all' },
  { name: 'Connections', path: () => '/connections', may: ['admin'], isReady: rows, nav: 'all' },
  { name: 'Set-up', path: () => '/setup', may: ['admin'], isReady: rows, nav: 'all' },
  {
    name: 'My account',
    path: () => '/account',
    may: READERS,
    isReady: page => page.getByText('This one').waitFor(),
  },
]

for (const who of READERS)
  it(`Roles: every screen, by a ${who}`, async t => {
    const page = await openAs(t, who)
    // The account asks for a calendar address that there may not be.
    expectStatus(page, 404)
    const [one] = await records(page, '/admin/v1/cases?status=open&maxRecords=1')
    const [person] = await records(page, '/admin/v1/applicants?q=mei%20chen')
    assert.ok(one && person)
    const found: Found = { case: one, person }
    const links = page.getByRole('navigation', { name: 'Navigation' }).getByRole('link')
    await links.first().waitFor()
    const offered = SCREENS.filter(
      ({ nav, may }) => nav && may.includes(who) && (nav === 'all' || who !== 'contact'),
    )
    assert.deepEqual((await links.allTextContents()).sort(), offered.map(({ name }) => name).sort())
    for (const screen of SCREENS)
      await t.test(screen.name, async () => {
        await page.goto(`${CONSOLE}${screen.path(found)}`)
        if (screen.may.includes(who)) await screen.isReady(page, found)
        else {
          await page.getByText(NO_ACCESS).waitFor()
          await checkAccessibility(page)
        }
        assert.equal(await page.getByText(NO_ACCESS).count(), screen.may.includes(who) ? 0 : 1)
      })
  })

/** A call that a screen of others makes; the service rejects it, whatever the console offers. */
const REJECTED: [Person, method: string, path: string][] = [
  ['viewer', 'POST', '/v2/applicant'],
  ['viewer', 'GET', '/admin/v1/audit'],
  ['auditor', 'POST', '/v2/applicant'],
  ['auditor', 'GET', '/admin/v1/webhooks'],
  ['case-manager', 'GET', '/admin/v1/audit'],
  ['case-manager', 'GET', '/admin/v1/users'],
  ['contact', 'GET', '/admin/v1/audit'],
  ['contact', 'GET', '/admin/v1/users'],
]

for (const [who, method, path] of REJECTED)
  it(`Roles: ${method} ${path} is rejected for a ${who}`, async t => {
    const page = await openAs(t, who, '/account')
    expectStatus(page, 403)
    const status = await page.evaluate(
      async ([method, path]) => {
        const { fetch } = globalThis as unknown as {
          fetch: (path: string, init: object) => Promise<{ status: number }>
        }
        const body =
          method === 'POST'
            ? {
                body: '{"primaryApplicant":{"firstName":"A","lastName":"B"}}',
                headers: { 'content-type': 'application/json' },
              }
            : {}
        return (await fetch(path as string, { method, ...body })).status
      },
      [method, path],
    )
    assert.equal(status, 403)
  })
