import assert from 'node:assert/strict'
import { it } from 'node:test'
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
import {
  CONSOLE,
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
import { draggedFile } from './files.ts'

const PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
)
const pdf = (name: string) => ({ name, mimeType: 'application/pdf', buffer: PDF })

const statuses = async (page: Page, caseId: string) =>
  (await stepsOf(page, caseId)).map(({ status }) => status as string)
const documentsOf = async (page: Page, caseId: string): Promise<Fields[]> =>
  (await callAs(page, 'GET', `/admin/v1/documents?caseId=${encodeURIComponent(caseId)}`)).records
/** What Chromium logs by itself where a test makes a request fail. */
const expectNetworkErrors = (incidents: string[]) => {
  for (const incident of incidents.splice(0)) assert.match(incident, /^console: Failed to load resource/)
}

it('Case: steps by keyboard: go to one, waive, reopen, start', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const page = await openAs(t, 'case-manager', casePath(caseId))
  await page.getByText('0 of 3 done').waitFor()
  await page.keyboard.press('2')
  await page.keyboard.press('w')
  await page.getByText('1 of 3 done').waitFor()
  assert.deepEqual(await statuses(page, caseId), ['inProgress', 'waived', 'notStarted'])
  await page.keyboard.press('2')
  await page.keyboard.press('r')
  await page.getByText('0 of 3 done').waitFor()
  await page.keyboard.press('3')
  await page.keyboard.press('s')
  await eventually(async () => String(await statuses(page, caseId)), 'inProgress,notStarted,inProgress')
  await page.locator('.step-inProgress').nth(1).waitFor()
  await page.keyboard.press('z')
  await page.locator('.step-notStarted').nth(1).waitFor()
  assert.deepEqual(await statuses(page, caseId), ['inProgress', 'notStarted', 'notStarted'])
})

it('Case: the focus is on the next step after one was completed, and on the item after its document was accepted', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const page = await openAs(t, 'case-manager', casePath(caseId))
  for (const done of [1, 2, 3]) {
    await page.getByRole('button', { name: /^Complete: / }).press('Enter')
    await page.getByText(`${done} of 3 done`).waitFor()
    const step = page.locator('[data-step]').nth(Math.min(done, 2))
    await eventually(() => step.evaluate(row => row === row.ownerDocument.activeElement), true)
  }
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload Passport copy' }).click()
  await (await chooser).setFiles(pdf('passport.pdf'))
  await page.getByRole('dialog').getByRole('button', { name: 'Upload 1 file' }).click()
  await page.getByRole('button', { name: 'Accept Passport copy' }).press('Enter')
  await page.getByText('Accepted', { exact: true }).waitFor()
  const menu = page.getByRole('button', { name: 'More for Passport copy' })
  await eventually(() => menu.evaluate(button => button === button.ownerDocument.activeElement), true)
})

it('Case: due date and assignee of a step are edited where they are read', async t => {
  const admin = await adminOf(t)
  const { caseId, steps } = await newCase(admin, await newProcess(admin))
  const name = steps[0].name as string
  const page = await openAs(t, 'case-manager', casePath(caseId))
  await page.getByRole('button', { name: `Due ${name}` }).press('Enter')
  await page.keyboard.type('+10d')
  await page.keyboard.press('Enter')
  await page.getByText(`${name} saved`).waitFor()
  assert.equal((await stepsOf(admin, caseId))[0]?.['dueDate'], daysFromNow(10))
  await page.getByRole('button', { name: `Assignee ${name}` }).press('Enter')
  await page.getByRole('option', { name: /\(me\)$/ }).click()
  await page.getByText(`${name} saved`).nth(1).waitFor()
  assert.equal((await stepsOf(admin, caseId))[0]?.['assignee'].name, 'Ruth Okafor')
})

it('Case: a due date that is cleared says which date of the process is back', async t => {
  const admin = await adminOf(t)
  const processName = await newProcess(admin)
  await callAs(admin, 'PUT', `/admin/v1/processes/${encodeURIComponent(processName)}`, {
    caseType: 'Work Permit',
    steps: ['Gather papers'],
    dueDays: [14],
  })
  const { caseId, steps } = await newCase(admin, processName)
  const path = `/admin/v1/cases/${encodeURIComponent(caseId)}/steps/${encodeURIComponent(steps[0].stepId)}`
  await callAs(admin, 'PATCH', path, { status: 'inProgress', dueDate: daysFromNow(40) })
  const page = await openAs(t, 'case-manager', casePath(caseId))
  await page.getByRole('button', { name: 'Due Gather papers' }).press('Enter')
  await page.getByLabel('Due', { exact: true }).fill('')
  await page.keyboard.press('Enter')
  await page
    .getByText(/^Without a date of its own, Gather papers is due on .*: the process sets it\.$/)
    .waitFor()
  assert.equal((await stepsOf(admin, caseId))[0]?.['dueDate'], daysFromNow(14))
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await eventually(async () => (await stepsOf(admin, caseId))[0]?.['dueDate'], daysFromNow(40))
})

it('Case: two people change one field, and the second decides which value stays', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin), { department: 'Research' })
  const { page, incidents } = await openConsole(t)
  await signInAs(page, userOf('case-manager'))
  await page.goto(`${CONSOLE}${casePath(caseId)}`)
  const field = page.getByRole('button', { name: /^Department/ })
  await field.press('Enter')
  await callAs(admin, 'PATCH', `/admin/v1/cases/${encodeURIComponent(caseId)}`, { department: 'Sales' })
  await page.getByLabel('Department').fill('Engineering')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'This record was changed meanwhile' })
  await dialog.getByText('Sales').waitFor()
  await dialog.getByText('Engineering').waitFor()
  await checkAccessibility(page)
  await dialog.getByRole('button', { name: 'Use mine' }).click()
  await page.getByText('Department saved').waitFor()
  assert.equal((await caseOf(admin, caseId))['department'], 'Engineering')

  await field.press('Enter')
  await callAs(admin, 'PATCH', `/admin/v1/cases/${encodeURIComponent(caseId)}`, { department: 'Finance' })
  await page.getByLabel('Department').fill('Legal')
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Keep theirs' }).press('Enter')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Department ?Finance/ }).waitFor()
  assert.equal((await caseOf(admin, caseId))['department'], 'Finance')

  // Another field of the same case is no conflict.
  await callAs(admin, 'PATCH', `/admin/v1/cases/${encodeURIComponent(caseId)}`, { hostCity: 'Kiel' })
  await field.press('Enter')
  await page.getByLabel('Department').fill('Legal')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Department ?Legal/ }).waitFor()
  await page.getByRole('button', { name: /^Host city ?Kiel/ }).waitFor()
  expectNetworkErrors(incidents)
})

it('Case: a session that ends in the middle loses no note', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const { page, incidents } = await openConsole(t)
  const { email, password } = userOf('case-manager')
  await signInAs(page, { email, password })
  await page.goto(`${CONSOLE}${casePath(caseId)}`)
  await page.getByRole('heading', { name: 'Notes' }).waitFor()
  await page.keyboard.press('n')
  await page.keyboard.type('Called the embassy, appointment on Monday.')
  await page.context().clearCookies()
  await page.keyboard.press('Control+Enter')
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.getByLabel('E-mail address').fill(email)
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('listitem').getByText('Called the embassy, appointment on Monday.').first().waitFor()
  const notes = await notesOf(admin, caseId)
  assert.deepEqual(
    notes.map(({ content, visibility }) => [content, visibility]),
    [['Called the embassy, appointment on Monday.', 'team']],
  )
  expectNetworkErrors(incidents)
})

it('Case: a note that is being typed outlasts a reload', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const page = await openAs(t, 'case-manager', casePath(caseId))
  await page.getByRole('textbox', { name: 'Note' }).fill('Half a thought')
  await page.reload()
  assert.equal(await page.getByRole('textbox', { name: 'Note' }).inputValue(), 'Half a thought')
})

it('Case: a note is edited, and its versions stay', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  await callAs(admin, 'POST', `/admin/v1/cases/${encodeURIComponent(caseId)}/notes`, {
    content: 'First wording',
    visibility: 'team',
  })
  const page = await openAs(t, 'case-manager', casePath(caseId))
  await page.getByRole('button', { name: /^Edit the note of/ }).click()
  await page.getByRole('textbox', { name: 'Note' }).last().fill('Second wording')
  await page.getByRole('radiogroup', { name: 'Who sees the note' }).last().getByText('Everyone').click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Note saved').waitFor()
  await page.getByRole('button', { name: /Earlier versions/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Versions of the note' })
  await dialog.getByText('First wording').waitFor()
  await dialog.getByText('Second wording').waitFor()
  const [note] = await notesOf(admin, caseId)
  assert.deepEqual(
    [note?.['content'], note?.['visibility'], note?.['version']],
    ['Second wording', 'everyone', 2],
  )
})

it('Case: the button that edits a note says when it was written', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const path = `/admin/v1/cases/${encodeURIComponent(caseId)}/notes`
  await callAs(admin, 'POST', path, { content: 'First', visibility: 'team' })
  const page = await openAs(t, 'case-manager', casePath(caseId))
  const written = await page.locator('.note time').getAttribute('title')
  assert.match(written ?? '', /\d:\d\d$/)
  await page.getByRole('button', { name: new RegExp(`^Edit the note of .+, ${written}$`) }).waitFor()
})

it('Case: an edit of a note outlasts a reload, is discarded only after a question, and is sent once', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const path = `/admin/v1/cases/${encodeURIComponent(caseId)}/notes`
  await callAs(admin, 'POST', path, { content: 'First wording', visibility: 'team' })
  const page = await openAs(t, 'case-manager', casePath(caseId))
  const text = page.locator('.note').getByRole('textbox', { name: 'Note' })
  const edit = page.getByRole('button', { name: /^Edit the note of/ })
  await edit.click()
  await text.fill('Second wording')
  await page.reload()
  assert.equal(await text.inputValue(), 'Second wording')
  const question = page.getByRole('dialog', { name: 'Discard your changes?' })
  await text.press('Escape')
  await question.getByRole('button', { name: 'Cancel' }).click()
  assert.equal(await text.inputValue(), 'Second wording')
  let writes = 0
  const gate = Promise.withResolvers<void>()
  await page.route('**/notes/*', async route => {
    writes += 1
    await gate.promise
    await route.continue()
  })
  await text.press('Control+Enter')
  await text.press('Control+Enter')
  gate.resolve()
  await page.getByText('Note saved').waitFor()
  assert.equal(writes, 1)
  await edit.click()
  await text.fill('Third wording')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await question.getByRole('button', { name: 'Discard the changes' }).click()
  await page.locator('.note-text').getByText('Second wording').waitFor()
  await page.reload()
  await edit.waitFor()
})

it('Case: signing out asks where an upload is running, or something was typed', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const page = await openAs(t, 'case-manager', casePath(caseId))
  const question = page.getByRole('dialog', { name: 'Sign out without saving?' })
  const signOut = async () => {
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
  }
  const gate = Promise.withResolvers<void>()
  await page.route('**/v2/document', async route => {
    await gate.promise
    await route.continue()
  })
  await page.getByText('No files yet').waitFor()
  await page.getByLabel('Upload files').setInputFiles([pdf('running.pdf')])
  await page.getByRole('dialog').getByRole('button', { name: 'Upload 1 file' }).click()
  await page.getByRole('region', { name: 'Uploads' }).waitFor()
  await signOut()
  await question.getByRole('button', { name: 'Cancel' }).click()
  gate.resolve()
  await page.getByRole('button', { name: 'Open running.pdf' }).waitFor()
  await page.getByRole('textbox', { name: 'Note' }).fill('Half a thought')
  await signOut()
  await checkAccessibility(page)
  await question.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('E-mail address').waitFor()
})

it('Case: the day on which it was closed is that of the person', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  await callAs(admin, 'PATCH', `/admin/v1/cases/${encodeURIComponent(caseId)}`, { status: 'closed' })
  // Where it is the day before, or the day after.
  const isMorning = new Date().getUTCHours() < 11
  const timezoneId = isMorning ? 'Pacific/Pago_Pago' : 'Pacific/Kiritimati'
  const page = await openAs(t, 'case-manager', casePath(caseId), { timezoneId })
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: timezoneId })
  await page.getByText(`Closed ${day.format(new Date())}`).waitFor()
})

it('Case: a document that is removed from the list comes back to its place with undo', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const page = await openAs(t, 'case-manager', casePath(caseId))
  await page.getByRole('button', { name: 'More for Passport copy' }).click()
  await page.getByRole('menuitem', { name: 'Remove from the list' }).click()
  await page.getByText('Passport copy removed from the list').waitFor()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.getByRole('button', { name: 'More for Passport copy' }).waitFor()
  const path = `/admin/v1/cases/${encodeURIComponent(caseId)}/checklist`
  const names = async () =>
    (await callAs(admin, 'GET', path)).items.map((item: Fields) => item['name']).join()
  await eventually(names, 'Passport copy,Signed contract')
})

it('Case: any document of the case or its person is found for an item of the list', async t => {
  const admin = await adminOf(t)
  const employeeNumber = `C-${Date.now()}`
  const lastName = `Choice${Date.now()}`
  const { primaryApplicant } = await callAs(admin, 'POST', '/v2/applicant', {
    primaryApplicant: {
      firstName: 'Cleo',
      lastName,
      employeeNumber,
      documents: Array.from({ length: 15 }, (_, at) => ({
        name: `Paper ${at + 1}`,
        expiryDate: daysFromNow(400),
      })),
    },
  })
  const { caseId } = await newCase(admin, await newProcess(admin), {
    applicant: { firstName: 'Cleo', lastName, employeeNumber },
  })
  const page = await openAs(t, 'case-manager', casePath(caseId))
  await page.getByRole('button', { name: 'More for Signed contract' }).click()
  await page.getByRole('menuitem', { name: 'Use another document' }).click()
  const dialog = page.getByRole('dialog', { name: 'Document for Signed contract' })
  const select = dialog.getByRole('combobox', { name: 'Document of the case or the person' })
  await select.fill('Paper 1')
  await page.getByRole('option', { name: /Paper 13/ }).click()
  await checkAccessibility(page)
  await dialog.getByRole('button', { name: 'Use' }).click()
  await page.getByText('Signed contract: Received').waitFor()
  const wanted = primaryApplicant.documents.find((one: Fields) => one['name'] === 'Paper 13').documentId
  const { items } = await callAs(admin, 'GET', `/admin/v1/cases/${encodeURIComponent(caseId)}/checklist`)
  assert.deepEqual([items[1].documentId, items[1].state], [wanted, 'received'])
})

it('Case: an edited note stays with the team where another person has hidden it meanwhile', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const path = `/admin/v1/cases/${encodeURIComponent(caseId)}/notes`
  const { noteId } = await callAs(admin, 'POST', path, { content: 'First wording', visibility: 'everyone' })
  const page = await openAs(t, 'case-manager', casePath(caseId))
  expectStatus(page, 412)
  await page.getByRole('button', { name: /^Edit the note of/ }).click()
  await page.getByRole('textbox', { name: 'Note' }).last().fill('Second wording')
  await callAs(admin, 'PATCH', `${path}/${encodeURIComponent(noteId)}`, { visibility: 'team' })
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog', { name: 'This record was changed meanwhile' })
  await dialog.getByText('Second wording').waitFor()
  await dialog.getByText('First wording').waitFor()
  assert.equal(await dialog.getByText('Team only').count(), 2)
  await dialog.getByRole('button', { name: 'Use mine' }).click()
  await page.getByText('Note saved').waitFor()
  const [note] = await notesOf(admin, caseId)
  assert.deepEqual([note?.['content'], note?.['visibility']], ['Second wording', 'team'])
})

it('Case: a step that is added by two presses of Enter is added once', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const before = (await stepsOf(admin, caseId)).length
  const page = await openAs(t, 'case-manager', casePath(caseId))
  await page.getByRole('button', { name: 'Add a step' }).click()
  await page.getByRole('textbox', { name: 'Name of the step' }).fill('Interview')
  await page.route('**/steps', async route => {
    await page.waitForTimeout(300)
    await route.continue()
  })
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Name of the step' }).waitFor({ state: 'detached' })
  assert.equal((await stepsOf(admin, caseId)).length, before + 1)
})

it('Case: a menu that is open has its keys for itself', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const before = await statuses(admin, caseId)
  const page = await openAs(t, 'case-manager', casePath(caseId))
  await page.getByRole('button', { name: 'Status', exact: true }).click()
  await page.getByRole('menu').waitFor()
  await page.keyboard.press('w')
  await page.waitForTimeout(500)
  assert.deepEqual(await statuses(admin, caseId), before)
})

it('Case: what is typed while the palette opens is in its field, and completes no step', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const page = await openAs(t, 'case-manager', casePath(caseId))
  await page.getByText('0 of 3 done').waitFor()
  const field = page.getByPlaceholder('A name, number, passport')
  const openAndType = async (delay: number) => {
    await page.keyboard.press('Control+k')
    await page.keyboard.type('chen w', { delay })
    await eventually(() => field.inputValue(), 'chen w')
  }
  await openAndType(0)
  for (const delay of [0, 20, 60, 120]) {
    await page.keyboard.press('Escape')
    await openAndType(delay)
  }
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.keyboard.press('2')
  await page.keyboard.press('w')
  await page.getByText('1 of 3 done').waitFor()
  assert.deepEqual(await statuses(page, caseId), ['inProgress', 'waived', 'notStarted'])
})

it('Case: an upload that the service rejected is retried with another key', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const page = await openAs(t, 'case-manager', casePath(caseId))
  expectStatus(page, 422)
  const keys: string[] = []
  await page.route('**/v2/document', async route => {
    keys.push((await route.request().allHeaders())['idempotency-key'] ?? '')
    if (keys.length > 1) return route.continue()
    const problem = { type: 'about:blank', title: 'Rejected', status: 422, code: 'malware-found', detail: '' }
    await route.fulfill({ status: 422, json: problem, contentType: 'application/problem+json' })
  })
  await page.getByText('Passport copy').waitFor()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload Passport copy' }).click()
  await (await chooser).setFiles(pdf('passport.pdf'))
  await page.getByRole('dialog').getByRole('button', { name: 'Upload 1 file' }).click()
  await page.getByRole('button', { name: 'Retry passport.pdf' }).click()
  await page.getByText('Uploaded').waitFor()
  assert.equal(new Set(keys).size, 2)
})

for (const status of [400, 413, 415])
  it(`Case: an upload that is rejected with ${status} is not offered again`, async t => {
    const admin = await adminOf(t)
    const { caseId } = await newCase(admin, await newProcess(admin))
    const page = await openAs(t, 'case-manager', casePath(caseId))
    expectStatus(page, status)
    const problem = {
      type: 'about:blank',
      title: 'Rejected',
      status,
      code: 'invalid',
      detail: 'Not accepted.',
      // Without the name of a field, the request may not have arrived whole.
      ...(status === 400 && { errors: [{ pointer: '/document', detail: 'The file is empty.' }] }),
    }
    await page.route('**/v2/document', route =>
      route.fulfill({ status, json: problem, contentType: 'application/problem+json' }),
    )
    await page.getByText('Passport copy').waitFor()
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload Passport copy' }).click()
    await (await chooser).setFiles(pdf('passport.pdf'))
    await page.getByRole('dialog').getByRole('button', { name: 'Upload 1 file' }).click()
    await page.getByText('Not accepted.').waitFor()
    await page.getByRole('button', { name: 'Remove passport.pdf from the list' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Retry passport.pdf' }).count(), 0)
  })

it('Case: an upload that is cut off is retried with the same key, and stored once', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const { page, incidents } = await openConsole(t)
  await signInAs(page, userOf('case-manager'))
  await page.goto(`${CONSOLE}${casePath(caseId)}`)
  const keys: string[] = []
  let isCutOff = true
  await page.route('**/v2/document', async route => {
    keys.push((await route.request().allHeaders())['idempotency-key'] ?? '')
    if (!isCutOff) return route.continue()
    // The file arrives the first time; only the response is lost.
    if (keys.length === 1) await route.fetch()
    await route.abort('connectionreset')
  })
  await page.getByText('Passport copy').waitFor()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload Passport copy' }).click()
  await (await chooser).setFiles(pdf('passport.pdf'))
  const question = page.getByRole('dialog', { name: 'Upload 1 file' })
  assert.equal(
    await question.getByRole('combobox', { name: 'Repository country' }).inputValue(),
    'Germany (DE)',
  )
  await question.getByRole('button', { name: 'Upload 1 file' }).click()
  const retry = page.getByRole('button', { name: 'Retry passport.pdf' })
  await retry.waitFor()
  isCutOff = false
  await retry.click()
  await page.getByText('Uploaded').waitFor()
  await page.getByRole('button', { name: 'Accept Passport copy' }).click()
  await page.getByText('Passport copy: Accepted').waitFor()
  assert.ok(keys.length >= 2, 'the upload was repeated')
  assert.equal(new Set(keys).size, 1)
  assert.equal((await documentsOf(admin, caseId)).length, 1)
  const checklist = await callAs(admin, 'GET', `/admin/v1/cases/${encodeURIComponent(caseId)}/checklist`)
  assert.deepEqual(
    checklist.items.map(({ name, state }: Fields) => [name, state]),
    [
      ['Passport copy', 'accepted'],
      ['Signed contract', 'missing'],
    ],
  )
  await page.keyboard.press('z')
  await page.getByRole('button', { name: 'Accept Passport copy' }).waitFor()
  expectNetworkErrors(incidents)
})

it('Case: a file dropped on the page is uploaded and shown', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const page = await openAs(t, 'case-manager', casePath(caseId))
  await page.getByText('No files yet').waitFor()
  const files = await draggedFile(page, 'contract.pdf', PDF)
  for (const type of ['dragenter', 'dragover'])
    await page.dispatchEvent('body', type, { dataTransfer: files })
  await page.dispatchEvent('.mantine-Dropzone-root', 'drop', { dataTransfer: files })
  await page.getByRole('dialog').getByRole('button', { name: 'Upload 1 file' }).click()
  await page.getByRole('button', { name: 'Open contract.pdf' }).click()
  await page.getByRole('img', { name: 'Page 1 of 1' }).waitFor()
})

it('Case: files go on uploading on another screen, which shows what failed', async t => {
  const admin = await adminOf(t)
  const { caseId, applicant } = await newCase(admin, await newProcess(admin))
  const page = await openAs(t, 'case-manager', casePath(caseId))
  expectStatus(page, 422)
  let isOpen = false
  const gate = Promise.withResolvers<void>()
  await page.route('**/v2/document', async route => {
    await gate.promise
    if (isOpen || !route.request().postDataBuffer()?.includes('second.pdf')) return route.continue()
    await route.fulfill({
      status: 422,
      contentType: 'application/problem+json',
      body: JSON.stringify({
        status: 422,
        code: 'invalid-file',
        title: 'Rejected',
        detail: 'Rejected once.',
      }),
    })
  })
  await page.getByText('No files yet').waitFor()
  await page.getByLabel('Upload files').setInputFiles([pdf('first.pdf'), pdf('second.pdf')])
  await page.getByRole('dialog').getByRole('button', { name: 'Upload 2 files' }).click()
  const queue = page.getByRole('region', { name: 'Uploads' })
  await queue.getByText('first.pdf').waitFor()
  const isGuarded = () =>
    page.evaluate(`!window.dispatchEvent(new Event('beforeunload', { cancelable: true }))`)
  assert.equal(await isGuarded(), true)
  await page.getByRole('link', { name: 'People' }).click()
  await page.getByRole('heading', { name: 'People' }).waitFor()
  gate.resolve()
  await queue.getByText('Rejected once.').waitFor()
  await checkAccessibility(page)
  isOpen = true
  await queue.getByRole('button', { name: 'Retry second.pdf' }).click()
  await queue.locator('[data-state=done]').nth(1).waitFor()
  assert.equal(await isGuarded(), false)
  await queue
    .getByRole('link', { name: fullName({ applicant }) })
    .first()
    .click()
  await page.getByRole('button', { name: 'Open second.pdf' }).waitFor()
  await queue.getByRole('button', { name: 'Remove finished uploads from the list' }).click()
  await queue.waitFor({ state: 'hidden' })
  assert.equal((await documentsOf(admin, caseId)).length, 2)
})

it('Case: a key that is pressed twice completes its step once', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const page = await openAs(t, 'case-manager', casePath(caseId))
  let calls = 0
  const gate = Promise.withResolvers<void>()
  await page.route('**/steps/*/complete', async route => {
    calls += 1
    await gate.promise
    await route.continue()
  })
  await page.getByText('0 of 3 done').waitFor()
  await page.keyboard.press('c')
  await page.keyboard.press('c')
  // The step shows its new state at once; what is counted is saved.
  await page.locator('.step').first().getByRole('img', { name: 'Completed' }).waitFor()
  await page.getByText('0 of 3 done').waitFor()
  gate.resolve()
  await page.getByText('1 of 3 done').waitFor()
  assert.deepEqual(await statuses(page, caseId), ['completed', 'inProgress', 'notStarted'])
  assert.equal(calls, 1)
})

it('Case: a step whose change is refused shows the state it has', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const page = await openAs(t, 'case-manager', casePath(caseId))
  expectStatus(page, 409)
  await page.getByText('0 of 3 done').waitFor()
  // The other person is faster, by so little that this screen cannot show it.
  const gate = Promise.withResolvers<void>()
  await page.route('**/steps/*/complete', async route => {
    const path = new URL(route.request().url()).pathname.replace('/complete', '')
    await callAs(admin, 'PATCH', path, { status: 'waived' })
    await gate.promise
    await route.continue()
  })
  await page.keyboard.press('c')
  const first = page.locator('.step').first()
  await first.getByRole('img', { name: 'Completed' }).waitFor()
  gate.resolve()
  await page.getByRole('alert').waitFor()
  await first.getByRole('img', { name: 'Waived' }).waitFor()
})

it('Case: accepting a document asks where another person has chosen another one meanwhile', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const page = await openAs(t, 'case-manager', casePath(caseId))
  expectStatus(page, 412)
  await page.getByText('Passport copy').waitFor()
  for (const name of ['Passport A', 'Passport B']) {
    const stored = await admin.request.post(`${ORIGIN}/v2/document`, {
      headers: { origin: ORIGIN, 'idempotency-key': `${caseId}-${name.at(-1)}` },
      multipart: { caseId, countryCode: 'DE', type: 'Passport', name, document: pdf(`${name}.pdf`) },
    })
    assert.ok(stored.ok(), await stored.text())
  }
  const path = `/admin/v1/cases/${encodeURIComponent(caseId)}/checklist`
  const choose = async (name: string) => {
    const { items } = await callAs(admin, 'GET', path)
    const documents = await documentsOf(admin, caseId)
    const documentId = documents.find(document => document['name'] === name)?.['documentId']
    await callAs(admin, 'PUT', path, {
      items: items.map((item: Fields) => ({
        name: item['name'],
        type: item['type'],
        required: item['required'],
        ...(item['name'] === 'Passport copy' && { documentId }),
      })),
    })
    return documentId
  }
  await choose('Passport A')
  await page.reload()
  const item = page.getByRole('listitem').filter({ hasText: 'Passport copy' }).filter({ hasText: 'Accept' })
  await item.getByText('Passport A').waitFor()
  // The other person is faster, by so little that this screen cannot show it.
  let theirs: unknown
  await page.route(`**${path}`, async route => {
    if (route.request().method() === 'PUT') theirs ??= await choose('Passport B')
    await route.continue()
  })
  await page.getByRole('button', { name: 'Accept Passport copy' }).click()
  const dialog = page.getByRole('dialog', { name: 'This record was changed meanwhile' })
  await dialog.getByText('Passport A · Accepted').waitFor()
  await dialog.getByText('Passport B · Received').waitFor()
  await dialog.getByRole('button', { name: 'Keep theirs' }).click()
  await item.getByText('Passport B').waitFor()
  const { items } = await callAs(admin, 'GET', path)
  assert.deepEqual([items[0].documentId, items[0].state], [theirs, 'received'])
})

it('Case: the preview of a file that was replaced shows the new one', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const text = (content: string) => ({
    name: 'letter.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from(content),
  })
  const headers = { origin: ORIGIN }
  const stored = await admin.request.post(`${ORIGIN}/v2/document`, {
    headers: { ...headers, 'idempotency-key': `${caseId}-letter` },
    multipart: { caseId, countryCode: 'DE', name: 'Letter', document: text('First letter') },
  })
  const { documentId } = await stored.json()
  const page = await openAs(t, 'case-manager', casePath(caseId))
  const open = page.getByRole('button', { name: 'Open Letter' })
  await open.click()
  await page.getByText('First letter').waitFor()
  await page.keyboard.press('Escape')
  const replaced = await admin.request.put(
    `${ORIGIN}/admin/v1/documents/${encodeURIComponent(documentId)}/file`,
    { headers, multipart: { document: text('Second letter') } },
  )
  assert.ok(replaced.ok(), await replaced.text())
  // Another screen and back, which reads the files again.
  await page.getByRole('link', { name: 'People' }).click()
  await page.getByRole('heading', { name: 'People' }).waitFor()
  await page.goBack()
  await eventually(async () => {
    await open.click()
    const shown = await page.locator('.preview-text').textContent()
    await page.keyboard.press('Escape')
    return shown
  }, 'Second letter')
})

it('Case: the preview of a damaged file says so', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const damaged = [
    { name: 'Contract', mimeType: 'application/pdf', begin: '%PDF-1.4\n' },
    { name: 'Photo', mimeType: 'image/png', begin: '\x89PNG\r\n\x1a\n' },
  ]
  for (const { name, mimeType, begin } of damaged) {
    const buffer = Buffer.from(`${begin}the rest is missing`, 'latin1')
    const stored = await admin.request.post(`${ORIGIN}/v2/document`, {
      headers: { origin: ORIGIN, 'idempotency-key': `${caseId}-${name}` },
      multipart: { caseId, countryCode: 'DE', name, document: { name, mimeType, buffer } },
    })
    assert.ok(stored.ok(), await stored.text())
  }
  const page = await openAs(t, 'case-manager', casePath(caseId))
  for (const { name } of damaged) {
    await page.getByRole('button', { name: `Open ${name}` }).click()
    const preview = page.getByRole('region', { name: `Preview of ${name}` })
    await preview.getByRole('alert').getByText('This file cannot be shown').waitFor()
    await preview.getByRole('link', { name: 'Download' }).waitFor()
    await page.keyboard.press('Escape')
  }
})

it('Case: says that there are more files than it lists', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const stored = await admin.request.post(`${ORIGIN}/v2/document`, {
    headers: { origin: ORIGIN, 'idempotency-key': `${caseId}-one` },
    multipart: { caseId, countryCode: 'DE', document: pdf('one.pdf') },
  })
  assert.ok(stored.ok(), await stored.text())
  const { page } = await openConsole(t)
  await signInAs(page, userOf('case-manager'))
  await page.route('**/admin/v1/documents?*', async route => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), total: 250 } })
  })
  await page.goto(`${CONSOLE}${casePath(caseId)}`)
  await page.getByRole('link', { name: 'The first 1 of 250. Show all' }).click()
  await page.getByRole('heading', { name: 'Documents and expiries' }).waitFor()
  assert.equal(new URL(page.url()).searchParams.get('caseId'), caseId)
})

it('Case: is closed, and reopened by undo', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  await callAs(admin, 'PATCH', `/admin/v1/cases/${encodeURIComponent(caseId)}`, { status: 'pending' })
  const { page, incidents } = await openConsole(t)
  await signInAs(page, userOf('case-manager'))
  await page.goto(`${CONSOLE}${casePath(caseId)}`)
  await page.getByRole('button', { name: 'Status' }).click()
  await page.getByRole('menuitem', { name: 'Close the case' }).click()
  await page.getByText('Status saved').waitFor()
  assert.equal((await caseOf(admin, caseId))['status'], 'closed')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Pending', { exact: true }).waitFor()
  // The screen shows the change before it is saved.
  await eventually(async () => (await caseOf(admin, caseId))['status'], 'pending')
  // Back to pending goes through open.
  expectNetworkErrors(incidents)
})

it('New case: a new hire with family and passport, by keyboard alone', async t => {
  const admin = await adminOf(t)
  const process = await newProcess(admin)
  const lastName = `Haddad${Date.now()}`
  const page = await openAs(t, 'case-manager', '/cases')
  await page.locator('[role=table][aria-busy=false]').waitFor()
  await page.keyboard.press('n')
  await page.getByRole('heading', { name: 'Start a new case' }).waitFor()
  const tabTo = async (name: string | RegExp, role: 'textbox' | 'combobox' | 'button' = 'textbox') => {
    const target = page.getByRole(role, { name }).last()
    for (let tries = 0; tries < 40; tries++) {
      if (await target.evaluate(element => element === element.ownerDocument.activeElement)) return
      await page.keyboard.press('Tab')
    }
    assert.fail(`no way to ${name} by keyboard`)
  }
  const choose = async (name: string, text: string) => {
    await tabTo(name, 'combobox')
    await page.keyboard.type(text)
    await page
      .getByRole('option', { name: new RegExp(text) })
      .first()
      .waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
  }
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('ArrowRight')
  await tabTo('First name')
  await page.keyboard.type('Noor')
  await tabTo('Last name')
  await page.keyboard.type(lastName)
  await tabTo('Employee number')
  await page.keyboard.type(`N-${lastName}`)
  await tabTo('Date of birth')
  await page.keyboard.type('31.5.1990')
  await tabTo('Add a passport', 'button')
  await page.keyboard.press('Enter')
  await page.keyboard.type('X1234567')
  await choose('Issued by', 'Jordan')
  await tabTo('Expires')
  await page.keyboard.type('2031-02-28')
  await tabTo('Add a family member', 'button')
  await page.keyboard.press('Enter')
  await page.keyboard.type('Sami')
  await tabTo('Relationship')
  await page.keyboard.type('Spouse')
  const [company] = (await callAs(admin, 'GET', '/admin/v1/companies')).filter((one: Fields) => one['active'])
  await choose('Sending company', company.name)
  await choose('Process', process)
  await tabTo('Start the case', 'button')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: `Noor ${lastName}` }).waitFor()
  const caseId = decodeURIComponent(page.url().split('/').at(-1) ?? '')
  const record = await caseOf(admin, caseId)
  assert.equal(record['processName'], process)
  assert.equal(record['applicant'].dateOfBirth?.slice(0, 10), '1990-05-31')
  assert.deepEqual(
    record['applicant'].passports.map((one: Fields) => [
      one['passportNumber'],
      one['country'],
      one['expirationDate']?.slice(0, 10),
    ]),
    [['X1234567', 'JO', '2031-02-28']],
  )
  assert.deepEqual(
    record['applicant'].dependents.map((one: Fields) => [
      one['firstName'],
      one['lastName'],
      one['relationship'],
    ]),
    [['Sami', lastName, 'Spouse']],
  )
})

it('New case: for a person of whom there is a record, with warnings', async t => {
  const admin = await adminOf(t)
  const process = await newProcess(admin)
  const number = `W-${Date.now()}`
  await newCase(admin, process, {
    applicant: {
      firstName: 'Ilse',
      lastName: `Warn${number}`,
      employeeNumber: number,
      dateOfBirth: '1980-01-01',
    },
  })
  const page = await openAs(t, 'case-manager', '/cases/new')
  await page.getByRole('combobox', { name: 'Find a person' }).fill(number)
  await page.getByRole('option', { name: /Ilse/ }).click()
  await page.getByRole('button', { name: 'Choose another person' }).waitFor()
  await page.getByRole('button', { name: 'Start the case' }).click()
  await page.getByText('Please check the fields that are marked.').waitFor()
  await page.getByRole('textbox', { name: 'Case type' }).fill('Work Permit')
  // What was typed outlasts a reload.
  await page.reload()
  await page.getByRole('button', { name: 'Choose another person' }).waitFor()
  // The form sends what it shows; meanwhile the record gets another name.
  const [found] = (await callAs(admin, 'GET', `/admin/v1/applicants?q=${number}`)).records
  await callAs(admin, 'PATCH', `/v2/applicant/${encodeURIComponent(found.applicantId)}`, {
    primaryApplicant: { firstName: 'Else', lastName: 'Other' },
  })
  await page.getByRole('button', { name: 'Start the case' }).click()
  await page.getByText('The case was started. Please check:').waitFor()
  await page.getByRole('button', { name: 'Open the case' }).press('Enter')
  await page.getByRole('heading', { name: `Ilse Warn${number}` }).waitFor()
})

it('New case: a form whose response is lost starts one case, however often it is sent', async t => {
  const page = await openAs(t, 'case-manager', '/cases/new')
  expectStatus(page, 520)
  const lastName = `Once${Date.now()}`
  const caseType = `Once ${Date.now()}`
  await page.getByRole('radiogroup', { name: 'Person' }).getByText('A new person').click()
  await page.getByRole('textbox', { name: 'First name' }).fill('Olga')
  await page.getByRole('textbox', { name: 'Last name' }).fill(lastName)
  await page.getByRole('textbox', { name: 'Case type' }).fill(caseType)
  await page.getByRole('combobox', { name: 'Sending company' }).click()
  await page.getByRole('option').first().click()
  let posts = 0
  const gate = Promise.withResolvers<void>()
  // The case is started the first time; only the response is lost, and a proxy says so.
  await page.route('**/v2/case', async route => {
    posts += 1
    if (posts > 1) return route.continue()
    await gate.promise
    await route.fetch()
    await route.fulfill({ status: 520, body: '' })
  })
  const submit = page.getByRole('button', { name: 'Start the case' })
  await submit.click()
  assert.equal(await page.getByRole('textbox', { name: 'Last name' }).isDisabled(), true)
  gate.resolve()
  await page.getByRole('alert').waitFor()
  await submit.click()
  await page.getByRole('heading', { name: `Olga ${lastName}` }).waitFor()
  const { total } = await callAs(page, 'GET', `/admin/v1/cases?caseType=${encodeURIComponent(caseType)}`)
  assert.deepEqual([posts, total], [2, 1])
})

it('New case: a text that is no date is not left out, but said', async t => {
  const page = await openAs(t, 'case-manager', '/cases/new')
  const lastName = `Undated${Date.now()}`
  await page.getByRole('radiogroup', { name: 'Person' }).getByText('A new person').click()
  await page.getByRole('textbox', { name: 'First name' }).fill('Ute')
  await page.getByRole('textbox', { name: 'Last name' }).fill(lastName)
  await page.getByRole('textbox', { name: 'Case type' }).fill('Work Permit')
  await page.getByRole('combobox', { name: 'Sending company' }).click()
  await page.getByRole('option').first().click()
  const born = page.getByRole('textbox', { name: 'Date of birth' })
  await born.fill('31.2.1990')
  await page.getByRole('button', { name: 'Start the case' }).click()
  await page.getByText('Please check the fields that are marked.').waitFor()
  await page.getByText('This is no date').waitFor()
  assert.equal(await born.evaluate(element => element === element.ownerDocument.activeElement), true)
  await born.fill('28.2.1990')
  await page.getByRole('button', { name: 'Start the case' }).click()
  await page.getByRole('heading', { name: `Ute ${lastName}` }).waitFor()
})

it('Case: a person who only reads is offered no change', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  const page = await openAs(t, 'viewer', casePath(caseId))
  await page.getByText('0 of 3 done').waitFor()
  await page.getByText('Passport copy').waitFor()
  for (const name of [/Complete/, /Upload/, /Accept/, /Add/, /Edit/, 'Status'])
    assert.equal(await page.getByRole('button', { name }).count(), 0, String(name))
  assert.equal(await page.getByRole('textbox').count(), 0)
  await page.keyboard.press('c')
  assert.deepEqual(await statuses(admin, caseId), ['inProgress', 'notStarted', 'notStarted'])
})

it('Case: says that a case does not exist', async t => {
  const { page, incidents } = await openConsole(t)
  await signInAs(page, userOf('viewer'))
  await page.goto(`${CONSOLE}/cases/AAAAAAAAAAAAAAAAAAAAAAA=`)
  await page.getByText('This does not exist').waitFor()
  expectNetworkErrors(incidents)
})

it('Case: prints without what is only for the screen', async t => {
  const admin = await adminOf(t)
  const created = await newCase(admin, await newProcess(admin))
  const page = await openAs(t, 'case-manager', casePath(created['caseId']))
  await page.getByText('0 of 3 done').waitFor()
  await page.emulateMedia({ media: 'print' })
  assert.equal(await page.getByRole('navigation').isVisible(), false)
  assert.equal(await page.getByRole('button', { name: 'Print' }).isVisible(), false)
  assert.equal(await page.getByText(`Case id ${created['caseId']}`).isVisible(), true)
  assert.equal(await page.getByRole('heading', { name: fullName(created) }).isVisible(), true)
})

it('Case: prints the same from light and dark colours, with a mark on steps that are done', async t => {
  const admin = await adminOf(t)
  const { caseId, steps } = await newCase(admin, await newProcess(admin))
  const path = `/admin/v1/cases/${encodeURIComponent(caseId)}/steps`
  await callAs(admin, 'POST', `${path}/${encodeURIComponent(steps[0].stepId)}/complete`, {})
  const dueDate = daysFromNow(200)
  await callAs(admin, 'PATCH', `${path}/${encodeURIComponent(steps[2].stepId)}`, { dueDate })
  const papers: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await openAs(t, 'case-manager', casePath(caseId), { colorScheme })
    await page.getByText('1 of 3 done').waitFor()
    await page.getByRole('list', { name: 'Timeline' }).waitFor()
    const paper = await page.pdf({ format: 'A4' })
    papers.push(paper.toString('latin1').replaceAll(/\/(?:Creation|Mod)Date \([^)]*\)/g, ''))
    const scheme = page.locator(`html[data-mantine-color-scheme=${colorScheme}]`)
    assert.equal(await scheme.count(), 1, 'the screen has its colours again')
    // As wide as A4.
    await page.setViewportSize({ width: 718, height: 1000 })
    await page.emulateMedia({ media: 'print' })
    const mark = page.getByRole('img', { name: 'Completed' })
    const styleOf = (name: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('.mark-completed')).${name}`)
    await mark.waitFor()
    assert.equal(await styleOf('backgroundColor'), 'rgba(0, 0, 0, 0)')
    assert.notEqual(await styleOf('color'), 'rgb(255, 255, 255)')
    const year = dueDate.slice(0, 4)
    await page
      .locator('.step')
      .last()
      .getByText(new RegExp(`${year}$`))
      .waitFor()
  }
  assert.ok(papers[0] === papers[1], 'the paper depends on the colours of the screen')
})

it('Case: prints notes with their dates', async t => {
  const admin = await adminOf(t)
  const { caseId } = await newCase(admin, await newProcess(admin))
  await callAs(admin, 'POST', `/admin/v1/cases/${encodeURIComponent(caseId)}/notes`, {
    content: 'Called the embassy.',
    visibility: 'team',
  })
  const page = await openAs(t, 'case-manager', casePath(caseId))
  const time = page.locator('.note time')
  await time.waitFor()
  assert.equal(await time.innerText(), 'this minute')
  await page.emulateMedia({ media: 'print' })
  assert.match(await time.innerText(), /^\d{1,2} \w+ \d{4}, \d\d:\d\d$/)
})

it('Case: the texts of a step fit into its row, also in German', async t => {
  const admin = await adminOf(t)
  const { caseId, steps } = await newCase(admin, await newProcess(admin))
  const path = `/admin/v1/cases/${encodeURIComponent(caseId)}/steps/${encodeURIComponent(steps[0].stepId)}`
  await callAs(admin, 'PATCH', path, { dueDate: daysFromNow(-21) })
  for (const locale of ['de-DE', 'en-GB'])
    for (const width of [1440, 1280, 1024, 390]) {
      const page = await openAs(t, 'case-manager', casePath(caseId), {
        locale,
        viewport: { width, height: 900 },
      })
      const step = page.locator('.step.is-current')
      const label = step.locator('.step-actions .mantine-Button-label')
      await label.waitFor()
      assert.ok(
        await label.evaluate(text => text.scrollWidth <= text.clientWidth),
        `the button is cut: ${locale}, ${width} px`,
      )
      const rightOf = async (selector: string) => {
        const box = await step.locator(selector).boundingBox()
        return box ? box.x + box.width : 0
      }
      const [badge, due] = [await rightOf('.step-due .tone'), await rightOf('.step-due')]
      assert.ok(badge <= due, `the due date covers what is beside it: ${locale}, ${width} px`)
      const [actions, row] = [await rightOf('.step-actions'), await rightOf('xpath=.')]
      assert.ok(actions <= row, `the row is too wide: ${locale}, ${width} px`)
    }
})

it('New case: in every look', t =>
  checkEveryLook(t, 'case-manager', '/cases/new', page =>
    page.getByRole('button', { name: 'Start the case' }).waitFor(),
  ))

it('Case: in every look', async t => {
  const admin = await adminOf(t)
  const { records } = await callAs(admin, 'GET', '/admin/v1/cases?status=open&maxRecords=1')
  await checkEveryLook(t, 'case-manager', casePath(records[0].caseId), page =>
    page.getByRole('heading', { name: 'Timeline' }).waitFor(),
  )
})
