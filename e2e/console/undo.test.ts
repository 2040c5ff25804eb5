// Undo takes nothing back that another person has changed since: it asks, or leaves that record as it is.
import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import {
  adminOf,
  caseOf,
  casePath,
  daysFromNow,
  eventually,
  type Fields,
  fullName,
  newCase,
  newProcess,
  notesOf,
  stepsOf,
} from './case-data.ts'
import { CONSOLE, callAs, expectStatus, openAs, openConsole, signInAs, userOf } from './console.ts'

const apiPath = (caseId: string) => `/admin/v1/cases/${encodeURIComponent(caseId)}`
const stepPath = (step: Fields | undefined) =>
  `${apiPath(step?.['caseId'])}/steps/${encodeURIComponent(step?.['stepId'])}`

const conflictOf = (page: Page) => page.getByRole('dialog', { name: 'This record was changed meanwhile' })

/** While the pointer is on it, the notice stays. */
const pressUndo = (page: Page) => page.getByRole('button', { name: 'Undo', exact: true }).click()
const keepNotice = (page: Page) => page.getByRole('button', { name: 'Undo', exact: true }).hover()

async function openCase(t: TestContext, fields: Fields = {}) {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin), fields)
  const page = await openAs(t, 'case-manager', casePath(caseId))
  return { admin, caseId: caseId as string, page }
}

async function changeField(page: Page, label: string, value: string) {
  await page.getByRole('button', { name: new RegExp(`^${label}`) }).press('Enter')
  await page.getByLabel(label).fill(value)
  await page.keyboard.press('Enter')
  await page.getByText(`${label} saved`).waitFor()
}

for (const [choice, expected] of [
  ['Keep theirs', 'Theirs'],
  ['Use mine', 'Engineer'],
] as const)
  it(`Undo of a field of a person that another one has changed since asks; "${choice}" decides`, async t => {
    const admin = await adminOf(t)
    const primaryApplicant = { firstName: 'Nora', lastName: `Later${Date.now()}`, jobTitle: 'Engineer' }
    const made = await callAs(admin, 'POST', '/v2/applicant', { primaryApplicant })
    const path = `/v2/applicant/${made.primaryApplicant.applicantId}`
    const page = await openAs(t, 'case-manager', `/people/${made.primaryApplicant.applicantId}`)
    await changeField(page, 'Job title', 'Mine')
    await keepNotice(page)
    await callAs(admin, 'PATCH', path, { primaryApplicant: { jobTitle: 'Theirs' } })
    await page.getByRole('button', { name: /^Job title Theirs/ }).waitFor()
    expectStatus(page, 412)
    await pressUndo(page)
    const dialog = conflictOf(page)
    await dialog.getByText('Theirs', { exact: true }).waitFor()
    await dialog.getByText('Engineer', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: choice }).click()
    await page.getByRole('button', { name: new RegExp(`^Job title ${expected}`) }).waitFor()
    await eventually(async () => (await callAs(admin, 'GET', path)).jobTitle, expected)
  })

it('Undo of the due date of a case that another person has changed since asks', async t => {
  const { admin, caseId, page } = await openCase(t)
  await callAs(admin, 'PATCH', apiPath(caseId), { dueDate: daysFromNow(30) })
  await page.locator('.field-button', { hasText: 'Due date' }).getByText(day(30)).waitFor()
  await changeField(page, 'Due date', daysFromNow(40))
  await keepNotice(page)
  await callAs(admin, 'PATCH', apiPath(caseId), { dueDate: daysFromNow(50) })
  await page.locator('.field-button', { hasText: 'Due date' }).getByText(day(50)).waitFor()
  expectStatus(page, 412)
  await pressUndo(page)
  const dialog = conflictOf(page)
  await dialog.getByText(day(30)).waitFor()
  await dialog.getByText(day(50)).waitFor()
  await dialog.getByRole('button', { name: 'Keep theirs' }).click()
  await dialog.waitFor({ state: 'hidden' })
  assert.equal((await caseOf(admin, caseId))['dueDate'].slice(0, 10), daysFromNow(50))
})

it('Undo of a field does not ask because of another field, and returns to what "Use mine" replaced', async t => {
  const { admin, caseId, page } = await openCase(t, { department: 'Research' })
  expectStatus(page, 412)
  await page.getByRole('button', { name: /^Department/ }).press('Enter')
  await callAs(admin, 'PATCH', apiPath(caseId), { department: 'Sales' })
  await page.getByLabel('Department').fill('Legal')
  await page.keyboard.press('Enter')
  await conflictOf(page).getByRole('button', { name: 'Use mine' }).click()
  await page.getByText('Department saved').waitFor()
  await keepNotice(page)
  await callAs(admin, 'PATCH', apiPath(caseId), { hostCity: 'Kiel' })
  await pressUndo(page)
  await page.getByRole('button', { name: /^Department ?Sales/ }).waitFor()
  await eventually(async () => (await caseOf(admin, caseId))['department'], 'Sales')
  assert.equal((await caseOf(admin, caseId))['hostCity'], 'Kiel')
})

it('Undo of the due date of a step that another person has changed since asks', async t => {
  const { admin, caseId, page } = await openCase(t)
  const [first] = await stepsOf(admin, caseId)
  await page.getByRole('button', { name: `Due ${first?.['name']}` }).press('Enter')
  await page.keyboard.type('+10d')
  await page.keyboard.press('Enter')
  await page.getByText(`${first?.['name']} saved`).waitFor()
  await callAs(admin, 'PATCH', stepPath(first), { dueDate: daysFromNow(20) })
  await pressUndo(page)
  const dialog = conflictOf(page)
  await dialog.getByText(`${first?.['name']}: Due date`).waitFor()
  await dialog.getByText(day(20)).waitFor()
  await dialog.getByRole('button', { name: 'Keep theirs' }).click()
  await dialog.waitFor({ state: 'hidden' })
  assert.equal((await stepsOf(admin, caseId))[0]?.['dueDate'], daysFromNow(20))
})

it('Undo of a completed step asks where another person has changed the step that it started', async t => {
  const { admin, caseId, page } = await openCase(t)
  const [first, second] = await stepsOf(admin, caseId)
  const statuses = async () => (await stepsOf(admin, caseId)).map(({ status }) => status).join()
  await callAs(admin, 'PATCH', stepPath(first), { status: 'inProgress' })
  await page.locator('.step-inProgress').first().waitFor()
  await page.getByRole('button', { name: `Complete: ${first?.['name']}` }).click()
  await page.locator('.step-inProgress').getByText(second?.['name']).first().waitFor()
  await page.getByRole('button', { name: 'Undo', exact: true }).waitFor()
  await callAs(admin, 'PATCH', stepPath(second), { status: 'waived' })
  await pressUndo(page)
  const dialog = conflictOf(page)
  await dialog.getByText(`${second?.['name']}: Status`).waitFor()
  await dialog.getByText('Waived').waitFor()
  await dialog.getByRole('button', { name: 'Keep theirs' }).click()
  await dialog.waitFor({ state: 'hidden' })
  assert.equal(await statuses(), 'completed,waived,notStarted')
})

for (const [key, status] of [
  ['c', 'Completed'],
  ['w', 'Waived'],
] as const)
  it(`Undo is not offered where another person has made the step ${status} before`, async t => {
    const admin = await adminOf(t)
    const { caseId } = await newCase(admin, await newProcess(admin))
    const [first] = await stepsOf(admin, caseId)
    const { page } = await openConsole(t)
    // The window does not hear of the change.
    await page.route('**/v2/changes*', () => undefined)
    await signInAs(page, userOf('case-manager'))
    await page.goto(`${CONSOLE}${casePath(caseId)}`)
    await page.getByText('0 of 3 done').waitFor()
    await callAs(admin, 'PATCH', stepPath(first), { status: status.toLowerCase() })
    await page.keyboard.press(key)
    await page.getByText(`${first?.['name']} was not changed. Its status is already: ${status}`).waitFor()
    await page.getByText('1 of 3 done').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Undo', exact: true }).count(), 0)
    const sent: string[] = []
    page.on('request', request => {
      if (request.method() !== 'GET') sent.push(request.url())
    })
    await page.keyboard.press('z')
    await page.waitForTimeout(500)
    assert.deepEqual(sent, [])
    assert.equal((await stepsOf(admin, caseId))[0]?.['status'], status.toLowerCase())
  })

it('Undo of an edited note asks where another person has edited it since', async t => {
  const { admin, caseId, page } = await openCase(t)
  await callAs(admin, 'POST', `${apiPath(caseId)}/notes`, { content: 'First wording', visibility: 'team' })
  await page.reload()
  await page.getByRole('button', { name: /^Edit the note of/ }).click()
  await page.getByRole('textbox', { name: 'Note' }).last().fill('Second wording')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Note saved').waitFor()
  const [note] = await notesOf(admin, caseId)
  await callAs(admin, 'PATCH', `${apiPath(caseId)}/notes/${encodeURIComponent(note?.['noteId'])}`, {
    content: 'Third wording',
  })
  expectStatus(page, 412)
  await pressUndo(page)
  const dialog = conflictOf(page)
  await dialog.getByText('First wording').waitFor()
  await dialog.getByText('Third wording').waitFor()
  await dialog.getByRole('button', { name: 'Keep theirs' }).click()
  await page.locator('.note-text').getByText('Third wording').waitFor()
  assert.equal((await notesOf(admin, caseId))[0]?.['content'], 'Third wording')
})

it('Undo of a bulk change leaves a case that another person has changed since, and names it', async t => {
  const admin = await adminOf(t)
  const process = await newProcess(admin)
  const caseType = `Undo ${Date.now()}`
  const records = [await newCase(admin, process, { caseType }), await newCase(admin, process, { caseType })]
  const [left, undone] = records as [Fields, Fields]
  const page = await openAs(t, 'case-manager', '/account')
  await page.goto(`${CONSOLE}/cases?caseType=${encodeURIComponent(caseType)}`)
  await page.getByText('2 records').waitFor()
  await page.getByRole('checkbox', { name: 'Select all' }).press('Space')
  await page.getByRole('button', { name: 'Change status' }).click()
  await page.getByRole('menuitem', { name: 'Pending' }).click()
  await page.getByRole('dialog', { name: 'Change status' }).getByRole('button', { name: 'Close' }).click()
  await keepNotice(page)
  await callAs(admin, 'PATCH', apiPath(left['caseId']), { status: 'closed' })
  expectStatus(page, 412)
  await pressUndo(page)
  const dialog = page.getByRole('dialog', { name: 'Undo the changes' })
  await dialog.getByText('1 succeeded').waitFor()
  await dialog.getByText('1 failed').waitFor()
  await dialog.getByText(fullName(left)).waitFor()
  await dialog.getByText('This record was changed meanwhile').waitFor()
  assert.equal((await caseOf(admin, left['caseId']))['status'], 'closed')
  assert.equal((await caseOf(admin, undone['caseId']))['status'], 'open')
})

/** As the screen writes it. */
function day(days: number): string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
  return format.format(new Date(`${daysFromNow(days)}T00:00:00Z`))
}
