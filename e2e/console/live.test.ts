// Screens follow the change feed: what another person changes is shown without a reload.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import {
  adminOf,
  caseOf,
  casePath,
  daysFromNow,
  type Fields,
  fullName,
  newCase,
  newProcess,
  stepsOf,
} from './case-data.ts'
import { CONSOLE, callAs, expectNetworkErrors, openAs } from './console.ts'

const WITHIN_MS = 5_000
/** Where a screen makes several reads, on a machine that does other things too. */
const SEEN_MS = 20_000
const run = Date.now().toString(36)

const createPerson = (page: Page, lastName: string): Promise<Fields> =>
  callAs(page, 'POST', '/v2/applicant', { primaryApplicant: { firstName: 'Livia', lastName } })

/** Until the page follows the changes. */
const following = (page: Page) =>
  page.waitForResponse(
    response =>
      response.url().includes('/v2/changes') &&
      (response.headers()['content-type'] ?? '').startsWith('text/event-stream'),
    { timeout: 30_000 },
  )

/** Opens a screen that is not loaded again: a mark on its page is still there at the end. */
async function openFollowing(page: Page, path: string): Promise<() => Promise<void>> {
  // The screen before follows too.
  await page.goto('about:blank')
  const isFollowing = following(page)
  await page.goto(`${CONSOLE}${path}`)
  await isFollowing
  await page.evaluate('globalThis.isSamePage = true')
  return async () => assert.equal(await page.evaluate('globalThis.isSamePage'), true)
}

it('Live: Today shows a step that another person has completed', async t => {
  const admin = await adminOf(t)
  const created = await newCase(admin, await newProcess(admin))
  const [first, second] = await stepsOf(admin, created['caseId'])
  const step = (one: Fields | undefined) =>
    `/admin/v1/cases/${encodeURIComponent(created['caseId'])}/steps/${encodeURIComponent(one?.['stepId'])}`
  await callAs(admin, 'PATCH', step(first), { dueDate: daysFromNow(-900) })
  const page = await openAs(t, 'viewer', '/account')
  const check = await openFollowing(page, '/')
  const due = page.getByRole('region', { name: 'Due next' }).getByRole('listitem')
  const line = due.filter({ hasText: fullName(created) })
  await line.getByText(new RegExp(`^${first?.['name']}`)).waitFor()
  const overdue = page.getByRole('link', { name: /Overdue$/ }).locator('.tile-value')
  const before = Number(await overdue.textContent())

  await callAs(admin, 'PATCH', step(second), { dueDate: daysFromNow(900) })
  await callAs(admin, 'PATCH', step(first), { status: 'completed' })
  await line.waitFor({ state: 'detached', timeout: WITHIN_MS })
  await page
    .getByRole('link', { name: new RegExp(`^${before - 1} *Overdue$`) })
    .waitFor({ timeout: WITHIN_MS })
  await check()
})

it('Live: a list shows a person whom another one has added, but not while a dialog is open', async t => {
  const admin = await adminOf(t)
  const lastName = `Live${run}`
  await createPerson(admin, lastName)
  const page = await openAs(t, 'case-manager', '/account')
  const check = await openFollowing(page, `/people?q=${lastName}`)
  const rows = page.getByRole('row').filter({ hasText: lastName })
  await rows.first().waitFor()
  await createPerson(admin, lastName)
  await rows.nth(1).waitFor({ timeout: WITHIN_MS })

  await page.getByRole('button', { name: 'New person' }).click()
  const dialog = page.getByRole('dialog', { name: 'New person' })
  await dialog.getByLabel('First name').fill('Typed')
  await createPerson(admin, lastName)
  await page.waitForTimeout(WITHIN_MS)
  assert.equal(await page.locator('[role=row]').filter({ hasText: lastName }).count(), 2)
  assert.equal(await dialog.getByLabel('First name').inputValue(), 'Typed')
  await page.keyboard.press('Escape')
  await rows.nth(2).waitFor({ timeout: WITHIN_MS })
  await check()
})

it('Live: the row that has the focus keeps it when another one appears above it', async t => {
  const admin = await adminOf(t)
  const name = `Focus${run}`
  const create = (lastName: string) => createPerson(admin, lastName)
  await create(`${name}B`)
  await create(`${name}C`)
  const page = await openAs(t, 'case-manager', '/account')
  await openFollowing(page, `/people?q=${name}`)
  const rowOf = (letter: string) => page.getByRole('row').filter({ hasText: `${name}${letter}` })
  await rowOf('C').waitFor()
  await page.keyboard.press('Tab')
  await rowOf('B').focus()
  await page.keyboard.press('ArrowDown')
  await create(`${name}A`)
  await rowOf('A').waitFor({ timeout: WITHIN_MS })
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: `Livia ${name}C` }).waitFor()
})

it('Live: many changes are few reads, and a hidden tab reads nothing', async t => {
  const admin = await adminOf(t)
  const lastName = `Storm${run}`
  await createPerson(admin, lastName)
  const page = await openAs(t, 'case-manager', '/account')
  await openFollowing(page, `/people?q=${lastName}`)
  await page.getByRole('row').filter({ hasText: lastName }).first().waitFor()
  const reads: string[] = []
  page.on('request', request => reads.push(new URL(request.url()).pathname))
  const started = Date.now()
  for (let at = 0; at < 30; at++) await createPerson(admin, lastName)
  await page.getByText('31 records').waitFor({ timeout: 15_000 })
  const seconds = (Date.now() - started) / 1_000
  const lists = reads.filter(path => path === '/admin/v1/applicants').length
  assert.ok(lists <= 2 + seconds / 2, `${lists} reads in ${seconds} seconds`)

  const hide = (state: string) =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`)
  await hide('hidden')
  // What was being read ends.
  await page.waitForTimeout(3_000)
  reads.length = 0
  await createPerson(admin, lastName)
  await page.waitForTimeout(4_000)
  assert.deepEqual(reads, [])
  await hide('visible')
  await page.getByText('32 records').waitFor({ timeout: WITHIN_MS })
})

it('Live: a stream that ends or breaks off is begun again where it was', async t => {
  const admin = await adminOf(t)
  const lastName = `Resumed${run}`
  await createPerson(admin, lastName)
  const page = await openAs(t, 'case-manager', '/account')
  expectNetworkErrors(page)
  const { nextCursor } = await callAs(page, 'GET', '/v2/changes?after=now')
  await page.goto('about:blank')
  const starts: (string | null)[] = []
  await page.route('**/v2/changes?*', route => {
    starts.push(new URL(route.request().url()).searchParams.get('after'))
    if (starts.length === 1)
      return route.fulfill({ contentType: 'text/event-stream', body: `retry: 2000\nid: ${nextCursor}\n\n` })
    if (starts.length === 2) return route.abort('connectionreset')
    return route.continue()
  })
  const isFollowing = page.waitForResponse(
    response => response.url().includes('/v2/changes') && starts.length > 2,
  )
  await page.goto(`${CONSOLE}/people?q=${lastName}`)
  const rows = page.getByRole('row').filter({ hasText: lastName })
  await rows.first().waitFor()
  await isFollowing
  assert.deepEqual(starts.slice(0, 3), ['now', nextCursor, nextCursor])
  await createPerson(admin, lastName)
  await rows.nth(1).waitFor({ timeout: SEEN_MS })
})

it('Live: a tab that waits leaves one entry in the audit, however long it waits', async t => {
  const page = await openAs(t, 'viewer', '/account')
  const { userId } = await callAs(page, 'GET', '/admin/v1/me')
  const auditor = await openAs(t, 'auditor', '/account')
  const days = `startDate=${daysFromNow(-1)}&endDate=${daysFromNow(1)}`
  const entries = async (): Promise<Fields[]> => {
    const query = `userId=${encodeURIComponent(userId)}&${days}&sort=-at&maxRecords=1000`
    return (await callAs(auditor, 'GET', `/admin/v1/audit?${query}`)).records
  }
  const [earlier] = await entries()
  const since = async (entry: Fields | undefined) =>
    (await entries()).filter(({ at }) => !entry || at > entry['at']).map(({ action }) => action)
  await openFollowing(page, '/people')
  await page.locator('.body-row').first().waitFor()
  // What the screen reads besides its list.
  await page.waitForTimeout(3_000)
  assert.ok((await since(earlier)).includes('change.stream'), 'the tab follows the changes')
  const [before] = await entries()
  // Longer than two of the signs of life that the stream sends.
  await page.waitForTimeout(35_000)
  const actions = await since(before)
  assert.equal(actions.includes('change.stream'), false, 'the stream goes on')
  // Reminders may come due meanwhile: they are changes, after which the list is read again.
  if (!actions.includes('change.list')) assert.deepEqual(actions, [])
})

it('Live: rows in sight stay where they are when others appear above them', async t => {
  const admin = await adminOf(t)
  const lastName = `Anchor${run}`
  const create = (firstName: string) =>
    callAs(admin, 'POST', '/v2/applicant', { primaryApplicant: { firstName, lastName } })
  for (let at = 0; at < 40; at++) await create(`M${String(at).padStart(2, '0')}`)
  const page = await openAs(t, 'case-manager', '/account')
  await openFollowing(page, `/people?q=${lastName}`)
  await page.getByText('40 records').waitFor()
  await page.locator('.table-scroller').evaluate(scroller => scroller.scrollTo(0, 600))
  const row = page.getByRole('row').filter({ hasText: 'M20' })
  await row.waitFor()
  const before = await row.boundingBox()
  await create('A')
  await page.getByText('41 records').waitFor({ timeout: WITHIN_MS })
  await page.waitForTimeout(500)
  const after = await row.boundingBox()
  assert.ok(Math.abs((before?.y ?? 0) - (after?.y ?? 0)) <= 2, `${before?.y} became ${after?.y}`)
  assert.equal(await page.locator('.table-scroller').evaluate(scroller => scroller.scrollTop > 620), true)
})

it('Live: a case shows what another person changes, and keeps what is being typed', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin), { department: 'Research' })
  const change = (fields: object) =>
    callAs(admin, 'PATCH', `/admin/v1/cases/${encodeURIComponent(caseId)}`, fields)
  const page = await openAs(t, 'case-manager', '/account')
  const check = await openFollowing(page, casePath(caseId))
  const department = page.getByRole('button', { name: /^Department/ })
  await department.waitFor()
  await page.getByText('0 of 3 done').waitFor()
  const [first] = await stepsOf(admin, caseId)
  await callAs(
    admin,
    'PATCH',
    `/admin/v1/cases/${encodeURIComponent(caseId)}/steps/${encodeURIComponent(first?.['stepId'])}`,
    { status: 'completed' },
  )
  await page.getByText('1 of 3 done').waitFor({ timeout: SEEN_MS })
  await page.getByRole('textbox', { name: 'Note' }).fill('Half a thought')
  await department.click()
  const field = page.getByLabel('Department')
  await field.fill('Engineering')
  // Nothing moves while the person types; the edit stays when the focus leaves it.
  await change({ department: 'Sales' })
  await page.getByRole('heading', { level: 1 }).click()
  await page.getByText('Another person has changed it to: Sales').waitFor({ timeout: SEEN_MS })
  assert.equal(await field.inputValue(), 'Engineering')
  assert.equal(await page.getByRole('textbox', { name: 'Note' }).inputValue(), 'Half a thought')

  await field.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'This record was changed meanwhile' })
  await dialog.getByText('Sales', { exact: true }).waitFor()
  await dialog.getByText('Engineering', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Keep theirs' }).click()
  await page.getByRole('button', { name: /^Department ?Sales/ }).waitFor()
  assert.equal((await caseOf(admin, caseId))['department'], 'Sales')

  // A field that another person empties is not taken away below the fingers.
  await department.click()
  await field.fill('Legal')
  await change({ department: null })
  await page.getByRole('heading', { level: 1 }).click()
  await page.getByText('Another person has changed it to: Empty').waitFor({ timeout: SEEN_MS })
  await field.press('Enter')
  await dialog.getByRole('button', { name: 'Use mine' }).click()
  await page.getByText('Department saved').waitFor()
  assert.equal((await caseOf(admin, caseId))['department'], 'Legal')
  await check()
})

it('Live: a person shows what another one changes: fields, family, cases', async t => {
  const admin = await adminOf(t)
  const { primaryApplicant } = await createPerson(admin, `Followed${run}`)
  const path = `/v2/applicant/${encodeURIComponent(primaryApplicant.applicantId)}`
  const page = await openAs(t, 'case-manager', '/account')
  const check = await openFollowing(page, `/people/${encodeURIComponent(primaryApplicant.applicantId)}`)
  await page.getByRole('button', { name: /^Job title/ }).waitFor()
  await callAs(admin, 'PATCH', path, {
    primaryApplicant: {
      jobTitle: 'Pilot',
      passports: [{ passportNumber: 'C01X00T47', country: 'DE', expiryDate: '2031-02-28' }],
    },
  })
  await page.getByRole('button', { name: /^Job title Pilot/ }).waitFor({ timeout: SEEN_MS })
  await page.getByText('Passport C01X00T47').waitFor()
  await callAs(admin, 'POST', `${path}/dependent`, {
    firstName: 'Kim',
    lastName: `Followed${run}`,
    relationship: 'Child',
  })
  await page.getByRole('link', { name: `Kim Followed${run}` }).waitFor({ timeout: SEEN_MS })
  await check()
})
